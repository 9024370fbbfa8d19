// Small parts of definitions: new definitions, reads of a cell, loops over all cells, copies of
// loops, and clauses that define every cell.

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

/** Makes a definition that a derivative needs beside the primal. */
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

/** Copies of the loops with new coordinates. `by` maps the old coordinates to the new ones. */
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

/** The loops without a direction. The adjoint of a recurrence that runs down runs up. */
export function eitherWay(loops: readonly Loop[]): readonly Loop[] {
  return loops.map((loop) => ({ ...loop, reversed: false }));
}

/** Cells that are counted from the start of each range. */
export interface Counted {
  readonly loops: readonly Loop[];
  readonly axes: readonly Axis[];
  /** The indices of the cell, in the coordinates of the ranges. */
  readonly indices: readonly Scalar[];
}

/**
 * The positions of integer ranges, counted from 0: `k in 2..n` becomes `k in 0..n - 2`. `by` maps
 * the old coordinates to the new ones.
 */
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

/** The term of a bound that is an integer. */
export function termOf(bound: Scalar): Term {
  return (bound as Extract<Scalar, { kind: "integer" }>).term;
}

/**
 * A clause that defines every cell. If the definition has several clauses, this one does not reach
 * all cells. The other cells get the value `rest`, which nothing reads.
 */
export function definedEverywhere(
  definition: Definition,
  axes: readonly Axis[],
  own: Clause,
  rest: Scalar,
): Clause[] {
  if (definition.clauses.length === 1) return [own];
  const { span } = definition;
  const filling = loopsOutside(axes, own.loops).map((loops): Clause => ({
    loops,
    guards: [],
    body: { kind: "map", value: rest },
    span,
  }));
  return [...filling, own.guards.length > 0 ? { otherwise: rest, ...own } : own];
}

/**
 * Loops over the cells that some loops do not reach. If their bounds are not integers, loops over
 * all cells.
 */
export function loopsOutside(
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

/** Are the bounds of a loop integers that depend on none of the loops? */
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
  // A jagged axis becomes as long as the longest row. Cells that nothing writes are 0.
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
