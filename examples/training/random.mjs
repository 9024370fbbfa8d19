// Chance that can be repeated: the language's own random numbers, which are functions of a seed and a place.

import { compile } from "einlang";

const chance = await compile(`
  input seed: i32;
  input n: i32;
  let normals[k in 0..n] = normal(seed, k);
  let uniforms[k in 0..n] = uniform(seed, k);
`);

/** Normal numbers of a size, to begin a training with. */
export function normals(seed, shape, size) {
  const n = shape.reduce((a, b) => a * b, 1);
  const { data } = chance.run({ seed, n }, { get: ["normals"] }).normals;
  return { data: data.map((one) => size * one), shape, dtype: "f32" };
}

/** Numbers from 0 up to 1. */
export function uniforms(seed, n) {
  return chance.run({ seed, n }, { get: ["uniforms"] }).uniforms.data;
}

/** The places from 0 to `count` in an order that the seed decides. */
export function shuffled(seed, count) {
  const data = uniforms(seed, count);
  return Uint32Array.from({ length: count }, (_, k) => k).sort(
    (a, b) => data[a] - data[b] || a - b,
  );
}

export function zeros(shape) {
  return { data: new Float32Array(shape.reduce((a, b) => a * b, 1)), shape, dtype: "f32" };
}

/** A number as a value. */
export function scalar(dtype, number) {
  return { data: (dtype === "i32" ? Int32Array : Float32Array).of(number), shape: [], dtype };
}
