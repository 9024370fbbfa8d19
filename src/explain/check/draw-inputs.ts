// Draws inputs that are not given, for numerical checks. Dimensions are 3, 4, 5, …; floats are
// around 1; integers stay inside the axes that they index.

import type { DeclaredInput } from "../../lower/declared-input.ts";
import { fromScalars, sizeOf, type TensorValue } from "../../scalar/values/value.ts";
import { randint, uniform } from "../../scalar/random.ts";
import { isFloat, type Scalar } from "../../scalar/types.ts";
import type { Program } from "../../ir/program.ts";
import { withExtents, type Order } from "./draw-extents.ts";
import { integerRanges, type IntegerRange } from "./integer-ranges.ts";
import { usual } from "./narrowing.ts";

const smallestExtent = 3;

/** Inputs for a program: the given ones, and drawn ones for the rest. */
export function drawnFor(
  program: Program,
  given: ReadonlyMap<string, TensorValue>,
  order: Order,
): ReadonlyMap<string, TensorValue> {
  const declared = withExtents(program, given, order);
  return drawInputs(declared, given, integerRanges(program, declared, given));
}

/**
 * The given inputs, and drawn ones for the rest. A dimension name keeps the extent that it has in
 * the given inputs.
 */
export function drawInputs(
  declared: readonly DeclaredInput[],
  given: ReadonlyMap<string, TensorValue>,
  ranges: ReadonlyMap<string, IntegerRange>,
): ReadonlyMap<string, TensorValue> {
  const extents = new Map<string, number>();
  for (const { name, shape } of declared) {
    given.get(name)?.shape.forEach((extent, axis) => {
      const dimension = shape?.[axis];
      if (typeof dimension === "string") extents.set(dimension, extent);
    });
  }
  let next = smallestExtent;
  let position = 0;
  const extentOf = (dimension: number | string | undefined): number => {
    if (typeof dimension === "number") return dimension;
    const known = dimension === undefined ? undefined : extents.get(dimension);
    if (known !== undefined) return known;
    if (dimension !== undefined) extents.set(dimension, next);
    return next++;
  };
  const drawn = declared.flatMap(({ name, dtype, shape }): [string, TensorValue][] => {
    if (given.has(name) || !shape || dtype === "str") return [];
    const sizes = shape.map(extentOf);
    const range: IntegerRange = ranges.get(name) ?? usual;
    const first = position;
    position += sizeOf(sizes);
    const cells = Array.from({ length: sizeOf(sizes) }, (_, k): Scalar => {
      if (isFloat(dtype)) return 0.5 + uniform(0, first + k);
      if (dtype === "bool") return randint(0, first + k, 0, 2) === 1;
      return Number(randint(0, first + k, range.least, range.most + 1));
    });
    const ordered =
      range.ascending === undefined
        ? cells
        : ascending(cells as number[], sizes, range, range.ascending);
    const typed = dtype === "i64" ? ordered.map((cell) => BigInt(cell as number)) : ordered;
    return [[name, fromScalars(isFloat(dtype) ? "f64" : dtype, sizes, typed)]];
  });
  return new Map([...given, ...drawn]);
}

/**
 * Sorts the cells of every line along an axis and stretches them over the range: the first cell is
 * the least of the range, and the last cell is the most. If there is room, each cell is at least
 * one more than the cell before it.
 */
function ascending(
  cells: readonly number[],
  sizes: readonly number[],
  { least, most }: IntegerRange,
  axis: number,
): readonly number[] {
  const length = sizes[axis]!;
  const stride = sizeOf(sizes.slice(axis + 1));
  const found = [...cells];
  for (const start of cells.keys()) {
    if (Math.floor(start / stride) % length !== 0) continue;
    const places = Array.from({ length }, (_, k) => start + k * stride);
    const room = most - least >= length - 1 ? length - 1 : 0;
    const line = places
      .map((place) => least + ((cells[place]! - least) % (most - room - least + 1)))
      .toSorted((a, b) => a - b)
      .map((cell, k) => (k === 0 ? least : k === length - 1 ? most : cell + (room > 0 ? k : 0)));
    places.forEach((place, k) => (found[place] = line[k]!));
  }
  return found;
}
