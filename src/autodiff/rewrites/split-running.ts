// Running sums of expressions, split into the expression and its running sum before they are
// differentiated.
//
//   y[i] = sum[k in 0..i + 1](a[k]·b[k])   is   t[k] = a[k]·b[k],   y[i] = sum[k in 0..i + 1](t[k])
//
// Each term is added once for all cells (cost/running.ts), and so is what comes back to it, d_t[k]
// = Σ { i ≥ k } d_y[i]: that does not depend on what the term is made of. Sent back to a[k] at
// once, each cell's gradient would be multiplied by b[k] for every pair of a cell and a term, which
// makes linear work quadratic. What is summed beside the term is summed before: it belongs to the
// term.
//
// Where another coordinate of the cell bounds the range at its other end, its terms are those of
// that coordinate: a sum for each pair of them comes back to them,
//
//   y[i, j] = sum[k in i..j + 1](a[k])   is
//   t[i, k] = a[k] where i <= k,   y[i, j] = sum[k in i..j + 1](t[i, k])
//
// and not one for each pair of ends around a term: d_t[i, k] = Σ { j ≥ k } d_y[i, j],  d_a[k] = Σ {
// i ≤ k } d_t[i, k].

import { isOff } from "../../ir/rewrites.ts";
import { direction } from "../../affine/direction.ts";
import { holds, nonNegative, within, type Fact } from "../../affine/prove.ts";
import {
  constantOf,
  maximum,
  ofVariable,
  plus,
  zero,
  type Term,
  type Variable,
} from "../../affine/term.ts";
import { coefficientOf, substitute, variablesOf } from "../../affine/visit.ts";
import { halfOf } from "../../cost/points.ts";
import { exceeds, ofTerm, scaled, type Polynomial } from "../../cost/polynomial.ts";
import { isOneStep, runningNests, type Nest } from "../../cost/running.ts";
import { compared } from "../../ir/integers.ts";
import { isOfCoordinates } from "../../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { isFloat } from "../../scalar/types.ts";
import { instantiate, integerScalar, coordinateScalar } from "../../ir/substitute.ts";
import { conjuncts, usesAny } from "../../analyse/ties.ts";
import { sizeOf, type Reduction } from "../transpose/box.ts";
import { freshLoops, isClosed, termOf, type Define } from "../sweep/cells.ts";
import { placeBeside, placeOfOwn } from "./expression-parts.ts";
import { setBefore } from "../sweep/formulas.ts";
import { isRecurrent } from "../../analyse/schedule.ts";

/**
 * Rewrites the clauses of a definition in place, and gives the definitions that they read instead,
 * those that others read first.
 */
export function splitRunning(
  definition: Definition,
  known: readonly Fact[],
  define: Define,
): readonly Definition[] {
  if (!isFloat(definition.element) || definition.rule || isOff("split-running")) return [];
  const made: Definition[] = [];
  const clauses = definition.clauses.map((clause) => {
    const { body } = clause;
    const found = body.kind === "reduce" ? termsOf(clause, body) : undefined;
    if (!found) return clause;
    const inSteps = isRecurrent(definition);
    // In a recurrence, the terms are those of one of its steps.
    if (inSteps && !isOneStep(definition, axisOf(found.nest, clause))) return clause;
    const { split, part } = sumOfParts(
      definition,
      clause,
      body as Reduction,
      found,
      inSteps,
      known,
      define,
    );
    made.push(...splitRunning(part, known, define), part);
    setBefore(split, clause);
    return split;
  });
  if (made.length > 0) definition.clauses = clauses;
  return made;
}

/**
 * The terms of a running sum, and the sum in which nothing but one coordinate of the cell moves an
 * end of their range.
 */
interface Terms {
  readonly nest: Nest;
  readonly open: Reduction;
}

/**
 * The terms of a running sum that are more than cells as they are, or are bounded by other
 * coordinates of the cell; nothing for other reductions.
 */
function termsOf(clause: Clause, body: Reduction): Terms | undefined {
  if (body.reduction !== "sum" && !(body.reduction === "mean" && body.loops.length === 1))
    return undefined;
  for (const nest of runningNests(clause, body)) {
    const found = termsAlong(clause, body, nest);
    if (found) return found;
  }
  return undefined;
}

