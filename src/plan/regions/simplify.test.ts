// Compares simplified terms and scalars with a plain evaluation.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newMachine } from "../../backends/interpret/machine.ts";
import { compile } from "../../backends/interpret/scalars/scalars.ts";
import { box, sampleOver, type Assignment } from "../../../test/support/affine.ts";
import { ofVariable, variable, type Variable } from "../../affine/term.ts";
import { evaluate } from "../../affine/visit.ts";
import type { Scalar } from "../../ir/program.ts";
import type { OperationName } from "../../scalar/operations.ts";
import type { ElementType } from "../../scalar/types.ts";
import { integerScalar } from "../../ir/substitute.ts";
import { valueOf } from "../../analyse/can-fail.ts";
import { simplify, simplifyTerm, type Place } from "./simplify.ts";

const [i, j] = [variable("i"), variable("j")];
const [low, high] = [-2, 3];
const known = new Map([i, j].map((v) => [v, { least: low, most: high }]));
const place = (): Place => ({ known, typeOf: (type) => type, locals: new Map() });
const span = { source: { name: "test", text: "" }, start: 0, end: 0 };

const apply = (
  operation: OperationName,
  within: ElementType,
  type: ElementType,
  ...operands: Scalar[]
): Scalar => ({
  kind: "apply",
  operation,
  within,
  type,
  operands,
  span,
});

/** Integers, comparisons of integers, and choices between them. */
function scalarOver(variables: readonly Variable[]): fc.Arbitrary<Scalar> {
  const integers = sampleOver(variables).map(({ term }) => integerScalar(term));
  const pair = fc.tuple(integers, integers);
  const arithmetic = fc
    .tuple(fc.constantFrom<OperationName>("add", "subtract", "multiply", "max", "min"), pair)
    .map(([operation, [a, b]]) => apply(operation, "i32", "i32", a, b));
  const quotient = fc
    .tuple(
      fc.constantFrom<OperationName>("divide", "remainder"),
      integers,
      fc.constantFrom(-3, -1, 1, 2, 5),
    )
    .map(([operation, a, by]) =>
      apply(operation, "i32", "i32", a, { kind: "constant", type: "i32", value: by }),
    );
  const number = fc.oneof(integers, arithmetic, quotient);
  const compared = fc
    .tuple(
      fc.constantFrom<OperationName>(
        "less",
        "lessEqual",
        "greater",
        "greaterEqual",
        "equal",
        "notEqual",
      ),
      number,
      number,
    )
    .map(([operation, a, b]) => apply(operation, "i32", "bool", a, b));
  const logic = fc
    .tuple(fc.constantFrom<OperationName>("and", "or"), compared, compared)
    .map(([operation, a, b]) => apply(operation, "bool", "bool", a, b));
  const condition = fc.oneof(
    compared,
    logic,
    compared.map((a) => apply("not", "bool", "bool", a)),
  );
  return fc.oneof(
    number,
    condition,
    fc.tuple(condition, number, number).map(([test, then, otherwise]): Scalar => ({
      kind: "select",
      type: "i32",
      condition: test,
      then,
      otherwise,
    })),
    number.map((operand): Scalar => ({ kind: "cast", type: "f32", operand })),
  );
}

function valueAt(scalar: Scalar, at: Assignment): unknown {
  const machine = newMachine({ f64: false, maxBytes: 0 });
  for (const v of [i, j]) machine.values[machine.slotOf(v)] = at(v);
  return compile(machine, scalar)();
}

describe("simplification", () => {
  test("keeps the value of a term at every position", () => {
    fc.assert(
      fc.property(sampleOver([i, j]), ({ term, value }) => {
        const simpler = simplifyTerm(term, known);
        for (const at of box([i, j], low, high)) expect(evaluate(simpler, at)).toBe(value(at) + 0);
      }),
    );
  });

  test("keeps the value of a scalar at every position", () => {
    fc.assert(
      fc.property(scalarOver([i, j]), (scalar) => {
        const simpler = simplify(scalar, place());
        for (const at of box([i, j], low, high))
          expect(valueAt(simpler, at)).toEqual(valueAt(scalar, at));
      }),
    );
  });

  test("decides guards and folds constants", () => {
    const at = (value: number): Scalar => ({ kind: "constant", type: "i32", value });
    const here = integerScalar(ofVariable(i));
    expect(valueOf(simplify(apply("less", "i32", "bool", here, at(4)), place()))).toBe(true);
    expect(valueOf(simplify(apply("less", "i32", "bool", here, at(3)), place()))).toBeUndefined();
    expect(valueOf(simplify(apply("multiply", "i32", "i32", at(6), at(7)), place()))).toBe(42);
    // A division by 0 is not folded, so that the run reports it.
    expect(valueOf(simplify(apply("divide", "i32", "i32", at(6), at(0)), place()))).toBeUndefined();
    const half: Scalar = { kind: "constant", type: "f32", value: 0.1 };
    expect(valueOf(simplify(apply("add", "f32", "f32", half, half), place()))).toBe(
      Math.fround(Math.fround(0.1) * 2),
    );
  });

  test("make a product of a quotient where it has the same bits", () => {
    const x: Scalar = { kind: "cast", type: "f32", operand: integerScalar(ofVariable(i)) };
    const by = (value: number): Scalar =>
      simplify(apply("divide", "f32", "f32", x, { kind: "constant", type: "f32", value }), place());
    for (const power of [1024, 0.5, -4, 2 ** 126, 2 ** -126])
      expect(by(power)).toMatchObject({
        operation: "multiply",
        operands: [x, { value: 1 / power }],
      });
    for (const other of [3, 0, -0, Infinity, NaN, 2 ** 127, 2 ** -149])
      expect(by(other)).toMatchObject({ operation: "divide" });
  });
});
