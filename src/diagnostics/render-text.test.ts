// The text in a terminal. Each snapshot holds the source lines and the message together.

import { describe, expect, test } from "vitest";
import { span, type Source } from "../base/source.ts";
import { withoutColour } from "../../test/support/colour.ts";
import { error, warning } from "./diagnostic.ts";
import { renderAllText, renderText } from "./render-text.ts";
import { spanOf } from "../../test/support/diagnostics.ts";

const file = (text: string, name = "a.ein"): Source => ({ name, text });
const plain = { color: false };

const matmul = file(
  "// product\ninput A: [f32; 2, 3];\ninput B: [f32; 4, 5];\n" +
    "let C[i, j] = sum[k](A[i, k] * B[k, j]);\n",
);
const disagreement = error(
  "E0304",
  "`k` runs over 3 in `A` but over 4 in `B`",
  spanOf(matmul, "k", 3),
  {
    text: "over 4 here",
    labels: [
      { span: spanOf(matmul, "k", 2), text: "over 3 here" },
      { span: spanOf(matmul, "3", 2), text: "`A` has extent 3 here" },
      { span: spanOf(matmul, "4"), text: "`B` has extent 4 here" },
    ],
    help: "give `A` and `B` one name for this axis",
  },
);

describe("one source", () => {
  test("a primary span alone", () => {
    const source = file("let y = ex(1.0);");
    expect(renderText(error("E0202", "no function `ex`", spanOf(source, "ex")), plain))
      .toMatchInlineSnapshot(`
      "error[E0202]: no function \`ex\`
       --> a.ein:1:9
        |
      1 | let y = ex(1.0);
        |         ^^"
    `);
  });

  test("labels on the same line hang below, labels on other lines stand there", () => {
    expect(renderText(disagreement, plain)).toMatchInlineSnapshot(`
      "error[E0304]: \`k\` runs over 3 in \`A\` but over 4 in \`B\`
       --> a.ein:4:34
        |
      2 | input A: [f32; 2, 3];
        |                   - \`A\` has extent 3 here
      3 | input B: [f32; 4, 5];
        |                - \`B\` has extent 4 here
      4 | let C[i, j] = sum[k](A[i, k] * B[k, j]);
        |                           -      ^ over 4 here
        |                           |
        |                           over 3 here
        |
        = help: give \`A\` and \`B\` one name for this axis"
    `);
  });

  test("lines in between are left out, a single one is shown", () => {
    const source = file(
      "let a = 1;\nlet b = 2;\nlet c = 3;\nlet d = 4;\nlet e = 5;\nlet f = 6;\nlet a = 7;",
    );
    const twice = error("E0203", "`a` is defined twice", spanOf(source, "a", 2), {
      labels: [
        { span: spanOf(source, "a"), text: "first here" },
        { span: spanOf(source, "e = 5"), text: "unrelated" },
      ],
    });
    expect(renderText(twice, plain)).toMatchInlineSnapshot(`
      "error[E0203]: \`a\` is defined twice
       --> a.ein:7:5
        |
      1 | let a = 1;
        |     - first here
      ...
      5 | let e = 5;
        |     ----- unrelated
      6 | let f = 6;
      7 | let a = 7;
        |     ^"
    `);
    const near = error("E0203", "a name defined twice", spanOf(source, "c"), {
      labels: [{ span: spanOf(source, "a"), text: "first here" }],
    });
    expect(renderText(near, plain)).toMatchInlineSnapshot(`
      "error[E0203]: a name defined twice
       --> a.ein:3:5
        |
      1 | let a = 1;
        |     - first here
      2 | let b = 2;
      3 | let c = 3;
        |     ^"
    `);
  });

  test("three texts on one line are stacked with connecting bars", () => {
    const source = file("let y[i] = a[i] + b[i] * c[i];");
    const message = error("E0401", "three types meet", spanOf(source, "b[i]"), {
      text: "`b` is f64",
      labels: [
        { span: spanOf(source, "a[i]"), text: "`a` is f32" },
        { span: spanOf(source, "c[i]"), text: "`c` is i32" },
      ],
    });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0401]: three types meet
       --> a.ein:1:19
        |
      1 | let y[i] = a[i] + b[i] * c[i];
        |            ----   ^^^^   ---- \`c\` is i32
        |            |      |
        |            |      \`b\` is f64
        |            \`a\` is f32"
    `);
  });

  test("overlapping spans: the shorter one stays visible", () => {
    const source = file("let y = x + 1i64;");
    const message = error("E0401", "`f32` and `i64` do not mix", spanOf(source, "x + 1i64"), {
      text: "this sum",
      labels: [{ span: spanOf(source, "1i64"), text: "is i64" }],
    });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0401]: \`f32\` and \`i64\` do not mix
       --> a.ein:1:9
        |
      1 | let y = x + 1i64;
        |         ^^^^----
        |         |   |
        |         |   is i64
        |         this sum"
    `);
  });

  test("two texts about one span", () => {
    const source = file("let y = x;");
    const message = error("E0401", "both", spanOf(source, "x"), {
      text: "the primary text",
      labels: [{ span: spanOf(source, "x"), text: "the label" }],
    });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0401]: both
       --> a.ein:1:9
        |
      1 | let y = x;
        |         ^ the primary text
        |         |
        |         the label"
    `);
  });

  test("a primary span without a text does not take that of a label to its left", () => {
    const source = file("let y = a + b;");
    const message = error("E0401", "types do not fit", spanOf(source, "b"), {
      labels: [{ span: spanOf(source, "a"), text: "f32" }],
    });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0401]: types do not fit
       --> a.ein:1:13
        |
      1 | let y = a + b;
        |         -   ^
        |         |
        |         f32"
    `);
  });

  test("a help of several lines keeps its shape", () => {
    const source = file("let y[t+1] = 1.0;");
    const message = error("E0310", "a slot is a name", spanOf(source, "t+1"), {
      help: "write\n  let y[t in 1..n] = 1.0;\nwith `t - 1` for `t` on the right",
    });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0310]: a slot is a name
       --> a.ein:1:7
        |
      1 | let y[t+1] = 1.0;
        |       ^^^
        |
        = help: write
                  let y[t in 1..n] = 1.0;
                with \`t - 1\` for \`t\` on the right"
    `);
  });

  test("line numbers are aligned", () => {
    const source = file(`${"\n".repeat(8)}let a = 1;\nlet a = 2;`);
    const message = error("E0203", "`a` is defined twice", spanOf(source, "a", 2), {
      labels: [{ span: spanOf(source, "a"), text: "first here" }],
    });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0203]: \`a\` is defined twice
        --> a.ein:10:5
         |
       9 | let a = 1;
         |     - first here
      10 | let a = 2;
         |     ^"
    `);
  });
});

