// Arrays that a function makes while it runs: the list [store, from, length] of where its cells
// lie. What is put behind the last cell of a store is written there, otherwise behind a copy of it:
// a loop that appends takes a constant time for each cell, and nothing that is there ever changes.
// The empty list is an array without cells, and the tangent of one that stays where it is.

import type { Data, Scalar } from "./types.ts";

export function sizeOf(cells: Data): number {
  return (cells[2] as number | undefined) ?? 0;
}

/** Nothing where there is no such cell. */
export function cellAt(cells: Data, at: number): Scalar | undefined {
  return (cells[0] as Data | undefined)?.[(cells[1] as number) + at];
}

/**
 * Puts a cell behind the others; of tangents, at the place that its array has for it, since those
 * before it may have stayed where they are.
 */
export function append(cells: Data, value: Scalar, at = sizeOf(cells)): Data {
  const [from, length] = [(cells[1] as number | undefined) ?? 0, sizeOf(cells)];
  if (at > length) {
    const store = [...cellsOf(cells)];
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

/** Some cells one after another, where they lie. */
export function slice(cells: Data, from: number, length: number): Data {
  const store = cells[0] as Data | undefined;
  return store ? [store, (cells[1] as number) + from, length] : [];
}

export function cellsOf(cells: Data): readonly Scalar[] {
  const store = (cells[0] as Data | undefined) ?? [];
  const from = (cells[1] as number | undefined) ?? 0;
  return store.slice(from, from + sizeOf(cells));
}
