// Arrays that a function makes while it runs. An array is the list [store, from, length]: its cells
// are `store[from]` to `store[from + length - 1]`. Several arrays may share one store.
//
// An append to the end of a store writes into that store; any other append copies the cells first.
// So a loop that appends takes constant time for each cell, and no cell that an array holds ever
// changes. The empty list stands for an array without cells. It is also the tangent of an array
// that does not move.

import type { Data, Scalar } from "./types.ts";

export function lengthOfArray(cells: Data): number {
  return (cells[2] as number | undefined) ?? 0;
}

/** The cell at a position, or undefined where the array has none. */
export function cellOfArray(cells: Data, at: number): Scalar | undefined {
  return (cells[0] as Data | undefined)?.[(cells[1] as number) + at];
}

/**
 * Appends a cell. In the tangent of an array, `at` is the position that the array itself gives the
 * cell: the cells before it may have no tangent, and then the positions between stay empty.
 */
export function append(cells: Data, value: Scalar, at = lengthOfArray(cells)): Data {
  const [from, length] = [(cells[1] as number | undefined) ?? 0, lengthOfArray(cells)];
  if (at > length) {
    const store = [...cellsOfArray(cells)];
    store[at] = value;
    return [store, 0, at + 1];
  }
  const store = (cells[0] as Scalar[] | undefined) ?? [];
  if (store.length === from + length) {
    store.push(value);
    return [store, from, length + 1];
  }
  return [[...store.slice(from, from + length), value], 0, length + 1];
}

/** The cells from `from` on, `length` of them. They share the store of `cells`. */
export function slice(cells: Data, from: number, length: number): Data {
  const store = cells[0] as Data | undefined;
  return store ? [store, (cells[1] as number) + from, length] : [];
}

export function cellsOfArray(cells: Data): readonly Scalar[] {
  const store = (cells[0] as Data | undefined) ?? [];
  const from = (cells[1] as number | undefined) ?? 0;
  return store.slice(from, from + lengthOfArray(cells));
}