describe("spans over several lines", () => {
  const source = file("let y =\n  f(a,\n    b,\n    c,\n    d);\nlet z = 1;\n");

  test("from the middle of a line", () => {
    const call = span(source, spanOf(source, "(a").start, spanOf(source, "d)").end);
    expect(renderText(error("E0401", "too many arguments", call, { text: "four" }), plain))
      .toMatchInlineSnapshot(`
      "error[E0401]: too many arguments
       --> a.ein:2:4
        |
      2 |     f(a,
        |  ____^
      ... |
      5 | |     d);
        | |______^ four"
    `);
  });

  test("from the beginning of a line, with a label inside", () => {
    const statement = span(source, 0, spanOf(source, ";").end);
    const message = error("E0401", "too many arguments", statement, {
      text: "in this statement",
      labels: [{ span: spanOf(source, "c"), text: "the third" }],
    });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0401]: too many arguments
       --> a.ein:1:1
        |
      1 | / let y =
      ... |
      4 | |     c,
        | |     - the third
      5 | |     d);
        | |_______^ in this statement"
    `);
  });

  test("two that overlap have a bar each", () => {
    const outer = span(source, 0, spanOf(source, "d)").end);
    const inner = span(source, spanOf(source, "a,").start, spanOf(source, "c,").end);
    const message = error("E0401", "nested", inner, {
      text: "inner",
      labels: [{ span: outer, text: "outer" }],
    });
    expect(renderText(message, plain)).toMatchInlineSnapshot(`
      "error[E0401]: nested
       --> a.ein:2:5
        |
      1 | /  let y =
      2 | |    f(a,
        | | _____^
      3 | ||     b,
      4 | ||     c,
        | ||______^ inner
      5 | |      d);
        | |_______- outer"
    `);
  });

  test("a span that takes in its line end stays on its line", () => {
    const withEnd = span(source, 0, source.text.indexOf("\n") + 1);
    expect(renderText(error("E0111", "a line", withEnd), plain)).toMatchInlineSnapshot(`
      "error[E0111]: a line
       --> a.ein:1:1
        |
      1 | let y =
        | ^^^^^^^"
    `);
  });
});

describe("colours", () => {
  const options = { color: true };

  test("without them the text is the same", () => {
    for (const message of [disagreement, warning("E0304", "an extent", spanOf(matmul, "A"))]) {
      expect(renderText(message, options)).toContain("\u001b[");
      expect(withoutColour(renderText(message, options))).toBe(renderText(message, plain));
    }
  });

  const colours =
    "errors are red, warnings yellow, the gutter blue, and every colour ends on its line";
  test(colours, () => {
    const text = renderText(disagreement, options);
    expect(text).toContain("\u001b[1;91merror[E0304]\u001b[0m\u001b[1m: ");
    expect(text).toContain("\u001b[1;94m4 |\u001b[0m let C");
    expect(text).toContain("\u001b[1;91m^\u001b[0m \u001b[1;91mover 4 here\u001b[0m");
    expect(renderText(warning("E0304", "w", undefined), options)).toContain(
      "\u001b[1;93mwarning[E0304]\u001b[0m",
    );
    for (const line of text.split("\n"))
      expect(line.split("\u001b[0m").length).toBe(line.split("\u001b[1").length);
  });
});

describe("several messages", () => {
  const source = file("let x = y;");
  const wrong = error("E0201", "no `y`", spanOf(source, "y"));
  const doubtful = warning("E0203", "odd", undefined);

  test("end with a count", () => {
    expect(renderAllText([wrong, doubtful, wrong], plain)).toMatchInlineSnapshot(`
      "error[E0201]: no \`y\`
       --> a.ein:1:9
        |
      1 | let x = y;
        |         ^

      warning[E0203]: odd

      error[E0201]: no \`y\`
       --> a.ein:1:9
        |
      1 | let x = y;
        |         ^

      2 errors, 1 warning"
    `);
  });

  test("the count speaks of what there is", () => {
    const count = (...messages: (typeof wrong)[]) =>
      renderAllText(messages, plain).split("\n").at(-1);
    expect(count(wrong)).toBe("1 error");
    expect(count(doubtful, doubtful)).toBe("2 warnings");
    expect(renderAllText([], plain)).toBe("");
  });
});
