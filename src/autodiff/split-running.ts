// Running sums of expressions, split into the expression and its running sum before they are differentiated.
//
//   y[i] = sum[k in 0..i + 1](a[k]·b[k])   is   t[k] = a[k]·b[k],   y[i] = sum[k in 0..i + 1](t[k])
//
// Each term is added once for all cells (cost/running.ts), and so is what comes back to it, d_t[k] = Σ { i ≥ k } d_y[i]: that does not depend on what the
// term is made of. Sent back to a[k] at once, each cell's gradient would be multiplied by b[k] for every pair of a cell and a term, which makes linear work
// quadratic. What is summed beside the term is summed before: it belongs to the term.

import { direction } from "../ir/affine/direction.ts";
import { holds, nonNegative, within, type Fact } from "../ir/affine/prove.ts";
import { constantOf, maximum, ofVariable, plus, zero, type Term, type Variable } from "../ir/affine/term.ts";
import { coefficientOf, substitute, variablesOf } from "../ir/affine/visit.ts";
import { halfOf } from "../ir/cost/points.ts";
import { runningNest, type Nest } from "../ir/cost/running.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { reachable } from "../ir/schedule.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { conjuncts, usesAny } from "../ir/ties.ts";
import type { Reduction } from "./box.ts";
import { countedFromStart, freshLoops, isClosed, termOf, type Define } from "./cells.ts";
import { setBefore } from "./formulas.ts";

/** Rewrites the clauses of a definition in place, and gives the definitions that they read instead, those that others read first. */
export function splitRunning(definition: Definition, known: readonly Fact[], define: Define): readonly Definition[] {
  if (!isFloat(definition.element) || definition.rule) return [];
  const made: Definition[] = [];
  const clauses = definition.clauses.map((clause) => {
    const { body } = clause;
    const nest = body.kind === "reduce" && clause.guards.length === 0 ? termsOf(clause, body) : undefined;
    // A part of a recurrence would have to join it.
    if (!nest || reachable([...readsOf(definition)]).includes(definition)) return clause;
    const { split, part } = sumOfParts(definition, clause, body as Reduction, nest, known, define);
    made.push(...splitRunning(part, known, define), part);
    setBefore(split, clause);
    return split;
  });
  if (made.length > 0) definition.clauses = clauses;
  return made;
}

/** The terms of a running sum that are more than cells as they are; nothing for other reductions. */
function termsOf(clause: Clause, body: Reduction): Nest | undefined {
  if (body.reduction !== "sum" && !(body.reduction === "mean" && body.loops.length === 1)) return undefined;
  const nest = runningNest(clause, body);
  if (!nest) return undefined;
  const { side, moving, whole } = nest;
  const isBesideTerms = (guard: Scalar): boolean => usesAny(guard, [side]) && !usesAny(guard, body.loops);
  if (body.guards.flatMap(conjuncts).some(isBesideTerms)) return undefined;
  if (![...clause.loops, whole].every((loop) => isClosed(loop, [...clause.loops, ...body.loops]))) return undefined;
  return body.loops.length === 1 && isPlain(body.value, moving.variable) ? undefined : nest;
}

/** Cells that are added up and taken away, each read once along the walk: what comes back to them does not depend on where they are. */
function isPlain(value: Scalar, along: Variable): boolean {
  if (value.kind === "apply" && ["add", "subtract", "negate"].includes(value.operation))
    return value.operands.every((operand) => isPlain(operand, along));
  if (value.kind !== "read") return false;
  const terms = value.indices.map((index) => (index.kind === "integer" ? index.term : undefined));
  const walked = terms.filter((term) => term && variablesOf(term).has(along));
  const slope = walked.length === 1 ? coefficientOf(walked[0]!, along) : undefined;
  return !terms.includes(undefined) && slope !== undefined && Math.abs(constantOf(slope) ?? 0) === 1;
}

function sumOfParts(
  definition: Definition,
  clause: Clause,
  body: Reduction,
  { side, moving, whole }: Nest,
  known: readonly Fact[],
  define: Define,
): { readonly split: Clause; readonly part: Definition } {
  const { span } = body;
  const inner = body.loops.filter((loop) => loop !== moving);
  const conditions = body.guards.flatMap(conjuncts);
  const behind = conditions.filter((guard) => usesAny(guard, inner));
  const tests = conditions.filter((guard) => !usesAny(guard, inner));
  // Where no cell has a term there may be nothing to compute it from.
  const reached = tests.flatMap((guard) => (usesAny(guard, [side]) ? reachedBy(guard, side, whole, known) : [guard]));
  const isUsed = (loop: Loop): boolean =>
    [body.value, ...conditions, ...inner.flatMap(({ from, to }) => [from, to])].some((each) => usesAny(each, [loop]));
  const kept = clause.loops.flatMap((loop) => (loop === side ? [whole] : isUsed(loop) ? [loop] : []));
  const by = new Map<Variable, Scalar>();
  const { loops, axes, indices } = countedFromStart(kept, by);
  const guards = reached.map((guard) => instantiate(guard, by));
  const summed = freshLoops(inner, by);
  const [value, ...filters] = [body.value, ...behind].map((scalar) => instantiate(scalar, by));
  const extents = axes.map((axis) => ({ ...axis, extent: notNegative(axis.extent, known) }));
  const own: Clause = {
    loops,
    guards,
    body:
      summed.length > 0 ? { ...body, loops: summed, guards: filters, value: value! } : { kind: "map", value: value! },
    span: clause.span,
  };
  const part = define(`${definition.name}_term`, definition.element, extents, [own], span);
  const read: Scalar = { kind: "read", type: part.element, definition: part, indices, span };
  return { part, split: { ...clause, body: { ...body, loops: [moving], guards: tests, value: read } } };
}

/** The condition that some cell has a term, of one that a cell has it: there where the cell that reaches furthest stands. */
function reachedBy(guard: Scalar, side: Loop, whole: Loop, known: readonly Fact[]): readonly Scalar[] {
  const half = halfOf(guard)!;
  const furthest = direction(half, side.variable) === 1 ? plus(termOf(side.to), -1) : termOf(side.from);
  const reached = substitute(half, new Map([[side.variable, furthest]]));
  const inside = within(ofVariable(whole.variable), { from: termOf(whole.from), to: termOf(whole.to) });
  if (holds(nonNegative(reached), [...known, ...inside])) return [];
  return [instantiate(guard, new Map([[side.variable, integerScalar(furthest)]]))];
}

function notNegative(extent: Term, known: readonly Fact[]): Term {
  return holds(nonNegative(extent), known) ? extent : maximum(zero, extent);
}
