// Inputs that nobody gave, for numerical checks: dimensions 3, 4, 5, …, floats around 1, integers that stay inside any axis.

import type { DeclaredInput } from "../core.ts";
import { fromScalars, sizeOf, type TensorValue } from "../host/value.ts";
import { randint, uniform } from "../ir/scalar/random.ts";
import { isFloat, type Scalar } from "../ir/scalar/types.ts";

const smallestExtent = 3;

/** The given inputs, and drawn ones for the rest; dimension names keep the extents that the given ones have. */
export function drawInputs(
  declared: readonly DeclaredInput[],
  given: ReadonlyMap<string, TensorValue>,
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
    const cells = Array.from({ length: sizeOf(sizes) }, (): Scalar => {
      const n = position++;
      if (isFloat(dtype)) return 0.5 + uniform(0, n);
      if (dtype === "bool") return randint(0, n, 0, 2) === 1;
      const whole = randint(0, n, 0, smallestExtent);
      return dtype === "i64" ? BigInt(whole) : whole;
    });
    return [[name, fromScalars(isFloat(dtype) ? "f64" : dtype, sizes, cells)]];
  });
  return new Map([...given, ...drawn]);
}
