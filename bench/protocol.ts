// The messages between the harness and a contender: one JSON object on each line. A question goes
// to the contender's standard input, and the answer comes from its standard output.

import type { Checksum } from "./checksum.ts";

/** An input of a row: raw cells in a file. */
export interface InputFile {
  readonly name: string;
  readonly dtype: "f32" | "i32";
  readonly shape: readonly number[];
  readonly path: string;
}

/** The part of a row that a contender needs. */
export interface Task {
  readonly id: string;
  readonly program: string;
  readonly inputs: readonly InputFile[];
  readonly outputs: readonly string[];
  readonly feedback: Readonly<Record<string, string>>;
  readonly fresh?: string;
}

export type Question =
  | { readonly kind: "hello" }
  /** Load the data, run once, and return the checksums. */
  | { readonly kind: "prepare"; readonly task: Task }
  /** Measure the prepared row. */
  | { readonly kind: "time"; readonly budgetMs: number }
  | { readonly kind: "release" };

export type Answer =
  | { readonly kind: "hello"; readonly versions: Readonly<Record<string, string>> }
  /** The package of the contender is not installed. */
  | { readonly kind: "absent"; readonly why: string }
  | { readonly kind: "prepared"; readonly checksums: readonly Checksum[] }
  /** The contender cannot express the row. */
  | { readonly kind: "unable" }
  | { readonly kind: "timed"; readonly ms: number }
  | { readonly kind: "released" }
  | { readonly kind: "failed"; readonly why: string };