function termsAlong(clause: Clause, body: Reduction, bounded: Nest): Terms | undefined {
  const open = withOpenRange(clause, body, bounded);
  const isSame = ({ side, moving }: Nest): boolean =>
    side.variable === bounded.side.variable && moving.variable === bounded.moving.variable;
  const nest = open && [...runningNests(clause, open)].find(isSame);
  if (!nest) return undefined;
  const { side, moving, whole } = nest;
  const isBesideTerms = (guard: Scalar): boolean =>
    usesAny(guard, [side]) && !usesAny(guard, open.loops);
  if (open.guards.flatMap(conjuncts).some(isBesideTerms)) return undefined;
  if (![...clause.loops, whole].every((loop) => isClosed(loop, [...clause.loops, ...open.loops])))
    return undefined;
  if (!clause.guards.flatMap(conjuncts).every((guard) => goesAlong(guard, nest, open)))
    return undefined;
  // The terms of each pair are no more than the cells, or few times as many.
  if (
    open !== body &&
    exceeds(
      lengthOf(whole),
      scaled(lengthOf(clause.loops.find(({ variable: v }) => v === side.variable)!), 2),
    )
  )
    return undefined;
  const isWhole = open === body && body.loops.length === 1 && isPlain(body.value, moving.variable);
  return isWhole ? undefined : { nest, open };
}

function lengthOf(loop: Loop): Polynomial {
  return ofTerm(sizeOf(loop)!);
}

/**
 * A sum whose range other coordinates of the cell bound at its other end, with guards in the place
 * of that bound.
 */
function withOpenRange(
  { loops }: Clause,
  body: Reduction,
  { side, moving, end }: Nest,
): Reduction | undefined {
  const other = end === "to" ? "from" : "to";
  const bound = moving[other];
  const around = loops.filter((loop) => loop.variable !== side.variable && usesAny(bound, [loop]));
  if (around.length === 0) return body;
  const [only, another] = around;
  if (another || bound.kind !== "integer" || !isClosed(only!, loops)) return undefined;
  const way = direction(bound.term, only!.variable);
  if (!way) return undefined;
  const furthest =
    (way === 1) === (other === "to") ? plus(termOf(only!.to), -1) : termOf(only!.from);
  const opened: Loop = {
    ...moving,
    [other]: integerScalar(substitute(bound.term, new Map([[only!.variable, furthest]]))),
  };
  const at = coordinateScalar(moving);
  const guard =
    other === "from"
      ? compared("lessEqual", bound, at, body.span)
      : compared("less", at, bound, body.span);
  return {
    ...body,
    loops: body.loops.map((loop) => (loop === moving ? opened : loop)),
    guards: [guard, ...body.guards],
  };
}

/**
 * Whether a guard on cells holds in one that has a term, wherever it holds in any: there where the
 * cell that reaches furthest stands.
 */
function goesAlong(guard: Scalar, { side, moving, end }: Nest, { guards }: Reduction): boolean {
  if (!isOfCoordinates(guard)) return false;
  if (!usesAny(guard, [side])) return true;
  const half = halfOf(guard);
  const bound = moving[end];
  const tests = guards
    .flatMap(conjuncts)
    .filter((test) => usesAny(test, [side]))
    .map((test) => halfOf(test)!);
  const way =
    tests.length > 0
      ? direction(tests[0]!, side.variable)
      : bound.kind === "integer"
        ? (direction(bound.term, side.variable) ?? 0) * (end === "to" ? 1 : -1)
        : undefined;
  return half !== undefined && way !== undefined && direction(half, side.variable) === way;
}

/**
 * Cells that are added up and taken away, each read once along the walk: what comes back to them
 * does not depend on where they are.
 */
function isPlain(value: Scalar, along: Variable): boolean {
  if (value.kind === "apply" && ["add", "subtract", "negate"].includes(value.operation))
    return value.operands.every((operand) => isPlain(operand, along));
  if (value.kind !== "read") return false;
  const terms = value.indices.map((index) => (index.kind === "integer" ? index.term : undefined));
  const walked = terms.filter((term) => term && variablesOf(term).has(along));
  const slope = walked.length === 1 ? coefficientOf(walked[0]!, along) : undefined;
  return (
    !terms.includes(undefined) && slope !== undefined && Math.abs(constantOf(slope) ?? 0) === 1
  );
}

