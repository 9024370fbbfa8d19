// This folder has the derivative rules of reductions. The rules of single operations are in the
// table of operations (`src/scalar/operations.ts`), and the search for coefficients is in `scalar`.
//
// Each rule describes the cells of a clause by terms: a scalar to linearize, the loops of its sum,
// and the factor that the reduction puts before its derivative.
//
//    y = Σ f          dy = Σ df
//    y = mean f       dy = Σ df / count
//    y = max f        dy = df at the winner, which the forward pass keeps
//    y = Π f          dy = Σₖ (product of the other factors)·dfₖ
//    y = fⁿ           dy = n·fⁿ⁻¹·df, where data gives the number of equal factors
//    y = log Σ exp f  dy = Σ exp(f - y)·df, and 0 where y is -∞
//
// Values are never compared again to find a winner. The product of the other factors is made of
// exclusive prefix and suffix products, so it is exact with any number of zeros. A product or
// log-sum-exp that goes on from cell to cell is differentiated as a recurrence (running.ts).

import { constant, multiply, zero } from "../../affine/term.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { instantiate, integerScalar } from "../../ir/substitute.ts";
import type { FloatType } from "../../scalar/types.ts";
import type { Span } from "../../base/source.ts";
import { dependOnOneAnother, sizeOf, type Reduction } from "../transpose/box.ts";
import { definedEverywhere, freshLoops, readCell, type Define } from "../sweep/cells.ts";
import { otherFactorsOf, unshared, type Others } from "./other-factors.ts";
import { isPower, powerTerm } from "./powers.ts";
import { algebraOf, one, type Conditioned } from "../scalar/products.ts";
import { runningTerms, type Running } from "./running.ts";
import { winningTerm } from "./winners.ts";

export interface Term {
  readonly value: Scalar;
  /** The loops of the clause, and then those of the sum. */
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  /** The factor that multiplies the derivative of `value`. */
  readonly factor: Conditioned;
  /**
   * The same factors times the incoming gradient, if that takes less work than a separate
   * multiplication.
   */
  readonly incoming?: (gradient: Scalar, name: string) => readonly Scalar[];
  /** A read of the finished value, if `value` is the whole cell. */
  readonly result?: Scalar;
  readonly span: Span;
}

/** The terms of a clause. `undefined`: the reduction has no derivative. */
export function termsOf(
  definition: Definition,
  clause: Clause,
  define: Define,
  running?: Running,
  otherFactors: () => Others = () =>
    otherFactorsOf(definition, clause, unshared(clause).body as Reduction, define),
): readonly Term[] | undefined {
  if (running) return runningTerms(running, definition, clause);
  const { body } = unshared(clause);
  const cell: Scalar = readCell(definition, clause.loops, clause.span);
  const plain: Conditioned = { product: one, conditions: [] };
  if (body.kind === "map") {
    return [
      {
        value: body.value,
        loops: clause.loops,
        guards: clause.guards,
        factor: plain,
        result: cell,
        span: clause.span,
      },
    ];
  }
  const summed = {
    value: body.value,
    loops: [...clause.loops, ...body.loops],
    guards: [...clause.guards, ...body.guards],
    span: body.span,
  };
  switch (body.reduction) {
    case "sum":
      return [{ ...summed, factor: plain }];
    case "mean":
      return [
        {
          ...summed,
          factor: {
            product: { ...one, divisors: [countOf(definition, clause, body, define)] },
            conditions: [],
          },
        },
      ];
    case "logsumexp": {
      const algebra = algebraOf(body.value.type as FloatType, body.span);
      const weight = algebra.apply("exp", algebra.apply("subtract", body.value, cell));
      const bottom = algebra.apply("equal", cell, algebra.number(-Infinity));
      return [
        {
          ...summed,
          factor: {
            product: { ...one, factors: [weight] },
            conditions: [{ value: bottom, holds: false }],
          },
        },
      ];
    }
    case "prod": {
      if (isPower(body)) return [powerTerm(definition, clause, body, define)];
      const { others, times, factor } = otherFactors();
      const result = factor ? { result: factor } : {};
      return [
        {
          ...summed,
          ...result,
          factor: { product: { ...one, factors: others }, conditions: [] },
          incoming: times,
        },
      ];
    }
    case "max":
    case "min":
      return [winningTerm(definition, clause, body, define)];
    case "argmax":
    case "argmin":
    case "any":
    case "all":
    case "count":
      return undefined;
    default:
      return body.reduction satisfies never;
  }
}

/** The number of elements that pass the guards, as a float. */
function countOf(definition: Definition, clause: Clause, body: Reduction, define: Define): Scalar {
  const type = definition.element;
  const sizes = dependOnOneAnother(body.loops) ? [undefined] : body.loops.map(sizeOf);
  const asFloat = (operand: Scalar): Scalar => ({ kind: "cast", type, operand });
  if (body.guards.length === 0 && sizes.every((size) => size !== undefined)) {
    return asFloat(integerScalar(sizes.reduce((a, b) => multiply(a, b), constant(1))));
  }
  const by = new Map<Loop["variable"], Scalar>();
  const loops = freshLoops(clause.loops, by);
  const inner = freshLoops(body.loops, by);
  const yes: Scalar = { kind: "constant", type: "bool", value: true };
  const guards = body.guards.map((guard) => instantiate(guard, by));
  const own: Clause = {
    loops,
    guards: clause.guards.map((guard) => instantiate(guard, by)),
    body: { kind: "reduce", reduction: "count", loops: inner, guards, value: yes, span: body.span },
    span: clause.span,
  };
  const { axes } = definition;
  const clauses = definedEverywhere(definition, axes, own, integerScalar(zero));
  const counted = define(`${definition.name}_count`, "i32", axes, clauses, clause.span);
  return asFloat(readCell(counted, clause.loops, body.span));
}
