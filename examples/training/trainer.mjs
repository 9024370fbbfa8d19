// Training with a program of one step: whatever it has both as an input `W` and as a value `W_next` is the state, which goes from step to step.

import { existsSync } from "node:fs";
import { load, save } from "einlang/files";
import { progress } from "./progress.mjs";

const suffix = "_next";

/** The names of a program's state. */
export function stateOf(program) {
  const inputs = new Set(program.inputs.map(({ name }) => name));
  const next = program.values
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length));
  return next.filter((name) => inputs.has(name));
}

/**
 * A program in training, from a state on. The state stays where the program's kernels compute: a step copies nothing of it.
 *
 * @param {import("einlang").Program} program
 * @param {Readonly<Record<string, import("einlang").Value>>} start
 */
export function trainer(program, start) {
  const names = stateOf(program);
  const get = names.map((name) => name + suffix);
  let state = Object.fromEntries(names.map((name) => [name, start[name]]));
  return {
    /** How many steps have been taken. */
    get step() {
      return Number(state.step.data[0]);
    },
    /** Takes a step, and gives the loss that it started from. */
    take(inputs) {
      const { loss, ...next } = program.run(
        { ...inputs, ...state },
        { get: ["loss", ...get], view: true },
      );
      state = Object.fromEntries(names.map((name) => [name, next[name + suffix]]));
      return Number(loss.data[0]);
    },
    /** The state as it is now, for good. */
    state: () => Object.fromEntries(names.map((name) => [name, copyOf(state[name])])),
    /** Writes the state to a `.safetensors` file. Who reads it finds the old one or the new one. */
    save: (path) =>
      save(path, Object.fromEntries(names.map((name) => [name, copyOf(state[name])]))),
  };
}

/** The state that a trainer has saved. */
export function saved(program, path) {
  return Object.fromEntries(stateOf(program).map((name) => [name, load(`${path}:${name}`)]));
}

/** The trainer that goes on where one with this path has saved its state; where none has, one that starts. */
export function resumed(program, start, path) {
  return trainer(program, path !== undefined && existsSync(path) ? saved(program, path) : start());
}

/** Trains until so many steps are taken. The state is saved now and then if there is a path, and in the end. */
export function takeSteps(training, { steps, inputs, path, every = 200 }) {
  const line = progress(steps, { from: training.step });
  const losses = [];
  while (training.step < steps) {
    const { step } = training;
    const loss = training.take(inputs(step));
    losses.push(loss);
    line.tell(step + 1, loss);
    if (path !== undefined && (step + 1) % every === 0) training.save(path);
  }
  line.done();
  if (path !== undefined) training.save(path);
  return losses;
}

function copyOf({ data, shape, dtype }) {
  return { data: data.slice(), shape, dtype };
}
