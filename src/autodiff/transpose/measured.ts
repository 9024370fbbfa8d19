// Integer bounds for ranges that only data bounds. The least start and the greatest end over all
// cells are scalars, which are computed first:
//
//    prod[k in 0..n[i]](m)   runs within   0..most,   most = max(0, max[i](n[i]))
//
// Definitions that a rule keeps for each position have an axis of that extent. The ranges of a
// recurrence that bounds them itself cannot be measured first. They are loops (own-bounds.ts).

import type { Range } from "../../affine/range.ts";
import { ofVariable, variable, type Term as Integer, type Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { newOpaque } from "../../analyse/facts.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { readsOfFunction } from "../../ir/references.ts";
import { reachable } from "../../analyse/schedule.ts";
import { instantiate } from "../../ir/substitute.ts";
import type { Reduction } from "./box.ts";
import { freshLoops, readCell, type Define } from "../sweep/cells.ts";
import { ownershipGuards } from "../sweep/ownership.ts";
import { applied } from "../../ir/simple-scalars.ts";

const measured = new WeakMap<Variable, Definition>();

/** The scalar that a rule has measured as the value of a variable. */
export function measuredBy(v: Variable): Definition | undefined {
  return measured.get(v);
}

/** A function that measures the ranges of a reduction. */
export function measuring(
  definition: Definition,
  clause: Clause,
  body: Reduction,
  define: Define,
): (loop: Loop) => Range {
  return (loop) => {
    const before = body.loops.slice(0, body.loops.indexOf(loop));
    const end = (bound: Scalar, extreme: "min" | "max"): Integer => {
      const around = [...clause.loops, ...before];
      const isMoved = (v: Variable): boolean => around.some((each) => each.variable === v);
      if (bound.kind === "integer" && ![...variablesOf(bound.term)].some(isMoved))
        return bound.term;
      const made = extremeOf(definition, clause, around, bound, extreme, define);
      const v = variable(made.name);
      measured.set(v, made);
      return ofVariable(v);
    };
    return { from: end(loop.from, "min"), to: end(loop.to, "max") };
  };
}

/**
 * The least start, at most 0, or the greatest end, at least 0. The extreme of no cells is infinite,
 * so it is a float. Combined with 0, it is finite, and becomes an integer.
 */
function extremeOf(
  definition: Definition,
  clause: Clause,
  around: readonly Loop[],
  bound: Scalar,
  extreme: "min" | "max",
  define: Define,
): Definition {
  const { span } = clause;
  const by = new Map<Variable, Scalar>();
  const loops = freshLoops(around, by);
  // A clause that replaces another one has the same loops, so the position is found by the loops.
  const position = definition.clauses.findIndex((each) => each.loops === clause.loops);
  const owned = position < 0 ? [] : ownershipGuards(newOpaque(), definition, position, []);
  const guards = [...owned, ...clause.guards]
    .filter((guard) => canBeComputedBefore(guard, definition))
    .map((guard) => instantiate(guard, by));
  const value: Scalar = { kind: "cast", type: "f64", operand: instantiate(bound, by) };
  const name = `${definition.name}_${extreme === "max" ? "most" : "least"}`;
  const scalar = (
    element: Definition["element"],
    body: Clause["body"],
    tests: readonly Scalar[],
  ): Definition => define(name, element, [], [{ loops: [], guards: tests, body, span }], span);
  const extremeOfCells =
    loops.length > 0
      ? scalar("f64", { kind: "reduce", reduction: extreme, loops, guards, value, span }, [])
      : scalar("f64", { kind: "map", value }, guards);
  const none: Scalar = { kind: "constant", type: "f64", value: 0 };
  const held = applied(extreme, [readCell(extremeOfCells, [], span), none], span);
  return scalar("i32", { kind: "map", value: { kind: "cast", type: "i32", operand: held } }, []);
}

/** Can the scalar be computed before any cell of the definition? */
export function canBeComputedBefore(scalar: Scalar, definition: Definition): boolean {
  const reads = new Set<Definition>();
  eachScalar(scalar, (part) => {
    if (part.kind === "read") reads.add(part.definition);
    if (part.kind === "call")
      for (const read of readsOfFunction(part.invocation.function)) reads.add(read);
  });
  return !reachable([...reads]).includes(definition);
}
