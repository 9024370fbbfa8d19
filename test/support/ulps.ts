// How far an f32 is from the exact value, in units of the last place.

const floats = new Float32Array(1);
const bits = new Int32Array(floats.buffer);

/** The step from one f32 to the next, by the exponent field. */
const units = Float64Array.from(
  { length: 256 },
  (_, field) => 2 ** (Math.min(Math.max(field, 1), 254) - 150),
);

/** Continues the scale beyond the largest float: infinity stands where 2^128 would. */
const clip = (value: number): number => Math.max(-(2 ** 128), Math.min(2 ** 128, value));

/**
 * |got - exact| in units of the last place of the f32 nearest to the exact value. The distance is
 * infinite if only one of the two is NaN, or if a zero has the wrong sign, because those are never
 * near misses.
 */
export function ulps(got: number, exact: number): number {
  if (Number.isNaN(exact) || Number.isNaN(got))
    return Number.isNaN(exact) && Number.isNaN(got) ? 0 : Infinity;
  if (
    got === 0 &&
    (Object.is(got, -0) ? exact > 0 || Object.is(exact, 0) : exact < 0 || Object.is(exact, -0))
  ) {
    return Infinity;
  }
  floats[0] = exact;
  return Math.abs(clip(got) - clip(exact)) / units[(bits[0]! >> 23) & 255]!;
}
