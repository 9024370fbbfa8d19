// Recovers the diffusivity of a plate from thermometers with a noise of 1 % of the highest reading. What they see comes from the exact
// solution, a sum of waves that fade, and not from the simulation that has to explain it.

import { readFileSync } from "node:fs";
import { compile } from "einlang";
import { normals } from "../training/random.mjs";

const truth = 0.13;
const noise = 0.01;

/** The waves that the plate begins with: how many half-waves along y and x, and how high. */
const waves = [
  [1, 1, 1],
  [2, 1, 0.6],
  [1, 3, -0.5],
  [3, 2, 0.4],
];

function exact(y, x, time) {
  const fades = (i, j) => Math.exp(-truth * Math.PI ** 2 * (i * i + j * j) * time);
  const wave = ([i, j, height]) =>
    height * Math.sin(Math.PI * i * y) * Math.sin(Math.PI * j * x) * fades(i, j);
  return waves.map(wave).reduce((a, b) => a + b);
}

/** @returns {Promise<number>} how far the diffusivity that is found is from the true one, relative to it */
export async function recover({ cells, readings, pause, rounds }) {
  const program = await compile(readFileSync(new URL("plate.ein", import.meta.url), "utf8"), {
    name: "plate.ein",
  });
  const places = Array.from({ length: cells + 1 }, (_, k) => k / cells);
  const along = [1, 3, 5, 7].map((part) => Math.round((cells * part) / 8));
  const thermometers = along.flatMap((row) => along.map((column) => [row, column]));
  // Stable for guesses of up to three times the true diffusivity.
  const dt = 1 / cells ** 2 / (4 * 3 * truth);
  const times = Array.from({ length: readings }, (_, k) => (k + 1) * pause * dt);
  const exactly = times.flatMap((time) =>
    thermometers.map(([row, column]) => exact(row / cells, column / cells, time)),
  );
  const errors = normals(7, [exactly.length], noise * Math.max(...exactly.map(Math.abs))).data;
  const inputs = {
    seen: tensor(
      [readings, thermometers.length],
      exactly.map((one, k) => one + errors[k]),
    ),
    row: {
      data: Int32Array.from(thermometers, ([row]) => row),
      shape: [thermometers.length],
      dtype: "i32",
    },
    column: {
      data: Int32Array.from(thermometers, ([, column]) => column),
      shape: [thermometers.length],
      dtype: "i32",
    },
    start: tensor(
      [cells + 1, cells + 1],
      places.flatMap((y) => places.map((x) => exact(y, x, 0))),
    ),
    dt,
    pause,
  };
  let diffusivity = 2 * truth;
  for (let round = 0; round < rounds; round++) {
    const { diffusivity_next } = program.run(
      { ...inputs, diffusivity },
      { get: ["diffusivity_next"] },
    );
    diffusivity = diffusivity_next.data[0];
  }
  return Math.abs(diffusivity / truth - 1);
}

function tensor(shape, cells) {
  return { data: Float64Array.from(cells), shape, dtype: "f64" };
}
