// Messages about places and texts that are difficult to show: ends of files, other files, wide and
// harmful characters, long lines.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { span, type Source } from "../base/source.ts";
import { withoutColour } from "../../test/support/colour.ts";
import { error } from "./diagnostic.ts";
import { renderText } from "./render-text.ts";
import { spanOf } from "../../test/support/diagnostics.ts";

const file = (text: string, name = "a.ein"): Source => ({ name, text });
const plain = { color: false };

describe("places", () => {
  test("labels in another source have a frame of their own", () => {
    const library = file(
      "pub fn softmax[j](x: [f32; ..l, j, ..r]) -> [f32; ..l, j, ..r] { x }",
      "std/ml.ein",
    );
    const user = file("let p = softmax[class](1.0);");
    const message = error("E0401", "`softmax` wants a tensor", spanOf(user, "1.0"), {
      text: "this is f32",
      labels: [{ span: spanOf(library, "x: [f32; ..l, j, ..r]"), text: "declared here" }],
      help: "pass a tensor with the axis `class`",
    });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0401]: \`softmax\` wants a tensor
       --> a.ein:1:24
        |
      1 | let p = softmax[class](1.0);
        |                        ^^^ this is f32
        |
       ::: std/ml.ein:1:19
        |
      1 | pub fn softmax[j](x: [f32; ..l, j, ..r]) -> [f32; ..l, j, ..r] { x }
        |                   --------------------- declared here
        |
        = help: pass a tensor with the axis \`class\`"
    `);
  });

  test("a source that was read twice is one source", () => {
    const [first, second] = [file("let x = y;"), file("let x = y;")];
    const message = error("E0201", "no `y`", spanOf(first, "y"), {
      labels: [{ span: spanOf(second, "x"), text: "needed for this" }],
    });
    expect(renderText(message, plain)).not.toContain(":::");
  });

  test("no place at all", () => {
    const message = error("E0801", "no value for the input `x`", undefined, {
      help: "add `--in x=FILE`",
    });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0801]: no value for the input \`x\`
        = help: add \`--in x=FILE\`"
    `);
  });

  test("only labels", () => {
    const source = file("// product\ninput A: [f32; 2, 3];\n");
    const message = error("E0801", "no value for the input `A`", undefined, {
      labels: [{ span: spanOf(source, "A"), text: "declared here" }],
    });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0801]: no value for the input \`A\`
       --> a.ein:2:7
        |
      2 | input A: [f32; 2, 3];
        |       - declared here"
    `);
  });

  test("an empty source", () => {
    const source = file("", "<stdin>");
    expect(renderText(error("E0110", "an empty program", span(source, 0, 0)), plain))
      .toMatchInlineSnapshot(`
      "error[E0110]: an empty program
       --> <stdin>:1:1
        |
      1 |
        | ^"
    `);
  });

  test("the end of a file, with and without a last line end, and behind it", () => {
    const open = file("let x = (1");
    const atEnd = error("E0112", "`(` is not closed", span(open, 10, 10), {
      text: "the file ends here",
      labels: [{ span: spanOf(open, "("), text: "opened here" }],
    });
    expect(renderText(atEnd, plain)).toMatchInlineSnapshot(`
      "error[E0112]: \`(\` is not closed
       --> a.ein:1:11
        |
      1 | let x = (1
        |         - ^ the file ends here
        |         |
        |         opened here"
    `);
    const closed = file("let x = (1\n");
    expect(renderText(error("E0112", "`(` is not closed", span(closed, 11, 11)), plain))
      .toMatchInlineSnapshot(`
      "error[E0112]: \`(\` is not closed
       --> a.ein:2:1
        |
      2 |
        | ^"
    `);
    expect(renderText(error("E0112", "`(` is not closed", span(closed, 90, 99)), plain)).toBe(
      renderText(error("E0112", "`(` is not closed", span(closed, 11, 11)), plain),
    );
  });

  test("a width of 0 is one caret, also on a line end", () => {
    const source = file("let x = 1\r\nlet y = 2;\r\n");
    const message = error("E0111", "a missing `;`", span(source, 9, 9), { text: "write `;` here" });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0111]: a missing \`;\`
       --> a.ein:1:10
        |
      1 | let x = 1
        |          ^ write \`;\` here"
    `);
    expect(
      renderText(
        error("E0111", "a missing `;`", span(source, 9, 11), { text: "write `;` here" }),
        plain,
      ),
    ).toBe(renderText(message, plain));
  });

  test("carriage returns never reach the output", () => {
    const source = file("let x = 1;\r\nlet y = ?;\r\n");
    const text = renderText(error("E0101", "`?` means nothing here", spanOf(source, "?")), plain);
    expect(text).not.toContain("\r");
    expect(text).toContain("a.ein:2:9");
  });
});

