// Modules in files: found through the host, read once, never in a circle, never outside of the
// program's folder.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { positionOf, type Span } from "../../src/base/source.ts";
import { modulesBeside, modulesOfSession } from "../../src/host/node/modules.ts";

/** Compiles `main` with the other texts as files beside it. */
function withFiles(files: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const compiled = compile(
    { name: "main.ein", text: files["main"]! },
    {
      readModule: (name) => {
        asked.push(name);
        const text = files[name];
        return text === undefined
          ? { why: "there is no such file" }
          : { source: { name: `${name}.ein`, text } };
      },
    },
  );
  const printed: string[] = [];
  const run = compiled.program?.run({ onPrint: ({ text }) => void printed.push(text) });
  const at = ({ source, start }: Span): string => {
    const { line, column } = positionOf(source, start);
    return `${source.name}:${line}:${column}`;
  };
  const messages = compiled.diagnostics.map(
    ({ code, span, title }) => `${at(span!)} ${code} ${title}`,
  );
  const labels = compiled.diagnostics.flatMap((each) =>
    each.labels.map(({ span, text }) => `${at(span)} ${text}`),
  );
  return { asked, printed, messages, labels, values: run?.values };
}

describe("modules that are files", () => {
  test("a file beside the program gives what is `pub` in it", () => {
    const { printed, messages } = withFiles({
      main:
        "mod geometry;\nuse geometry::{area, unit as one};\n" +
        "print(area(2.0 * one), geometry::corners);",
      geometry:
        "pub fn area(r: f32) -> f32 { 3.0 * square(r) }\nfn square(x: f32) -> f32 { x * x }\n" +
        "pub const unit = 1.0;\npub let corners = [1, 2];",
    });
    expect(messages).toEqual([]);
    expect(printed).toEqual(["12.0 [1, 2]"]);
  });

  test("two modules that read one file share it", () => {
    const { printed, messages } = withFiles({
      main: "mod a;\nmod b;\nprint(a::b::x + b::x);",
      a: "pub mod b;",
      b: 'pub let x = 1;\nprint("once");',
    });
    expect(messages).toEqual([]);
    expect(printed).toEqual(["once", "2"]);
  });

  test("files may use one another whatever their order", () => {
    const { printed, messages } = withFiles({
      main: "mod a;\nmod b;\nprint(a::x, b::double(4));",
      a: "use b::double;\npub let x = double(2);\npub let unit = 2;",
      b: "pub fn double(n) { n * factor() }\nfn factor() { 2 }",
    });
    expect(messages).toEqual([]);
    expect(printed).toEqual(["4 8"]);
  });

  test("a file that no `mod` declares is named as it is there", () => {
    const helpOf = (main: string): readonly (string | undefined)[] =>
      compile(
        { name: "main.ein", text: main },
        {
          readModule: (name) =>
            name === "b"
              ? { why: "there is no such file" }
              : { source: { name: name === "a" ? "a/mod.ein" : `${name}.ein`, text: "" } },
        },
      ).diagnostics.map(({ help }) => help);
    expect(helpOf("use a::x; use c::y; use b::z;")).toEqual([
      "declare it, `mod a;`: the file `a/mod.ein` is beside this one",
      "declare it, `mod c;`: the file `c.ein` is beside this one",
      "declare it, `mod b;` for the file `b.ein` beside this one; the library begins with `std::`",
    ]);
  });

  test("values in a circle are an error that points at the `mod` of the other", () => {
    const { messages, labels } = withFiles({
      main: "mod a;\nmod b;\nprint(a::x);",
      a: "use b::y;\npub let x = y;",
      b: "use a::x;\npub let y = x;",
    });
    expect(messages).toEqual([
      "b.ein:1:8 E0207 `x` of `a` is not known yet: the modules use one another",
    ]);
    expect(labels).toEqual(["main.ein:1:5 its values wait for this one"]);
  });

  test("values of modules differentiate like any others", () => {
    const { values, messages } = withFiles({
      main: "mod model;\nlet w = 3.0;\nlet loss = model::loss(w);\nlet g = @loss / @w;",
      model: "let target = 1.0;\npub fn loss(w) { (w - target) ** 2.0 }",
    });
    expect(messages).toEqual([]);
    expect(values?.get("g")?.value.data[0]).toBe(4);
  });

  test("a missing file is one message, and its names say nothing more", () => {
    const { messages } = withFiles({
      main: "mod nowhere;\nuse nowhere::f;\nprint(f(1), nowhere::g(2));",
    });
    expect(messages).toEqual([
      "main.ein:1:5 E0206 the module `nowhere` cannot be read: there is no such file",
    ]);
  });

  test("files that read one another are an error in the one that closes the circle", () => {
    const { messages } = withFiles({
      main: "mod a;\nprint(a::x);",
      a: "mod b;\npub let x = 1;",
      b: "mod a;",
    });
    expect(messages).toEqual(["b.ein:1:5 E0207 the module `a` reads itself"]);
    expect(withFiles({ main: "mod a;", a: "mod main;" }).messages).toEqual([
      "a.ein:1:5 E0207 the module `main` reads itself",
    ]);
  });

  test("what is wrong in a module is reported in it", () => {
    const { messages } = withFiles({
      main: "mod a;\nlet y = a::f(1);",
      a: "pub fn f(x) { x + nothing }",
    });
    expect(messages).toEqual(["a.ein:1:19 E0201 `nothing` is not defined"]);
    const syntax = withFiles({ main: "mod a;\nprint(a::f(1));", a: "pub fn f(x) { x + 1" });
    expect(syntax.messages).toHaveLength(1);
    expect(syntax.messages[0]).toMatch(/^a\.ein:1:20 E0112/);
  });

  test("the same mistake at the same place of two files is two mistakes", () => {
    const { messages } = withFiles({ main: "let x = nothing;\nmod a;", a: "let x = nobody;" });
    expect(messages).toHaveLength(2);
  });

  test("without `readModule` there are no files", () => {
    const { diagnostics } = compile({ name: "main.ein", text: "mod a;" });
    expect(diagnostics.map(({ title }) => title)).toEqual([
      "the module `a` cannot be read: this host reads no files",
    ]);
  });
});

