// Lists of data that functions make, such as a list of pairs `(i32, f32)`. A list is stored as one
// array of cells for each scalar of an element. The axes of the list are the first axes of each of
// these arrays, so the cells at one position are the scalars of one element.

import { cellOfArray, lengthOfArray, slice } from "./cells.ts";
import type { Data, Scalar } from "./types.ts";

/** The number of axes of each array that a list is stored in. */
export type Ranks = readonly number[];

/**
 * How many scalars the arrays of a list take. An array with one axis takes one scalar. An array
 * with several axes takes one more for each extent.
 */
export function widthOfArrays(ranks: Ranks): number {
  return ranks.reduce((sum, rank) => sum + widthOfArray(rank), 0);
}

function widthOfArray(rank: number): number {
  return rank === 1 ? 1 : 1 + rank;
}

/** The extents of the axes of the list itself. */
export function extentsOfList(
  rank: number,
  ranks: Ranks,
  data: Data,
  at: number,
): readonly number[] {
  const extents = extentsAt(ranks[0] ?? 1, data, at);
  return extents.slice(0, rank);
}

function extentsAt(rank: number, data: Data, at: number): readonly number[] {
  if (rank === 1) return [lengthOfArray(data[at] as Data)];
  return data.slice(at + 1, at + 1 + rank) as readonly number[];
}

/** The scalars of the element at `position`, where the positions of all axes are counted as one. */
export function elementOfList(
  rank: number,
  ranks: Ranks,
  data: Data,
  at: number,
  position: number,
): Data {
  const scalars: Scalar[] = [];
  let from = at;
  for (const each of ranks) {
    const cells = data[from] as Data;
    const behind = extentsAt(each, data, from).slice(rank);
    if (behind.length === 0) scalars.push(cellOfArray(cells, position) ?? 0);
    else {
      const size = behind.reduce((product, extent) => product * extent, 1);
      scalars.push(slice(cells, position * size, size));
      if (behind.length > 1) scalars.push(...behind);
    }
    from += widthOfArray(each);
  }
  return scalars;
}
