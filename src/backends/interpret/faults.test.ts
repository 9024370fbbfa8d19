// Faults of a run name the source, the expression and the values: the definition, its cell, its
// coordinates and its step.

import { describe, expect, test } from "vitest";
import { compile } from "../../driver/compile.ts";

function faultOf(
  text: string,
  options: { readonly trap?: "nan"; readonly maxMemory?: number } = {},
): string {
  const { program, diagnostics } = compile({ name: "p.ein", text });
  if (!program) throw new Error(diagnostics.map(({ title }) => title).join("\n"));
  const { fault } = program.run(options);
  return fault
    ? [fault.code, fault.title, fault.text, fault.help].filter(Boolean).join(" | ")
    : "none";
}

test("the first position that goes wrong is named, be it one that would not have counted", () => {
  const text = (guards: string): string =>
    "let idx = [2, 1]; let d = [1.5, 2.5, 3.5]; let far = [1, 9]; " +
    `let s[i] = sum[p](d[p] where ${guards});`;
  expect(faultOf(text("d[far[i]] > 0.0, idx[i] == p"))).toContain("in `s[1]`, at i = 1, p = 0");
  expect(faultOf(text("idx[far[i]] == p"))).toContain("in `s[1]`, at i = 1, p = 0");
  expect(faultOf(text("far[i] < 2, d[far[i]] > 0.0, idx[far[i]] == p"))).toBe("none");
});

