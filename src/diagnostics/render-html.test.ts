// The HTML form has marks in the right places, and contains no markup from the program.

import { describe, expect, test } from "vitest";
import { span, type Source } from "../base/source.ts";
import { error, warning } from "./diagnostic.ts";
import { diagnosticCss, renderHtml } from "./render-html.ts";
import { spanOf } from "../../test/support/diagnostics.ts";

const file = (text: string, name = "a.ein"): Source => ({ name, text });

/** The text that a reader sees: without tags, and with entities resolved. */
function seen(html: string): string {
  const names: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
  return html.replace(/<[^>]*>/g, "").replace(/&([a-z0-9#]+);/g, (_, name: string) => names[name]!);
}

describe("renderHtml", () => {
  test("title, place, lines, marks with their texts, help", () => {
    const source = file("input A: [f32; 2, 3];\n\n\nlet C[i] = sum[k](A[i, k] * B[k]);");
    const message = error(
      "E0304",
      "`k` runs over 3 in `A` but over 4 in `B`",
      spanOf(source, "B[k]"),
      {
        text: "over 4 here",
        labels: [
          { span: spanOf(source, "3", 2), text: "`A` has extent 3" },
          { span: spanOf(source, "A[i, k]"), text: "over 3 here" },
        ],
        help: "write `[f32; 3]`",
      },
    );
    expect(renderHtml(message)).toBe(
      [
        '<figure class="ein-diagnostic error">',
        '<figcaption><strong class="level">error[E0304]</strong>: <code>k' +
          "</code> runs over 3 in <code>A</code> but over 4 in <code>B</code></figcaption>",
        '<cite class="place">a.ein:4:29</cite>',
        '<pre><code><span class="line"><span class="number">1</span> input A: [f32; 2, ' +
          '<mark class="label">3</mark>];</span>',
        '                    <small class="label"><code>A</code> has extent 3</small>',
        '<span class="gap">…</span>',
        '<span class="line"><span class="number">4' +
          '</span> let C[i] = sum[k](<mark class="label">A[i, k]</mark> * ' +
          '<mark class="primary">B[k]</mark>);</span>',
        '                    <small class="label">over 3 here</small>',
        '                              <small class="primary">over 4 here</small></code>' +
          "</pre>",
        '<p class="help"><strong>help:</strong> write <code>[f32; 3]</code></p>',
        "</figure>",
      ].join("\n"),
    );
    expect(seen(renderHtml(message))).toMatchInlineSnapshot(`
      "
      error[E0304]: k runs over 3 in A but over 4 in B
      a.ein:4:29
      1 input A: [f32; 2, 3];
                          A has extent 3
      …
      4 let C[i] = sum[k](A[i, k] * B[k]);
                          over 3 here
                                    over 4 here
      help: write [f32; 3]
      "
    `);
  });

  test("everything from outside is escaped", () => {
    const attack = `<script>alert("1")</script>&'<img src=x onerror=y>`;
    const source = file(`let x = "${attack}"; q`, attack);
    const html = renderHtml(
      error("E0201", attack, spanOf(source, "<script>"), {
        text: attack,
        labels: [{ span: spanOf(source, "&'<img"), text: `\`${attack}\`` }],
        help: attack,
      }),
    );
    const tags = new Set([...html.matchAll(/<\/?([a-z]+)/g)].map(([, name]) => name));
    expect([...tags].sort()).toEqual(
      [
        "cite",
        "code",
        "figcaption",
        "figure",
        "mark",
        "p",
        "pre",
        "small",
        "span",
        "strong",
      ].sort(),
    );
    expect(seen(html)).toContain(`let x = "${attack}"; q`);
    expect(seen(html)).toContain(`error[E0201]: ${attack}`);
  });

  test("overlapping spans do not cross tags", () => {
    const source = file("let y = a + b * c;");
    const html = renderHtml(
      error("E0401", "x", spanOf(source, "a + b"), {
        labels: [{ span: spanOf(source, "b * c"), text: "t" }],
      }),
    );
    expect(html).toContain('<mark class="primary">a + b</mark><mark class="label"> * c</mark>;');
  });

  test("a span over several lines marks each of the lines shown, without indentation", () => {
    const source = file("let y =\n  f(a,\n    b);");
    const html = renderHtml(
      error("E0401", "x", span(source, 8, source.text.length - 1), { text: "here" }),
    );
    expect(html).toContain('<mark class="primary">  f(a,</mark>');
    expect(html).toContain('    <mark class="primary">b)</mark>;');
  });

  test("spans of width 0 and empty sources have something to see", () => {
    const source = file("let x = (1");
    expect(renderHtml(error("E0112", "x", span(source, 10, 10)))).toContain(
      '(1<mark class="primary"> </mark>',
    );
    expect(renderHtml(error("E0110", "x", span(file(""), 0, 0)))).toContain(
      '<mark class="primary"> </mark>',
    );
    expect(renderHtml(error("E0110", "x", span(source, 4, 4)))).toContain(
      'let <mark class="primary">x</mark> =',
    );
  });

  test("control characters and long lines", () => {
    const source = file(`"\u001b[31m\u202e"${"x".repeat(100_000)}?`);
    const html = renderHtml(warning("E0101", "x", spanOf(source, "?")));
    expect(html.length).toBeLessThan(1000);
    expect(html).toContain('<mark class="primary">?</mark>');
    expect(html).toMatch(/^<figure class="ein-diagnostic warning">/);
  });
});

test("the style sheet touches nothing but diagnostics", () => {
  const selectors = [...diagnosticCss.matchAll(/^\s*([^@;{}]+)\{/gm)].flatMap(([, list]) =>
    list!.split(","),
  );
  expect(selectors.length).toBeGreaterThan(10);
  for (const selector of selectors) expect(selector.trim()).toMatch(/^\.ein-diagnostic/);
});