function sumOfParts(
  definition: Definition,
  clause: Clause,
  body: Reduction,
  { nest, open }: Terms,
  inSteps: boolean,
  known: readonly Fact[],
  define: Define,
): { readonly split: Clause; readonly part: Definition } {
  const { span } = body;
  const { side, moving, whole } = nest;
  const inner = open.loops.filter((loop) => loop !== moving);
  const conditions = open.guards.flatMap(conjuncts);
  const behind = conditions.filter((guard) => usesAny(guard, inner));
  const tests = conditions.filter((guard) => !usesAny(guard, inner));
  // Where no cell has a term there may be nothing to compute it from.
  const reached = [...clause.guards.flatMap(conjuncts), ...tests].flatMap((guard) =>
    usesAny(guard, [side]) ? reachedBy(guard, side, whole, known) : [guard],
  );
  const isUsed = (loop: Loop): boolean =>
    [body.value, ...reached, ...conditions, ...inner.flatMap(({ from, to }) => [from, to])].some(
      (each) => usesAny(each, [loop]),
    );
  const steps = inSteps ? clause.loops.slice(0, axisOf(nest, clause)) : [];
  const kept = clause.loops.flatMap((loop) =>
    loop.variable === side.variable ? [whole] : steps.includes(loop) || isUsed(loop) ? [loop] : [],
  );
  const along: Clause = { ...clause, body: { ...open, loops: [whole] } };
  const {
    loops,
    axes,
    indices,
    by: places,
    around,
  } = inSteps ? placeBeside(definition, along, kept) : placeOfOwn(kept);
  const by = new Map(places);
  const filtered = reached.map((guard) => instantiate(guard, by));
  const summed = freshLoops(inner, by);
  const [value, ...filters] = [body.value, ...behind].map((scalar) => instantiate(scalar, by));
  const extents = axes.map((axis) => ({ ...axis, extent: notNegative(axis.extent, known) }));
  const terms: Clause = {
    loops,
    guards: filtered,
    body:
      summed.length > 0
        ? { ...body, loops: summed, guards: filters, value: value! }
        : { kind: "map", value: value! },
    span: clause.span,
  };
  const nothing: Scalar = { kind: "constant", type: definition.element, value: 0 };
  const beside = around.map((each): Clause => ({
    loops: each,
    guards: [],
    body: { kind: "map", value: nothing },
    span,
  }));
  const part = define(
    `${definition.name}_term`,
    definition.element,
    extents,
    [...beside, terms],
    span,
  );
  const read: Scalar = { kind: "read", type: part.element, definition: part, indices, span };
  const own = body.loops.filter((loop) => loop.variable === moving.variable);
  const guards = body.guards.flatMap(conjuncts).filter((guard) => tests.includes(guard));
  return { part, split: { ...clause, body: { ...body, loops: own, guards, value: read } } };
}

/** Where the coordinate stands that moves an end of a sum. */
function axisOf({ side }: Nest, { loops }: Clause): number {
  return loops.findIndex((loop) => loop.variable === side.variable);
}

/**
 * The condition that some cell has a term, of one that a cell has it: there where the cell that
 * reaches furthest stands.
 */
function reachedBy(
  guard: Scalar,
  side: Loop,
  whole: Loop,
  known: readonly Fact[],
): readonly Scalar[] {
  const half = halfOf(guard)!;
  const furthest =
    direction(half, side.variable) === 1 ? plus(termOf(side.to), -1) : termOf(side.from);
  const reached = substitute(half, new Map([[side.variable, furthest]]));
  const inside = within(ofVariable(whole.variable), {
    from: termOf(whole.from),
    to: termOf(whole.to),
  });
  if (holds(nonNegative(reached), [...known, ...inside])) return [];
  return [instantiate(guard, new Map([[side.variable, integerScalar(furthest)]]))];
}

function notNegative(extent: Term, known: readonly Fact[]): Term {
  return holds(nonNegative(extent), known) ? extent : maximum(zero, extent);
}
