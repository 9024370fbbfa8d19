// The protocol on the side of a contender: answers the questions of the harness. The rows are given
// as functions.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { checksum } from "./checksum.ts";
import { best, type Work } from "./measure.ts";
import type { Answer, Question, Task } from "./protocol.ts";

export interface Tensor {
  readonly dtype: "f32" | "i32";
  readonly shape: readonly number[];
  readonly data: Float32Array | Int32Array;
}

/** A row that is ready to run. */
export interface Prepared {
  /** Computes all outputs once. A training step also replaces its parameters. */
  readonly run: Work;
  /** The outputs of the latest run, flat and row-major, in the order of the row. */
  readonly outputs: () => readonly ArrayLike<number>[] | Promise<readonly ArrayLike<number>[]>;
  readonly release?: () => void;
}

export interface Contender {
  readonly versions: Readonly<Record<string, string>>;
  /** `undefined` for a row that the contender cannot express. */
  prepare(
    task: Task,
    inputs: Readonly<Record<string, Tensor>>,
  ): Prepared | undefined | Promise<Prepared | undefined>;
}

/** Answers until standard input ends. `open` throws if the contender is not installed. */
export async function serve(open: () => Promise<Contender>): Promise<void> {
  const say = (answer: Answer): boolean => process.stdout.write(`${JSON.stringify(answer)}\n`);
  // Libraries write notes to the console, but standard output belongs to the answers.
  console.log = console.info = console.warn = console.debug = () => {};
  let contender: Contender;
  try {
    contender = await open();
  } catch (failure) {
    say({ kind: "absent", why: reason(failure) });
    process.exit(0);
  }
  let prepared: Prepared | undefined;
  const answer = async (question: Question): Promise<Answer> => {
    switch (question.kind) {
      case "hello":
        return { kind: "hello", versions: contender.versions };
      case "prepare": {
        prepared = await contender.prepare(question.task, readInputs(question.task));
        if (!prepared) return { kind: "unable" };
        await prepared.run();
        return { kind: "prepared", checksums: (await prepared.outputs()).map(checksum) };
      }
      case "time":
        return prepared
          ? { kind: "timed", ms: await best(prepared.run, question.budgetMs) }
          : { kind: "unable" };
      case "release":
        prepared?.release?.();
        prepared = undefined;
        return { kind: "released" };
    }
  };
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      say(await answer(JSON.parse(line) as Question));
    } catch (failure) {
      say({ kind: "failed", why: reason(failure) });
    }
  }
  process.exit(0);
}

function readInputs(task: Task): Readonly<Record<string, Tensor>> {
  return Object.fromEntries(
    task.inputs.map(({ name, dtype, shape, path }) => {
      const { buffer, byteOffset, byteLength } = readFileSync(path);
      const bytes = buffer.slice(byteOffset, byteOffset + byteLength);
      const data = dtype === "f32" ? new Float32Array(bytes) : new Int32Array(bytes);
      return [name, { dtype, shape, data }];
    }),
  );
}

function reason(failure: unknown): string {
  const text = failure instanceof Error ? failure.message : String(failure);
  return text.split("\n")[0]!.slice(0, 200);
}
