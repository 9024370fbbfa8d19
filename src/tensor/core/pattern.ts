// The pattern of an operation: which coordinate walks each axis of the operands and of the result.
// For a matrix product A·B:
//
//   operands [i, k] and [k, j], result [i, j]

import type { Shape } from "./shape.ts";

/** A coordinate, by its number. `one` is an axis of extent 1, which is always read at 0. */
export type Walk = number | "one";

export interface Pattern {
  readonly operands: readonly (readonly Walk[])[];
  readonly result: readonly number[];
  /** The extent of each coordinate. */
  readonly extents: readonly number[];
}

/**
 * The pattern of broadcasting. Every axis of the common shape is one coordinate. An operand that
 * lacks an axis, or has it with extent 1, is broadcast along it.
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

/** A pattern with as few coordinates as possible, and the shapes of the operands in it. */
interface Merged {
  readonly pattern: Pattern;
  readonly views: readonly Shape[];
  /** The new number of a coordinate in `apart`. */
  readonly numberOf: (c: number) => number;
}

/**
 * Merges coordinates that are neighbours in the same order wherever one of them occurs, because
 * row-major cells allow to walk them as one. Axes of extent 1 are dropped. Then one definition
 * serves tensors of any rank:
 *
 *   y[i, j, k] = -x[i, j, k]  becomes  y[p] = -x[p]
 *
 * The coordinates in `apart` keep their own names, so they are not merged.
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
      recordNeighbour(follower, c, list[k + 1]);
      recordNeighbour(leader, c, list[k - 1]);
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

/** Records a neighbour of a coordinate. After two different neighbours, there is no common one. */
function recordNeighbour(
  beside: Map<number, number | undefined>,
  c: number,
  other: number | undefined,
): void {
  if (!beside.has(c)) beside.set(c, other);
  else if (beside.get(c) !== other) beside.set(c, undefined);
}
