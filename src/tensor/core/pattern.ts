// Which coordinate walks each axis of each operand and of the result: what an operation is, apart
// from its arithmetic.

import type { Shape } from "./shape.ts";

/**
 * A coordinate has a number here and a name in the written definition. `one` is an axis of extent 1
 * that is always read at 0.
 */
export type Walk = number | "one";

export interface Pattern {
  readonly operands: readonly (readonly Walk[])[];
  readonly result: readonly number[];
  /** Of each coordinate. */
  readonly extents: readonly number[];
}

/**
 * Every axis of the common shape is one coordinate; an operand that lacks it, or has it with extent
 * 1, is broadcast along it.
 */
export function broadcastPattern(shapes: readonly Shape[], common: Shape): Pattern {
  const operands = shapes.map((shape) =>
    shape.map((extent, axis): Walk => {
      const coordinate = axis + common.length - shape.length;
      return extent === common[coordinate] ? coordinate : "one";
    }),
  );
  return { operands, result: common.map((_, axis) => axis), extents: common };
}

/**
 * A pattern with as few coordinates as possible, and the shapes in which its operands have to be
 * looked at.
 */
export interface Merged {
  readonly pattern: Pattern;
  readonly views: readonly Shape[];
  /** The number that a coordinate apart has in the new pattern. */
  readonly numberOf: (c: number) => number;
}

/**
 * Coordinates that stand side by side, in this order, wherever one of them stands, are one
 * coordinate over row-major cells. Axes of extent 1 are nobody's. So a definition for two axes
 * serves for any number of them. `apart` are coordinates that the definition has to name.
 */
export function merge(
  { operands, result, extents }: Pattern,
  apart: ReadonlySet<number> = new Set(),
): Merged {
  const lists = [
    ...operands.map((walks) => walks.filter((walk): walk is number => walk !== "one")),
    result,
  ].map((list) => list.filter((c) => extents[c] !== 1 || apart.has(c)));
  const follower = new Map<number, number | undefined>();
  const leader = new Map<number, number | undefined>();
  for (const list of lists) {
    for (const [k, c] of list.entries()) {
      note(follower, c, list[k + 1]);
      note(leader, c, list[k - 1]);
    }
  }
  const joins = (c: number, next: number | undefined): next is number =>
    next !== undefined &&
    !apart.has(c) &&
    !apart.has(next) &&
    follower.get(c) === next &&
    leader.get(next) === c;
  const renamed = new Map<number, number>();
  const merged: number[] = [];
  const heads = lists.map((list) => {
    const found: number[] = [];
    for (let k = 0; k < list.length; k++) {
      const head = list[k]!;
      let extent = extents[head]!;
      while (joins(list[k]!, list[k + 1])) extent *= extents[list[++k]!]!;
      if (!renamed.has(head)) {
        renamed.set(head, merged.length);
        merged.push(extent);
      }
      found.push(renamed.get(head)!);
    }
    return found;
  });
  const pattern = { operands: heads.slice(0, -1), result: heads.at(-1)!, extents: merged };
  return {
    pattern,
    views: pattern.operands.map((list) => list.map((c) => merged[c]!)),
    numberOf: (c) => renamed.get(c)!,
  };
}

/**
 * What always stands beside a coordinate; once it is seen beside two different ones, nothing does.
 */
function note(beside: Map<number, number | undefined>, c: number, other: number | undefined): void {
  if (!beside.has(c)) beside.set(c, other);
  else if (beside.get(c) !== other) beside.set(c, undefined);
}
