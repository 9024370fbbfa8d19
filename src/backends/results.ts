// The options and the result of a run.

import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { TensorValue } from "../scalar/values/value.ts";
import type { Program } from "../ir/program.ts";
import type { Schedule } from "../analyse/schedule.ts";
import type { Listener } from "../plan/rules.ts";
import type { TypedArray } from "../scalar/types.ts";
import type { Profile, ProfileLine } from "./profile.ts";
import type { Progress } from "./progress.ts";
import type { Trap } from "./traps.ts";
import type { Block } from "./wasm/memory/kept.ts";

/**
 * What computes: kernels in WebAssembly; generated JavaScript, for hosts without WebAssembly, with
 * the same bits as the oracle; or the oracle, cell by cell.
 */
export type Backend = "wasm" | "js" | "interpret";

export interface RunOptions {
  readonly inputs?: ReadonlyMap<string, TensorValue>;
  /**
   * The names of the values to compute; absent for every top-level value. "_" is the final bare
   * expression.
   */
  readonly get?: readonly string[];
  /** Compute floats of every type in f64. */
  readonly f64?: boolean;
  readonly maxMemory?: number;
  /** Absent: kernels where the host has them, otherwise generated JavaScript. */
  readonly backend?: Backend;
  /**
   * Kernels are made for units that evaluate at least so many scalars; 0 for every unit that can be
   * compiled.
   */
  readonly leastWork?: number;
  /** Contractions with fewer products are reduced cell by cell instead of as panels of matrices. */
  readonly leastProducts?: number;
  /**
   * What stops the run: the first float that is not finite, or the first integer that wraps around.
   */
  readonly trap?: Trap;
  /**
   * Arrays to which results may be written, by name, instead of into new ones. A run need not use
   * them. Inputs may lie in them.
   */
  readonly into?: ReadonlyMap<string, TypedArray>;
  /**
   * Leave results of kernels where they lie. The caller has to release the `blocks` of the result.
   */
  readonly view?: boolean;
  /** Hears how far the run has come. */
  readonly onProgress?: (progress: Progress) => void;
  /** A clock in milliseconds. With it, the result says what each line of the source has cost. */
  readonly profile?: () => number;
  /** Makes a listener that hears what the optimiser does in this run. */
  readonly hearing?: (program: Program, schedules: readonly Schedule[]) => Listener;
  /**
   * Called once for each `print`, in order, with its complete text (tensors as nested brackets).
   */
  readonly onPrint?: (printed: Printed) => void;
}

/** The options of the core, which has no profile of its own and is given one. */
export interface EngineOptions extends Omit<RunOptions, "profile"> {
  readonly profiler?: Profile;
}

/** One `print`: the text that every host writes, and its parts for a terminal to lay out. */
export interface Printed {
  readonly text: string;
  readonly parts: readonly PrintedPart[];
}

export type PrintedPart =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "value";
      readonly value: TensorValue;
      readonly names: readonly (string | undefined)[];
    };

export interface RunResult {
  /** Also holds what was computed before a fault. */
  readonly values: ReadonlyMap<string, NamedValue>;
  readonly omitted: readonly string[];
  readonly peakBytes: number;
  /** The blocks of the kernels' memory that are kept for results in place. */
  readonly blocks?: readonly Block[];
  /**
   * Repeats the run on whatever lies in the places of the inputs, with the results in the same
   * blocks, which are kept again. The answer is false if that is impossible.
   */
  readonly again?: () => boolean;
  readonly profile?: readonly ProfileLine[];
  readonly fault?: Diagnostic;
}

/** A value with the names of its axes, where they are known. */
export interface NamedValue {
  readonly value: TensorValue;
  readonly names: readonly (string | undefined)[];
}
