// What the harness and a contender say to one another: one JSON object a line, a question on its
// standard input, an answer on its standard output.

import type { Checksum } from "./checksum.ts";

/** An input of a row, as raw cells in a file. */
export interface InputFile {
  readonly name: string;
  readonly dtype: "f32" | "i32";
  readonly shape: readonly number[];
  readonly path: string;
}

/** What a contender has to know of a row. */
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
  /** Load the data, run once, and tell what came out. */
  | { readonly kind: "prepare"; readonly task: Task }
  /** Time what was prepared. */
  | { readonly kind: "time"; readonly budgetMs: number }
  | { readonly kind: "release" };

export type Answer =
  | { readonly kind: "hello"; readonly versions: Readonly<Record<string, string>> }
  /** The contender's package is not installed. */
  | { readonly kind: "absent"; readonly why: string }
  | { readonly kind: "prepared"; readonly checksums: readonly Checksum[] }
  /** The contender has no such row. */
  | { readonly kind: "unable" }
  | { readonly kind: "timed"; readonly ms: number }
  | { readonly kind: "released" }
  | { readonly kind: "failed"; readonly why: string };
