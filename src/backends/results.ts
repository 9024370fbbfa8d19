// What a run is asked for, and what it gives.

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
 * What computes: kernels in WebAssembly; generated JavaScript, which hosts without WebAssembly get
 * too and which has the oracle's bits; or the oracle, cell by cell.
 */
export type Backend = "wasm" | "js" | "interpret";

export interface RunOptions {
  readonly inputs?: ReadonlyMap<string, TensorValue>;
  /** Values asked for by name; absent: every top-level value. "_" is the final bare expression. */
  readonly get?: readonly string[];
  /** Compute floats of every type in f64. */
  readonly f64?: boolean;
  readonly maxMemory?: number;
  /** Absent: kernels where the host has them, otherwise generated JavaScript. */
  readonly backend?: Backend;
  /**
   * Kernels are made for whatever evaluates at least so many scalars; 0 for all that can be
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
   * Arrays that results may be written to, by name, instead of into new ones; a run need not do so.
   * Inputs may lie in them.
   */
  readonly into?: ReadonlyMap<string, TypedArray>;
  /**
   * Leave the results that kernels computed where they lie; `blocks` of the result have to be
   * released.
   */
  readonly view?: boolean;
  /** Is told how far the run has come. */
  readonly onProgress?: (progress: Progress) => void;
  /** A clock, in milliseconds: the result then says what each line of the source has cost. */
  readonly profile?: () => number;
  /** Makes who is told what the optimiser does in this run. */
  readonly hearing?: (program: Program, schedules: readonly Schedule[]) => Listener;
  /**
   * Called once for each `print`, in order, with its complete text (tensors as nested brackets).
   */
  readonly onPrint?: (printed: Printed) => void;
}

/** The same for the core, which has no profile of its own: it is brought. */
export interface EngineOptions extends Omit<RunOptions, "profile"> {
  readonly profiler?: Profile;
}

/** One `print`: the contract's text, and the parts for a terminal to lay out. */
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
  /** What is kept of the kernels' memory for results in place. */
  readonly blocks?: readonly Block[];
  /**
   * Does the same on what lies where the inputs lay then, into the same blocks, which are kept
   * again; false where that cannot be done.
   */
  readonly again?: () => boolean;
  readonly profile?: readonly ProfileLine[];
  readonly fault?: Diagnostic;
}

/** A value with the names of its axes where they are known. */
export interface NamedValue {
  readonly value: TensorValue;
  readonly names: readonly (string | undefined)[];
}
