// The rule of powers: products of equal factors over a range that data bounds.
//
//    y = prod[k in a..b](f) = fⁿ,  n = b - a      dy = n·fⁿ⁻¹·df if n > 0
//    fⁿ⁻¹ = prod[k in a + 1..b](f)
//
// The rule does not divide, and keeps nothing for each factor. It takes one more product, which has
// the same rule for its own derivatives.

import { constant, constantOf, plus } from "../../affine/term.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import type { FloatType } from "../../scalar/types.ts";
import { instantiate, integerScalar, arithmetic } from "../../ir/substitute.ts";
import { usesAny } from "../../analyse/ties.ts";
import { compared } from "../../ir/integers.ts";
import type { Span } from "../../base/source.ts";
import type { Reduction } from "../transpose/box.ts";
import { definedEverywhere, freshLoops, readCell, type Define } from "../sweep/cells.ts";
import { algebraOf, one } from "../scalar/products.ts";
import type { Term } from "./terms.ts";

/** Does a product multiply a factor with itself, as often as data says? */
export function isPower({ reduction, loops, guards, value }: Reduction): boolean {
  const [only, another] = loops;
  if (
    reduction !== "prod" ||
    another ||
    [only!.from, only!.to].every(({ kind }) => kind === "integer")
  )
    return false;
  return ![value, ...guards].some((scalar) => usesAny(scalar, loops));
}

export function powerTerm(
  definition: Definition,
  clause: Clause,
  body: Reduction,
  define: Define,
): Term {
  const { span, value } = body;
  const [{ from, to }] = body.loops as readonly [Loop];
  const by = new Map<Loop["variable"], Scalar>();
  const loops = freshLoops(clause.loops, by);
  const [inner] = freshLoops(body.loops, by);
  const oneFactorLess: Clause = {
    loops,
    guards: clause.guards.map((guard) => instantiate(guard, by)),
    body: {
      ...body,
      loops: [{ ...inner!, from: nextPosition(inner!.from, span) }],
      guards: body.guards.map((guard) => instantiate(guard, by)),
      value: instantiate(value, by),
    },
    span,
  };
  const unit = algebraOf(definition.element as FloatType, span).number(1);
  const clauses = definedEverywhere(definition, definition.axes, oneFactorLess, unit);
  const others = define(
    `${definition.name}_others`,
    definition.element,
    definition.axes,
    clauses,
    span,
  );
  const count: Scalar = {
    kind: "cast",
    type: definition.element,
    operand: difference(to, from, span),
  };
  const exists = compared("less", from, to, span);
  return {
    value,
    loops: clause.loops,
    guards: [...clause.guards, ...body.guards, exists],
    factor: {
      product: { ...one, factors: [count, readCell(others, clause.loops, span)] },
      conditions: [],
    },
    span,
  };
}

/** The position after another one. */
function nextPosition(position: Scalar, span: Span): Scalar {
  if (position.kind === "integer") return integerScalar(plus(position.term, 1));
  return arithmetic("add", position, integerScalar(constant(1)), span);
}

function difference(a: Scalar, b: Scalar, span: Span): Scalar {
  if (b.kind === "integer" && constantOf(b.term) === 0) return a;
  return arithmetic("subtract", a, b, span);
}
