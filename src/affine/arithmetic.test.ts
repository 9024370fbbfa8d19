// Operations on terms: their results, and that an operation has no term where a run may compute
// another number.

import { describe, expect, it } from "vitest";
import type { OperationName } from "../scalar/operations.ts";
import { termOfOperation, fitsI32, isSmall, type Known } from "./arithmetic.ts";
import { atMost, nonNegative } from "./prove.ts";
import { show } from "./show.ts";
import { add, constant, multiply, ofVariable, scale, variable, type Term } from "./term.ts";

const [i, n] = [ofVariable(variable("i")), ofVariable(variable("n"))];
const everything: Known = { isNonNegative: () => true, isPositive: () => true, fits: () => true };
const given = (
  operation: OperationName,
  operands: readonly Term[],
  known: Partial<Known> = {},
): string | undefined => {
  const term = termOfOperation(operation, operands, { ...everything, ...known });
  return term && show(term);
};

describe("applied", () => {
  it.each<[OperationName, readonly Term[], string | undefined]>([
    ["add", [i, n], "i + n"],
    ["subtract", [i, n], "i - n"],
    ["multiply", [i, n], "i * n"],
    ["negate", [i], "-i"],
    ["max", [i, n], "max(i, n)"],
    ["min", [i, n], "min(i, n)"],
    ["clamp", [i, constant(0), n], "min(n, max(i, 0))"],
    ["divide", [i, constant(3)], "i / 3"],
    ["remainder", [constant(7), constant(3)], "1"],
    ["divide", [constant(7), constant(3)], "2"],
    ["power", [i, n], undefined],
    ["abs", [i], undefined],
  ])("%s", (operation, operands, shown) => {
    expect(given(operation, operands)).toBe(shown);
  });

  it("has no quotient of what may be negative, nor by what may be 0", () => {
    for (const operation of ["divide", "remainder"] as const) {
      expect(given(operation, [i, n], { isNonNegative: () => false })).toBeUndefined();
      expect(given(operation, [i, n], { isPositive: () => false })).toBeUndefined();
      expect(
        given(operation, [i, n], {
          isNonNegative: (term) => term === i,
          isPositive: (term) => term === n,
        }),
      ).toBeDefined();
    }
  });

  it("has no term for what may wrap, nor for what no number holds exactly", () => {
    expect(given("add", [i, n], { fits: () => false })).toBeUndefined();
    expect(given("multiply", [constant(2 ** 52), constant(4)])).toBeUndefined();
  });
});

describe("what is an i32", () => {
  it.each<[Term, boolean]>([
    [constant(2 ** 31 - 1), true],
    [constant(2 ** 31), false],
    [constant(-(2 ** 31)), true],
    [constant(-(2 ** 31) - 1), false],
    [i, true],
    [add(i, constant(2 ** 30 - 1)), true],
    [add(i, constant(2 ** 30)), false],
    [add(i, constant(-(2 ** 30))), false],
    [scale(i, 8), true],
    [scale(i, 9), false],
    [scale(i, -9), false],
    [add(n, scale(i, 9)), false],
    [multiply(i, n), true],
  ])("at sight, number %#", (term, small) => {
    expect(isSmall(term, 8)).toBe(small);
  });

  it("or by what is known, above and below", () => {
    const far = scale(i, 2 ** 20);
    const [above, below] = [nonNegative(i), atMost(i, constant(2047))];
    expect(fitsI32(far, [above, below])).toBe(true);
    expect(fitsI32(far, [above, atMost(i, constant(2048))])).toBe(false);
    expect(fitsI32(far, [above])).toBe(false);
    expect(fitsI32(far, [below])).toBe(false);
    expect(fitsI32(scale(i, 2 ** 10), [])).toBe(true);
  });
});