describe("what is hard to show", () => {
  test("tabs", () => {
    const source = file("\tlet x\t= y;");
    expect(renderText(error("E0201", "no `y`", spanOf(source, "y")), plain)).toMatchInlineSnapshot(`
      "error[E0201]: no \`y\`
       --> a.ein:1:10
        |
      1 |     let x   = y;
        |               ^"
    `);
  });

  test("wide and astral characters: carets by columns, the header by UTF-16 units", () => {
    const source = file('let s = "漢字 𝒙 👩‍👩‍👧 é"; let y = z;');
    const message = error("E0201", "no `z`", spanOf(source, "z"), {
      labels: [{ span: spanOf(source, "漢字"), text: "two wide characters" }],
    });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0201]: no \`z\`
       --> a.ein:1:37
        |
      1 | let s = "漢字 𝒙 👩‍👩‍👧 é"; let y = z;
        |          ----                  ^
        |          |
        |          two wide characters"
    `);
  });

  test("control characters and reordering marks are shown, not obeyed", () => {
    const source = file(
      'let s = "\u001b[31mred\u0007\u202e\u009b" + q;',
      "\u001b]0;evil\u0007.ein",
    );
    const message = error("E0201", "no `q\u001b[2J`", spanOf(source, "q"), {
      text: "\u001b[1m",
      help: "write\u0008 `s`",
    });
    const text = renderText(message, plain);
    expect(text).toMatchInlineSnapshot(`
      "error[E0201]: no \`q␛[2J\`
       --> ␛]0;evil␇.ein:1:25
        |
      1 | let s = "␛[31mred␇��" + q;
        |                         ^ ␛[1m
        |
        = help: write␈ \`s\`"
    `);
    // oxlint-disable-next-line no-control-regex -- these are what must not appear
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  test("a long line is abridged around its spans", () => {
    const padding = "0123456789 ".repeat(30);
    const source = file(`let a = [${padding}bad, ${padding}worse];`);
    const message = error("E0201", "no `bad`", spanOf(source, "bad"), {
      text: "not defined",
      labels: [{ span: spanOf(source, "worse"), text: "neither is this" }],
    });
    expect(renderText(message, { color: false, width: 60 })).toMatchInlineSnapshot(`
      "error[E0201]: no \`bad\`
       --> a.ein:1:340
        |
      1 | …89 0123456789 bad, 0123456789 0…89 0123456789 worse];
        |                ^^^                             ----- neither is this
        |                |
        |                not defined"
    `);
  });

  test("a long span is abridged in its middle", () => {
    const source = file(`let a = f(${"x, ".repeat(100)}x);`);
    const call = span(source, 8, source.text.length - 1);
    expect(renderText(error("E0401", "long", call, { text: "here" }), { color: false, width: 60 }))
      .toMatchInlineSnapshot(`
      "error[E0401]: long
       --> a.ein:1:9
        |
      1 | let a = f(x, x, x, x, x, x, x, …x, x, x, x, x, x, x, x);
        |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ here"
    `);
  });

  test("100,000 characters on one line", () => {
    const source = file(`${"x".repeat(50_000)}?${"y".repeat(50_000)}`);
    const text = renderText(
      error("E0101", "`?` means nothing here", spanOf(source, "?"), { text: "this" }),
      plain,
    );
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
    const [, , , line, marks] = text.split("\n");
    expect(line![marks!.indexOf("^")]).toBe("?");
    expect(line!.length).toBeGreaterThan(110);
  });
});

test("labels that cover the primary span between them leave its first column to it", () => {
  // A combining mark before a tab: three spans meet in the columns of the tab.
  const source = file("       \u0301\t");
  const labels = [
    { span: span(source, 0, 7), text: "left;" },
    { span: span(source, 8, 8), text: "right;" },
  ];
  const shown = renderText(error("E0401", "t", span(source, 0, 9), { text: "primary;", labels }), {
    color: false,
  });
  expect(shown.split("\n").slice(4)).toEqual([
    "  | ^-------",
    "  | |      |",
    "  | |      right;",
    "  | primary;",
    "  | left;",
  ]);
});

describe("for any source and any spans", () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom("\n", "\r\n", "\t", " ", "漢", "𝒙", "\u001b", "\u0301", "\ud800"),
      fc.string(),
    ),
    maxLength: 40,
  });
  const offset = fc.nat(60);

  test("every text is shown, nothing reaches the terminal that it would obey", () => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.tuple(offset, offset), { minLength: 1, maxLength: 5 }),
        (program, places) => {
          const source = file(program);
          const spans = places.map(([a, b]) => span(source, Math.min(a, b), Math.max(a, b)));
          const labels = spans
            .slice(1)
            .map((place, index) => ({ span: place, text: `label number ${index};` }));
          const message = error("E0401", "title", spans[0], { text: "primary text;", labels });
          const shown = renderText(message, { color: false, width: 40 });
          // oxlint-disable-next-line no-control-regex -- these are what must not appear
          expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
          for (const said of ["primary text;", ...labels.map((label) => label.text)])
            expect(shown).toContain(said);
          expect(shown).toContain("^");
          expect(withoutColour(renderText(message, { color: true, width: 40 }))).toBe(shown);
        },
      ),
    );
  });

  test("carets stand exactly under the text of the span, however long its line", () => {
    const plainLine = fc.stringMatching(/^[a-z +]{1,300}$/);
    fc.assert(
      fc.property(plainLine, fc.nat(300), fc.integer({ min: 1, max: 8 }), (line, at, length) => {
        const source = file(`${line}|`);
        const start = Math.min(at, line.length - 1);
        const place = span(source, start, Math.min(start + length, line.length));
        const rows = renderText(error("E0401", "t", place), { color: false, width: 50 }).split(
          "\n",
        );
        const [shown, marks] = [rows[3]!.slice(4), rows[4]!.slice(4)];
        const from = marks.indexOf("^");
        expect(marks.trim()).toBe("^".repeat(place.end - place.start));
        expect(shown.slice(from, from + place.end - place.start)).toBe(
          source.text.slice(place.start, place.end),
        );
        expect(rows[3]!.length).toBeLessThanOrEqual(50);
      }),
    );
  });
});