describe("--trap nan", () => {
  const trapped = (text: string) => faultOf(text, { trap: "nan" });

  test("names definition, cell, step and operands", () => {
    const text =
      "let x = [1.0, 0.0, 1.0];\nlet h[0] = 8.0;\nlet h[t in 1..4] = h[t - 1] / x[t - 1];";
    expect(trapped(text)).toMatch(
      /^E0907 \| `h\[2\]` is Infinity \| with step t = 2, h\[t - 1\] = 8.0, x\[t - 1\] = 0.0 \|/,
    );
  });

  test("finds the first term of a reduction that is not finite", () => {
    expect(trapped("let x = [4.0, -1.0, -2.0];\nlet y = sum[i](sqrt(x[i]));")).toBe(
      "E0907 | `y` is NaN | with i = 1, x[i] = -1.0 | " +
        "this is the first term of the reduction that is not finite",
    );
  });

  test("tells an overflow of finite terms from a term that is not finite", () => {
    const text = "let x = [3e38, 3e38];\nlet y[j in 0..1] = sum[i](x[i]);";
    expect(trapped(text)).toMatch(
      /`y\[0\]` is Infinity \| with j = 0 \| every term of the reduction is finite/,
    );
  });

  test("tells a reduction of nothing from an overflow", () => {
    const text = "let x = [1.0];\nlet y = max[i](x[i] where x[i] > 2.0);";
    expect(trapped(text)).toMatch(
      /`y` is -Infinity \| .* \| no element passed: of nothing the reduction is not finite/,
    );
  });

  test("keeps a coordinate whose name is `at`", () => {
    expect(trapped("let y[at in 0..2] = 1.0 / (at as f32);")).toContain("with at = 0");
  });

  test("stops at a name inside a cell, with what it was computed from", () => {
    const text =
      "let x = [1.0, 0.0];\nlet y[i] = { let a = 2.0 * x[i]; let b = 1.0 / a; let c = b - b; " +
      "c * 2.0 };";
    expect(trapped(text)).toMatch(
      /^E0907 \| `b` in `y\[1\]` is Infinity \| with i = 1, a = 0.0, x\[i\] = 0.0/,
    );
    const reduced = (b: string) =>
      `let x = [1.0, 0.0];\nlet y = sum[i](b * 2.0 where a = x[i] * 2.0, b = ${b});`;
    expect(trapped(reduced("log(a)"))).toMatch(
      /^E0907 \| `b` in `y` is -Infinity \| with i = 1, a = 0.0/,
    );
    expect(trapped(reduced("log(a) * a"))).toMatch(
      /^E0907 \| `log\(a\)` gives -Infinity \| the operand is 0.0; in `y`/,
    );
  });

  test("stops at an operation inside an expression, be the cell finite", () => {
    const clipped = "let x = [0.0, 1.0];\nlet y[i] = min(1.0, exp(x[i] * 1000.0));";
    expect(trapped(clipped)).toMatch(
      new RegExp(
        "^E0907 \\| `exp\\(x\\[i\\] \\* 1000.0\\)` gives Infinity \\| " +
          "the operand is 1000.0; in `y\\[1\\]`, at i = 1 \\|",
      ),
    );
    const compared = "let x = [2.0, 0.0];\nlet y[i] = if 1.0 / x[i] > 1.0 { 1.0 } else { 0.0 };";
    expect(trapped(compared)).toMatch(
      /`1.0 \/ x\[i\]` gives Infinity \| the operands are 1.0 and 0.0; in `y\[1\]`/,
    );
    const step =
      "let h[0] = 8.0;\nlet h[t in 1..4] = 1.0 + min(h[t - 1] / (2.0 - (t as f32)), 1.0);";
    expect(trapped(step)).toMatch(/`h\[t - 1\] \/ .*gives Infinity .* in `h\[2\]`, at step t = 2/);
  });

  test("stops at a cast inside an expression that its type cannot hold", () => {
    const narrow = "let x = [1.0f64, 1e300];\nlet y[i] = 1.0 / (x[i] as f32);";
    expect(trapped(narrow)).toMatch(
      new RegExp(
        "^E0907 \\| `\\(?x\\[i\\] as f32\\)?` gives Infinity \\| " +
          "the operand is 1e300; in `y\\[1\\]`, at i = 1 \\|",
      ),
    );
    expect(trapped("let x = [1.0f64, 1e300];\nlet y[i] = x[i] as f32;")).toMatch(
      /^E0907 \| `y\[1\]` is Infinity \| with i = 1, x\[i\] = 1e300 \|/,
    );
    const inside =
      "fn g(n: i32, x: f64) -> f32 { if n == " +
      "0 { 1.0 } else { min(1.0, x as f32) * g(n - 1, x * 1e30) } }";
    expect(trapped(`${inside}\nlet y = g(3, 1.0);`)).toMatch(/^E0907 \| `x as f32` gives Infinity/);
  });

  test("stops at the value of an `else`", () => {
    const text = (value: string) =>
      `let x = [4.0, 0.0];\nlet y[i] = sqrt(x[i]) where x[i] > 1.0 else ${value};`;
    expect(trapped(text("1.0 / x[i]"))).toMatch(
      /^E0907 \| `y\[1\]` is Infinity \| with i = 1, x\[i\] = 0.0 \|/,
    );
    expect(trapped(text("min(1.0, 1.0 / x[i])"))).toMatch(
      /`1.0 \/ x\[i\]` gives Infinity \| .*; in `y\[1\]`, at i = 1/,
    );
    expect(trapped(text("x[i]"))).toBe("none");
  });

  test("stops at an element that a reduction would pass over", () => {
    const text = "let x = [1.0, 0.0];\nlet y = min[i](1.0 / x[i]);";
    expect(trapped(text)).toMatch(
      /^E0907 \| `1.0 \/ x\[i\]` gives Infinity \| .*; in `y`, at i = 1/,
    );
    expect(trapped("let x = [1.0, 0.0];\nlet y = min[i](1.0 / x[i] where x[i] > 0.0);")).toBe(
      "none",
    );
  });

  test("does not look at a name in a branch that is not taken", () => {
    const text =
      "let x = [0.0, 2.0];\nlet y[i] = if x[i] > 0.0 { let a = 1.0 / x[i]; a * 2.0 } else { 0.0 };";
    expect(trapped(text)).toBe("none");
  });

  test("stops in the innermost call of a function that calls itself", () => {
    const text =
      "fn g(n: i32, x: f32) -> f32 { if n == " +
      "0 { log(x - x) } else { 1.0 + g(n - 1, x * 2.0) } }\nlet y = exp(g(3, 1.0));";
    expect(trapped(text)).toMatch(
      /^E0907 \| a call of `g` gives -Infinity \| called with n = 0, x = 8.0/,
    );
    const two =
      "fn h(n: i32, v: f32) -> (f32, f32) " +
      "{ if n == 0 { (1.0 / (v - v), v) } else { h(n - 1, v) } }\nlet y = h(2, 3.0).1;";
    expect(trapped(two)).toMatch(/a call of `h` gives Infinity \| called with n = 0, v = 3.0/);
  });

  test("stops at an operation inside a function that calls itself", () => {
    const text =
      "fn g(n: i32, x: f32) -> f32 { if n == " +
      "0 { x } else { g(n - 1, min(1.0, x / (n - 2) as f32)) } }\nlet y = g(3, 4.0);";
    expect(trapped(text)).toMatch(
      /^E0907 \| `x \/ \(n - 2\) as f32` gives Infinity \| the operands are 1.0 and 0.0; in `y` \|/,
    );
  });

  test("calls a value without a name by its expression", () => {
    expect(trapped("let z = 0.0;\nprint(1.0 / z);")).toMatch(
      /^E0907 \| `1.0 \/ z` is Infinity \| with z = 0.0/,
    );
  });
});

describe("limits", () => {
  test("too large is told in the words of the source", () => {
    expect(faultOf("print([i as f32 | i in 0..2000000000]);")).toBe(
      "E0805 | `[i as f32 | i in 0..2000000000]` with shape [2000000000] does not fit into " +
        "memory | " +
        "it needs 8.00 GB, 4.00 GB of 4.00 GB are left | raise the limit: " +
        "`--max-memory` of `ein`, `maxMemory` of the library, or keep fewer cells",
    );
  });

  test("a machine that does not give the memory is named too", () => {
    expect(
      faultOf("let a[i in 0..2000000000, j in 0..2000000000] = 1i8;", { maxMemory: 1e30 }),
    ).toMatch(
      new RegExp(
        "^E0805 \\| `a` with shape \\[2000000000, 2000000000\\] does not fit into memory \\| " +
          "the machine does not give",
      ),
    );
  });

  test("a recursion that is too deep shows what it was called with", () => {
    const text =
      "fn f(n) { if n == 0 { 0 } else { 1 + f(n + 1) } }\nlet k = [5];\nlet y = f(k[0]);";
    expect(faultOf(text)).toMatch(
      /^E0908 \| the recursion of `f` is too deep \| called with n = 5/,
    );
  });
});

describe("cells", () => {
  test("a local tensor ends where its row does", () => {
    const text = "let n = [2, 0, 3];\nlet y[i] = { let t[k in 0..n[i]] = k as f32; t[1] };";
    expect(faultOf(text)).toMatch(
      /^E0901 \| `t\[1\]` reads `t\[1\]`, which is not there \| .*; in `y\[1\]`, at i = 1/,
    );
  });

  test("a lookup that leaves its tensor has the coordinates of the reduction around it", () => {
    const text = "let x = [1.0];\nlet at = [0, 4];\nlet y = sum[k](x[at[k]]);";
    expect(faultOf(text)).toMatch(
      /^E0901 \| index 4 is out of bounds in `x\[at\[k\]\]` \| .*; in `y`, at k = 1/,
    );
  });

  test("a lookup in an `else` has the cell around it", () => {
    const text = "let x = [1.0];\nlet at = [0, 4];\nlet y[k] = 0.0 where at[k] > 5 else x[at[k]];";
    expect(faultOf(text)).toMatch(
      /^E0901 \| index 4 is out of bounds in `x\[at\[k\]\]` \| .*; in `y\[1\]`, at k = 1/,
    );
  });

  test("the parts of a scatter have them too", () => {
    const text = "let x = [1, 0];\nlet y[p in 0..2] = sum[k](10 / x[k] where k == p);";
    expect(faultOf(text)).toMatch(
      /^E0902 \| division by zero .* the operands are 10 and 0; in `y\[0\]`, at p = 1, k = 1/,
    );
  });
});
