// Tests that a reduction that is written twice is computed once, if all readers of the one can read
// the other.

import { describe, expect, test } from "vitest";
import { holds, table } from "../../test/support/kernels.ts";
import { compile } from "../driver/compile.ts";
import { newHeard, type Heard } from "./print.ts";

/** What the rule `twins` reports about a program. */
function twinsIn(text: string, get: readonly string[]): readonly string[] {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  if (!program) throw new Error(diagnostics.map(({ title }) => title).join());
  let heard: Heard | undefined;
  const { fault } = program.run({
    get,
    leastWork: 0,
    hearing: (of, each) => (heard = newHeard(of, each)),
  });
  if (fault) throw new Error(fault.title);
  return heard!.text("twins").match(/the same as \w+/g) ?? [];
}

const softmax =
  "let y[i, j] = exp(x[i, j] - max[a](x[i, a])) / sum[b](exp(x[i, b] - max[c](x[i, c])));";

describe("reductions that are the same but for their names", () => {
  test("are computed once", () => {
    expect(twinsIn(table("f32", 9, 20) + softmax, ["y"])).toHaveLength(1);
    holds(table("f32", 9, 20) + softmax);
    const thrice = "let y[i] = sum[a](x[i, a]) * sum[b](x[i, b]) + exp(sum[c](x[i, c]) * 0.1);";
    expect(twinsIn(table("f32", 9, 20) + thrice, ["y"]).length).toBeGreaterThan(0);
    holds(table("f32", 9, 20) + thrice);
  });

  test("are told from those that differ", () => {
    for (const other of [
      "min[c](x[i, c])",
      "max[c](x[c, i])",
      "max[c](-x[i, c])",
      "max[c in 1..9](x[i, c])",
      "max[c](x[i, c] where x[i, c] < 3.0)",
      "max[c](x[(i + 1) % 9, c])",
      "max[c](x[i, 8 - c])",
    ]) {
      const text =
        `${table("f32", 9, 9)} let y[i, j] = ` +
        `exp(x[i, j] - max[a](x[i, a])) / sum[b](exp(x[i, b] - ${other}));`;
      expect(twinsIn(text, ["y"]), other).toEqual([]);
      holds(text);
    }
  });

  test("are computed once for readers that know nothing of one another", () => {
    const apart =
      `${table("f32", 9, 20)} let a[i] = exp(sum[j](x[i, j]) * 0.1); ` +
      "let b[k] = sin(sum[j](x[k, j]));";
    expect(twinsIn(apart, ["a", "b"])).toHaveLength(1);
    for (const get of [["a"], ["b"], ["b", "a"]])
      expect(twinsIn(apart, get).length).toBeLessThanOrEqual(1);
    holds(apart);
  });

  test("stay two where both are looked at", () => {
    const both =
      `${table("f32", 9, 20)} let a[i] = sum[j](x[i, j]); let b[k] = sum[j](x[k, j]); ` +
      "let c[i] = a[i] * b[i];";
    expect(twinsIn(both, ["a", "b", "c"])).toEqual([]);
    holds(both);
    expect(twinsIn(both, ["c"])).toHaveLength(1);
  });

  test("give gradients the same values", () => {
    holds(
      `${table("f32", 9, 20)} ${softmax} let loss = sum[i, j](y[i, j] * y[i, j]); ` +
        "let g = @loss / @x;",
    );
  });
});
