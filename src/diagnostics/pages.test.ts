// Every code has a page of the agreed form, and every page has a code. Each example on a page gives
// exactly its message, and each fix compiles without messages and runs.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runModule } from "../../test/module.ts";
import { commandsOf, pageNames, pages, readPage } from "../../test/pages.ts";
import type { Io } from "../cli/io.ts";
import { main } from "../cli/main.ts";
import { compile } from "../driver/compile.ts";
import type { DeclaredInput } from "../lower/declared-input.ts";
import { failed } from "../base/failure.ts";
import { writeNpy } from "../host/npy.ts";
import { fromNested, fromScalars, sizeOf, type TensorValue } from "../scalar/values/value.ts";
import { codes } from "./codes.ts";

test("codes and pages match one to one", () => {
  expect(pageNames()).toEqual(Object.keys(codes).sort());
});

describe.each(pages().map((page) => [page.code, page] as const))("%s", (code, page) => {
  test("is headed by the line from the list of codes", () => {
    expect(page.title).toBe(codes[code as keyof typeof codes]);
  });

  test("is prose that fits a terminal, in whole sentences", () => {
    for (const text of [page.cause, page.advice]) {
      expect(text).toMatch(/^[A-Z`(][\s\S]*[.)]$/);
      for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    }
  });

  test("shows a fix that differs from the example", () => {
    expect(page.fix).not.toBe(page.example);
  });
});

describe("the form", () => {
  const good =
    "# E0101: t\n\nCause.\n\n## Example\n\n```ein\na\n\nb\n```\n\n## Fix\n\n```ein\nc\n```\n" +
    "\nAdvice.\n";

  test("is read", () => {
    expect(readPage("E0101", good)).toEqual({
      code: "E0101",
      title: "t",
      language: "ein",
      cause: "Cause.",
      example: "a\n\nb\n",
      fix: "c\n",
      advice: "Advice.",
    });
  });

  test.each([
    ["another code", good.replace("E0101", "E0102")],
    ["no cause", good.replace("Cause.\n\n", "")],
    ["two examples", good.replace("## Fix", "```ein\nx\n```\n\n## Fix")],
    ["no fix", good.replace(/## Fix[\s\S]*/, "")],
    ["two languages", good.replace("## Fix\n\n```ein", "## Fix\n\n```sh")],
    ["no advice", good.replace("\nAdvice.\n", "")],
    ["a further section", `${good}\n## More\n\nText.\n`],
  ])("is strict: %s", (_, text) => {
    expect(text).not.toBe(good);
    expect(() => readPage("E0101", text)).toThrow("docs/errors/E0101.md");
  });
});

describe("the programs on the pages", () => {
  const programs = pages().filter(({ language }) => language === "ein");

  test.each(programs)("$code: the example gives exactly this message", ({ code, example }) => {
    expect(codesOf(code, example)).toEqual([code]);
  });

  test.each(programs)("$code: the fix compiles without a word, and runs", ({ code, fix }) => {
    expect(codesOf(code, fix)).toEqual([]);
  });

  /**
   * The codes of compiling and running a program, and of the audit for its lints. All inputs are
   * ones, with extent 3 for each dimension.
   */
  function codesOf(code: string, text: string): readonly string[] {
    const { diagnostics, program } = compile({ name: "page.ein", text });
    const inputs = new Map((program?.inputs ?? []).map((input) => [input.name, ones(input)]));
    const fault = program?.run({ inputs, onPrint: () => undefined }).fault;
    const lints = code.startsWith("W") ? (program?.audit().lints ?? []) : [];
    return [...diagnostics, ...(fault ? [fault] : []), ...lints].map((said) => said.code);
  }

  function ones({ dtype, shape = [] }: DeclaredInput): TensorValue {
    const extents = shape.map((extent) => (typeof extent === "number" ? extent : 3));
    return fromScalars(dtype, extents, new Array<number>(sizeOf(extents)).fill(1));
  }
});

describe("the modules on the pages", () => {
  const modules = pages().filter(({ language }) => language === "ts");
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ein-pages-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A browser page has a document and no process. */
  const asPage = "globalThis.document = {}; globalThis.process = undefined;";

  /** The imports of a module, and the rest of it. */
  const parts = (text: string): readonly [string, string] => {
    const [imports = ""] = /^(?:import .*\n)*/.exec(text) ?? [];
    return [imports, text.slice(imports.length)];
  };

  test.each(modules)(
    "$code: the example throws exactly this message",
    { timeout: 60_000 },
    async ({ code, example }) => {
      const [imports, body] = parts(example);
      const host = code === "E0803" ? asPage : "";
      const text =
        `${imports}${host}\ntry {\n${body}} catch (problem) ` +
        "{ console.log(problem.diagnostics.map(({ code }) => code).join()); }";
      expect(await runModule(text, folder)).toBe(`${code}\n`);
    },
  );

  test.each(modules)("$code: the fix throws nothing", { timeout: 60_000 }, async ({ fix }) => {
    expect(await runModule(fix, folder)).not.toContain("Error");
  });
});

describe("the command lines on the pages", () => {
  const commandLines = pages().filter(({ language }) => language === "sh");
  const home = process.cwd();
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ein-pages-"));
    process.chdir(folder);
    writeFileSync("model.ein", "let y[i in 0..3] = i as f32;\nprint(y);\n");
    const bytes = writeNpy(fromNested("f32", [1, 2, 3]) as TensorValue);
    if (failed(bytes)) throw new Error(bytes.error);
    writeFileSync("x.npy", bytes);
  });
  afterAll(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(commandLines)(
    "$code: the example gives exactly this message",
    async ({ code, example }) => {
      // No known command line breaks the compiler, so the page of E0999 is shown with a clock that
      // fails.
      const { exits, err } = await shell(example, code === "E0999" ? brokenClock : () => 0);
      expect([...err.matchAll(/^(?:error|warning)\[(\w+)\]/gm)].map((match) => match[1])).toEqual([
        code,
      ]);
      expect(exits.at(-1)).not.toBe(0);
    },
  );

  test.each(commandLines)("$code: the fix does what it is asked to", async ({ fix }) => {
    const { exits, err } = await shell(fix, () => 0);
    expect(err).toBe("");
    expect(exits.every((exit) => exit === 0)).toBe(true);
  });

  async function shell(
    block: string,
    now: Io["now"],
  ): Promise<{ exits: readonly number[]; err: string }> {
    let err = "";
    const stream = (write: (text: string) => void) => ({ write, isTerminal: false, columns: 80 });
    const io: Io = {
      out: stream(() => undefined),
      err: stream((text) => (err += text)),
      env: {},
      now,
    };
    const exits: number[] = [];
    for (const [command, ...words] of commandsOf(block)) {
      if (command === "ein") exits.push(await main(words, io));
      else if (command === "mkdir" && words[0] === "-p") mkdirSync(words[1]!, { recursive: true });
      else throw new Error(`the pages show a command that this test does not know: ${command}`);
    }
    return { exits, err };
  }

  function brokenClock(): never {
    throw new Error("the clock is broken");
  }
});