describe("modules on disk", () => {
  const folder = mkdtempSync(join(tmpdir(), "ein-modules-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("are read beside the file that names them, and nowhere else", () => {
    mkdirSync(join(folder, "project"));
    writeFileSync(join(folder, "outside.ein"), "pub let x = 1;");
    writeFileSync(join(folder, "project", "inside.ein"), "pub let x = 2;");
    symlinkSync(join(folder, "outside.ein"), join(folder, "project", "linked.ein"));
    const source = {
      name: join(folder, "project", "main.ein"),
      text: "mod inside;\nprint(inside::x);",
    };
    const read = modulesBeside(source);
    expect(read("inside", source)).toEqual({
      source: { name: join(folder, "project", "inside.ein"), text: "pub let x = 2;" },
    });
    expect(read("outside", source)).toHaveProperty("why");
    expect(read("linked", source)).toHaveProperty(
      "why",
      expect.stringContaining("leads out of the program's folder"),
    );
    const printed: string[] = [];
    compile(source, { readModule: read }).program!.run({
      onPrint: ({ text }) => void printed.push(text),
    });
    expect(printed).toEqual(["2"]);
  });

  /** The prints of a program, or the titles of its messages, with a folder of files. */
  function printedBy(name: string, files: Readonly<Record<string, string>>): readonly string[] {
    const root = join(folder, name);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const source = { name: join(root, "main.ein"), text: files["main.ein"]! };
    const { diagnostics, program } = compile(source, { readModule: modulesBeside(source) });
    const printed: string[] = [];
    program?.run({ onPrint: ({ text }) => void printed.push(text) });
    return [...diagnostics.map(({ title }) => title.replaceAll(`${root}/`, "")), ...printed];
  }

  test("are found in folders too: `a/mod.ein` for `mod a;`, `a/b.ein` for its `mod b;`", () => {
    const main =
      "mod a;\nuse a::b;\nuse a::b::{f};\nuse a::c::deep;\nprint(f(1), b::g(1), deep::x);";
    const b = "pub fn f(x) { x + 1 }\npub fn g(x) { x + 2 }";
    const inFolder = { "main.ein": main, "a/mod.ein": "pub mod b;\npub mod c;", "a/b.ein": b };
    const deep = { "a/c/mod.ein": "pub mod deep;", "a/c/deep.ein": "pub let x = 7;" };
    expect(printedBy("folder", { ...inFolder, ...deep })).toEqual(["2 3 7"]);
    const plain = { "main.ein": main, "a.ein": "pub mod b;\npub mod c;", "a/b/mod.ein": b };
    const plainDeep = { "a/c.ein": "pub mod deep;", "a/c/deep.ein": "pub let x = 7;" };
    expect(printedBy("plain", { ...plain, ...plainDeep })).toEqual(["2 3 7"]);
  });

  test("lie beside a module where its folder has none of the name", () => {
    const files = {
      "main.ein": "mod a;\nprint(a::b::x);",
      "a.ein": "pub mod b;",
      "b.ein": "pub let x = 1;",
    };
    expect(printedBy("beside", files)).toEqual(["1"]);
    expect(printedBy("both-places", { ...files, "a/b.ein": "pub let x = 2;" })).toEqual(["2"]);
  });

  test("are an error where two files stand for one", () => {
    const files = { "main.ein": "mod a;", "a.ein": "", "a/mod.ein": "" };
    expect(printedBy("twice", files)).toEqual([
      "the module `a` cannot be read: both `a.ein` and `a/mod.ein` are there; remove one of them",
    ]);
  });

  test("of a session are those of the text that began it", () => {
    printedBy("session", { "main.ein": "", "a.ein": "pub mod b;", "a/b.ein": "pub let x = 3;" });
    const read = modulesOfSession();
    const root = join(folder, "session");
    const a = read("a", { name: join(root, "main.ein"), text: "" });
    if ("why" in a) throw new Error(a.why);
    expect(read("b", a.source)).toEqual({
      source: { name: join(root, "a", "b.ein"), text: "pub let x = 3;" },
    });
  });
});
