// What the cells of a clause are made of, one rule for each reduction: a scalar to linearize, the
// loops it is summed over, and the factor that the reduction puts before its derivative.
//
//   y = Σ f          dy = Σ df
//   y = mean f       dy = Σ df / count
//   y = max f        dy = df at the winner, which the forward pass keeps (values are never compared again)
//   y = Π f          dy = Σₖ (product of the others)·dfₖ, by exclusive prefix and suffix products: exact with any number of zeros
//   y = fⁿ           dy = n·fⁿ⁻¹·df, where data says how often one factor is multiplied
//   y = log Σ exp f  dy = Σ exp(f - y)·df, and 0 where y is -∞
//
// Products and log-sum-exps that go on from cell to cell are recurrences here.

import { constant, multiply, zero } from "../../affine/term.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { instantiate, integerScalar } from "../../ir/substitute.ts";
import type { FloatType } from "../../scalar/types.ts";
import type { Span } from "../../base/source.ts";
import { dependOnOneAnother, sizeOf, type Reduction } from "../transpose/box.ts";
import { definedEverywhere, freshLoops, readCell, type Define } from "../sweep/cells.ts";
import { othersOf, unshared, type Others } from "./other-factors.ts";
import { isPower, powerTerm } from "./powers.ts";
import { algebraOf, one, type Conditioned } from "../scalar/products.ts";
import { runningTerms, type Running } from "./running.ts";
import { winningTerm } from "./winners.ts";

export interface Term {
  readonly value: Scalar;
  /** The clause's own loops, then those that are summed. */
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  /** What the reduction multiplies the derivative of `value` by. */
  readonly factor: Conditioned;
  /**
   * The same factors times the gradient that comes in, where that takes less work than to multiply
   * by it.
   */
  readonly incoming?: (gradient: Scalar, name: string) => readonly Scalar[];
  /** The finished value, where `value` is all of the cell. */
  readonly result?: Scalar;
  readonly span: Span;
}

/** The terms of a clause; undefined for a reduction that has no derivative. */
export function termsOf(
  definition: Definition,
  clause: Clause,
  define: Define,
  running?: Running,
  rule: () => Others = () =>
    othersOf(definition, clause, unshared(clause).body as Reduction, define),
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
      const { others, times, factor } = rule();
      const kept = factor ? { result: factor } : {};
      return [
        {
          ...summed,
          ...kept,
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

/** How many elements passed the guards, as a float. */
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
