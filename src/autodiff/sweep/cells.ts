// Cells and loops: new definitions, reading the cell at some coordinates, loops over all cells or
// under fresh names, clauses that reach every cell.

import {
  add,
  equal,
  ofVariable,
  renewed,
  subtract,
  variable,
  zero,
  type Term,
} from "../../affine/term.ts";
import type { Axis, Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { instantiateLoop, integerScalar, coordinateScalar } from "../../ir/substitute.ts";
import { usesAny } from "../../analyse/ties.ts";
import type { ElementType } from "../../scalar/types.ts";
import type { Span } from "../../base/source.ts";

/** Makes definitions for what a rule needs beside the primal. */
export type Define = (
  name: string,
  element: ElementType,
  axes: readonly Axis[],
  clauses: readonly Clause[],
  span: Span,
) => Definition;

export function readCell(
  definition: Definition,
  loops: readonly Loop[],
  span: Span,
): Extract<Scalar, { kind: "read" }> {
  const indices = loops.map(coordinateScalar);
  return { kind: "read", type: definition.element, definition, indices, span };
}

/** The same loops under fresh names, and what they replace. */
export function freshLoops(
  loops: readonly Loop[],
  by: Map<Loop["variable"], Scalar>,
): readonly Loop[] {
  return loops.map((loop) => {
    const made: Loop = { ...instantiateLoop(loop, by), variable: renewed(loop.variable) };
    by.set(loop.variable, coordinateScalar(made));
    return made;
  });
}

/**
 * Loops of what is made for a recurrence, which may run against it: the adjoint of what goes down
 * goes up.
 */
export function eitherWay(loops: readonly Loop[]): readonly Loop[] {
  return loops.map((loop) => ({ ...loop, reversed: false }));
}

/** Cells that are counted from the start of each range. */
export interface Counted {
  readonly loops: readonly Loop[];
  readonly axes: readonly Axis[];
  /** Where the cell at the coordinates of the ranges is. */
  readonly indices: readonly Scalar[];
}

/** The same positions counted from 0, for ranges that are integers, and what they replace. */
export function countedFromStart(
  ranges: readonly Loop[],
  by: Map<Loop["variable"], Scalar>,
): Counted {
  const starts = ranges.map(({ from }) => termOf(from));
  const axes = ranges.map(({ variable: { name }, to }, k): Axis => ({
    name,
    extent: subtract(termOf(to), starts[k]!),
  }));
  const loops = ranges.map((range, k): Loop => {
    const v = renewed(range.variable);
    by.set(range.variable, integerScalar(add(ofVariable(v), starts[k]!)));
    return {
      variable: v,
      from: integerScalar(zero),
      to: integerScalar(axes[k]!.extent),
      reversed: false,
    };
  });
  const indices = ranges.map((range, k) =>
    integerScalar(subtract(ofVariable(range.variable), starts[k]!)),
  );
  return { loops, axes, indices };
}

/** A bound that is an integer. */
export function termOf(bound: Scalar): Term {
  return (bound as Extract<Scalar, { kind: "integer" }>).term;
}

/**
 * One clause of several does not reach every cell; the others get a value that nobody reads, so
 * that all are defined.
 */
export function everywhere(
  definition: Definition,
  axes: readonly Axis[],
  own: Clause,
  rest: Scalar,
): Clause[] {
  if (definition.clauses.length === 1) return [own];
  const { span } = definition;
  const filling = besides(axes, own.loops).map((loops): Clause => ({
    loops,
    guards: [],
    body: { kind: "map", value: rest },
    span,
  }));
  return [...filling, own.guards.length > 0 ? { otherwise: rest, ...own } : own];
}

/**
 * Loops over the cells that some loops do not reach; over all of them where that is not a matter of
 * integers alone.
 */
export function besides(
  axes: readonly Axis[],
  loops: readonly Loop[],
): readonly (readonly Loop[])[] {
  if (!loops.every((loop) => isClosed(loop, loops))) return [wholeLoops({ axes })];
  const slab = (axis: number, from: Scalar, to: Scalar): readonly Loop[] =>
    wholeLoops({ axes }).map((loop, k) => (k === axis ? { ...loop, from, to } : loop));
  return loops.flatMap(({ from, to }, k) => [
    ...(equal(termOf(from), zero) ? [] : [slab(k, integerScalar(zero), from)]),
    ...(equal(termOf(to), axes[k]!.extent) ? [] : [slab(k, to, integerScalar(axes[k]!.extent))]),
  ]);
}

/** Whether the range of a loop is made of integers that no other one moves. */
export function isClosed({ from, to }: Loop, loops: readonly Loop[]): boolean {
  return (
    from.kind === "integer" && to.kind === "integer" && !usesAny(from, loops) && !usesAny(to, loops)
  );
}

export function newDefinition(
  name: string,
  element: ElementType,
  axes: readonly Axis[],
  clauses: readonly Clause[],
  span: Span,
): Definition {
  // It has a cell wherever the longest row has one: what nothing moves is 0.
  return {
    name,
    element,
    axes: axes.map(withoutRows),
    origin: "helper",
    outer: 0,
    clauses,
    needs: new Set(),
    span,
  };
}

function withoutRows(axis: Axis): Axis {
  const { ragged, ...whole } = axis;
  return ragged ? whole : axis;
}

/** Loops over every cell of a definition. */
export function wholeLoops({ axes }: Pick<Definition, "axes">): readonly Loop[] {
  return axes.map((axis, k) => ({
    variable: variable(axis.name ?? "ijklmnpq"[k] ?? "i"),
    from: integerScalar(zero),
    to: integerScalar(axis.extent),
    reversed: false,
  }));
}

export function asType(value: Scalar, type: ElementType): Scalar {
  return value.type === type ? value : { kind: "cast", type, operand: value };
}
