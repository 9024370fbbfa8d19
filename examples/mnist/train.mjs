// Trains the networks of this folder on the real digits, and counts how many of those that they have never seen they read right.

import { readFileSync } from "node:fs";
import { compile } from "einlang";
import { normals, scalar, shuffled, zeros } from "../training/random.mjs";
import { resumed, takeSteps } from "../training/trainer.mjs";
import { batchOf } from "./digits.mjs";

const batch = 50;

/** A network: its program, the shape in which it wants a picture, what it begins with, and how far a step goes. */
export const networks = {
  mlp: {
    file: "mlp.ein",
    picture: [784],
    start: () => ({
      W1: normals(1, [128, 784], Math.sqrt(2 / 784)),
      b1: zeros([128]),
      W2: normals(2, [10, 128], Math.sqrt(1 / 128)),
      b2: zeros([10]),
      step: scalar("i32", 0),
    }),
    rate: 0.2,
  },
  cnn: {
    file: "cnn.ein",
    picture: [28, 28],
    start: () => ({
      K1: normals(1, [8, 5, 5], Math.sqrt(2 / 25)),
      b1: zeros([8]),
      K2: normals(2, [16, 8, 5, 5], Math.sqrt(2 / 200)),
      b2: zeros([16]),
      W: normals(3, [10, 16, 4, 4], Math.sqrt(1 / 256)),
      b: zeros([10]),
      step: scalar("i32", 0),
    }),
    rate: 0.3,
  },
};

/** Trains a network on digits, each seen `epochs` times, and tests it on others. A state at `path` is gone on from. */
export async function train(network, { learn, test, epochs, path, onProgram = () => {} }) {
  const program = await compile(readFileSync(new URL(network.file, import.meta.url), "utf8"), {
    name: network.file,
  });
  onProgram(program);
  const perEpoch = Math.floor(learn.count / batch);
  const steps = epochs * perEpoch;
  const orderOf = remembered((epoch) => shuffled(epoch, learn.count));
  const inputs = (step) => {
    const at = (step % perEpoch) * batch;
    const places = orderOf(Math.floor(step / perEpoch)).subarray(at, at + batch);
    // The steps become shorter, so that the end is a place and not a walk around it.
    return { ...batchOf(learn, places, network.picture), rate: network.rate * (1 - step / steps) };
  };
  const training = resumed(program, network.start, path);
  const losses = takeSteps(training, { steps, inputs, path });
  const state = training.state();
  return {
    program,
    losses,
    state,
    accuracy: reading(program, state, test, network).right / test.count,
  };
}

/** A function that knows its last answer. */
function remembered(answer) {
  let [question, known] = [];
  return (asked) => {
    if (asked !== question) [question, known] = [asked, answer(asked)];
    return known;
  };
}

/** What a network takes some digits for, and how many of them it reads right. */
export function reading(program, state, data, { picture }) {
  const guess = new Int32Array(data.count);
  let right = 0;
  for (let from = 0; from < data.count; from += batch) {
    const places = Array.from({ length: Math.min(batch, data.count - from) }, (_, k) => from + k);
    const inputs = { ...batchOf(data, places, picture), ...state, rate: 0 };
    const read = program.run(inputs, { get: ["guess", "right"] });
    guess.set(read.guess.data, from);
    right += Number(read.right.data[0]);
  }
  return { guess, right };
}
