// Derivatives of derivatives of random programs, the same programs in every run.

import { describe, expect, test } from "vitest";
import { valuesOf } from "../generate/orders/evaluate.ts";
import type { Expression, Program } from "../generate/orders/program.ts";
import { smallest } from "../generate/orders/smaller.ts";
import { fuzzOrders, looksOf, problemOf } from "./orders.ts";
import { atDepth } from "../depth.ts";

const a: Expression = { kind: "local", name: "a" };
const x: Expression = { kind: "read", name: "x", at: [] };
const plain = { ofShape: [], byShape: [], isIndexed: false } as const;

/** `let y = f(x); let g = @y / @x; let h = @g / @x;` */
function asking(body: Expression, rule?: string): Program {
  return [
    { kind: "input", name: "x", shape: [], cells: [0.7], isLiteral: true },
    { kind: "integers", name: "unused", cells: [0], isLiteral: true },
    { kind: "function", name: "f", integers: [], floats: ["a"], body, ...(rule ? { rule } : {}) },
    {
      kind: "define",
      name: "y",
      shape: [],
      clauses: [{ slots: [], body: { kind: "call", name: "f", integers: [], floats: [x] } }],
    },
    { kind: "request", name: "g", of: "y", by: "x", ...plain },
    { kind: "request", name: "h", of: "g", by: "x", ...plain },
  ];
}

describe("derivatives of derivatives", () => {
  const many = atDepth(12, 30);
  test.each(atDepth([1], [1, 31]))(
    `of ${many} random programs from seed %i on`,
    { timeout: 180_000 },
    (seed) => {
      const { programs, failures, unsuited, cells } = fuzzOrders(seed, many);
      expect(failures).toEqual([]);
      expect(unsuited).toBeLessThan(programs / 2);
      expect(cells).toBeGreaterThan(6 * many);
    },
  );

  // A total of totals to which no cotangent was added.
  test.each([829556070])("of the program %i, which was wrong once", { timeout: 60_000 }, (seed) => {
    expect(fuzzOrders(seed, 1).failures).toEqual([]);
  });

  test("are expected from the description alone", () => {
    const cubed: Expression = {
      kind: "binary",
      operation: "**",
      left: a,
      right: { kind: "number", value: 3 },
    };
    const values = valuesOf(asking(cubed));
    expect(values.get("g")![0]).toBeCloseTo(3 * 0.49, 14);
    expect(values.get("h")![0]).toBeCloseTo(6 * 0.7, 14);
  });

  test("that are wrong are noticed, and the program is made small", () => {
    // The rule has the right derivative and a wrong second derivative.
    const wrong = asking({ kind: "unary", operation: "exp", of: a }, "stop(exp(a)) * @a");
    const looks = looksOf(3);
    expect(problemOf(wrong, looks)).toBe("on interpret: h at 0 is 0, not 2.0137527074704766");
    const small = smallest(
      wrong,
      (program) => problemOf(program, looks)?.startsWith("on interpret: ") ?? false,
    );
    expect(small.map(({ name }) => name)).toEqual(["x", "f", "y", "g"]);
  });
});
