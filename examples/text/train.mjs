// Trains the transformer of this folder on a book, and compares how well it guesses the rest of the book, letter by letter, with a table of pairs.

import { readFileSync } from "node:fs";
import { compile } from "einlang";
import { normals, scalar, uniforms, zeros } from "../training/random.mjs";
import { resumed, takeSteps } from "../training/trainer.mjs";

/** The book as numbers, one for each symbol that occurs in it: nine tenths to learn from, the rest to be tested with. */
export function book(most = Infinity) {
  const text = [...readFileSync(new URL("opticks.txt", import.meta.url), "utf8")].slice(0, most);
  const symbols = [...new Set(text)].sort();
  const number = new Map(symbols.map((symbol, k) => [symbol, k]));
  const letters = Int32Array.from(text, (symbol) => number.get(symbol));
  const cut = Math.floor(letters.length * 0.9);
  return { symbols, learn: letters.subarray(0, cut), test: letters.subarray(cut) };
}

/** How many nats the rest of the book costs per letter, if a letter is guessed by the one before it. */
export function bigramLoss({ symbols, learn, test }) {
  const n = symbols.length;
  // A pair that was never seen is still possible; of the usual small counts this one serves the table best.
  const pairs = new Float64Array(n * n).fill(0.05);
  for (let k = 1; k < learn.length; k++) pairs[learn[k - 1] * n + learn[k]]++;
  const totals = Array.from({ length: n }, (_, a) =>
    pairs.subarray(a * n, (a + 1) * n).reduce((x, y) => x + y),
  );
  let loss = 0;
  for (let k = 1; k < test.length; k++)
    loss -= Math.log(pairs[test[k - 1] * n + test[k]] / totals[test[k - 1]]);
  return loss / (test.length - 1);
}

/** What the transformer begins with, for some sizes. */
export function start({ symbols, layers, heads, depth, hidden, places }) {
  const d = heads * depth;
  const small = Math.sqrt(1 / d);
  const parameters = {
    table: normals(1, [symbols, d], small),
    position: normals(2, [places, d], 0.02),
    Wq: normals(3, [layers, heads, depth, d], small),
    Wk: normals(4, [layers, heads, depth, d], small),
    Wv: normals(5, [layers, heads, depth, d], small),
    // A block that adds nothing at first is the easiest to learn through.
    Wo: zeros([layers, d, heads, depth]),
    W1: normals(6, [layers, hidden, d], small),
    W2: zeros([layers, d, hidden]),
    out: normals(7, [symbols, d], 0.02),
  };
  const remembered = Object.entries(parameters).flatMap(([name, { shape }]) => [
    [`${name}_mean`, zeros(shape)],
    [`${name}_square`, zeros(shape)],
  ]);
  return { ...parameters, ...Object.fromEntries(remembered), step: scalar("i32", 0) };
}

/** Windows of a text as inputs of the program: letters, and the letter that follows each. */
export function windows(letters, from, places) {
  const shape = [from.length, places];
  const cut = (shift) => {
    const data = new Int32Array(from.length * places);
    from.forEach((place, k) =>
      data.set(letters.subarray(place + shift, place + shift + places), k * places),
    );
    return { data, shape, dtype: "i32" };
  };
  return { letter: cut(0), follower: cut(1) };
}

/** Trains the transformer on a book and tests it on the rest of it. A state at `path` is gone on from. */
export async function train({ text, sizes, batch, steps, rate, path }) {
  const { places } = sizes;
  const file = "transformer.ein";
  const program = await compile(readFileSync(new URL(file, import.meta.url), "utf8"), {
    name: file,
  });
  const inputs = (step) => {
    const from = Array.from(uniforms(step, batch), (one) =>
      Math.floor(one * (text.learn.length - places - 1)),
    );
    // Short steps at first, while Adam's means are new, and at the end, to arrive.
    const pace = Math.min(1, (step + 1) / 50) * (1 - step / steps);
    return { ...windows(text.learn, from, places), rate: rate * pace };
  };
  const training = resumed(program, () => start({ ...sizes, symbols: text.symbols.length }), path);
  const losses = takeSteps(training, { steps, inputs, path });
  const state = training.state();
  return { program, state, losses, loss: testLoss(program, state, text.test, batch, places) };
}

/** The nats per letter that the network needs for a text, window after window. */
export function testLoss(program, state, letters, batch, places) {
  const count = Math.floor((letters.length - 1) / places / batch);
  let total = 0;
  for (let k = 0; k < count; k++) {
    const from = Array.from({ length: batch }, (_, j) => (k * batch + j) * places);
    total += Number(
      program.run({ ...windows(letters, from, places), ...state, rate: 0 }, { get: ["loss"] }).loss
        .data[0],
    );
  }
  return total / count;
}
