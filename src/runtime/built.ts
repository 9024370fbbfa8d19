// A built program as data: kernels, the tape of what a run does with them, and the forms of what
// goes in and out.

import type { DType } from "../scalar/types.ts";

export interface Form {
  readonly name: string;
  readonly dtype: Exclude<DType, "str">;
  /**
   * Extents; where they come with the inputs, dimensions by their numbers; where they differ from
   * plan to plan, nothing.
   */
  readonly shape: readonly (number | { readonly of: number } | null)[];
}

/** A dimension whose extent comes with the inputs. */
export interface Dimension {
  readonly name: string;
  /** For which extents there are plans, the largest first. */
  readonly extents: readonly number[];
  /**
   * Whether it may have any extent: its rows are computed in blocks of these, and with the plan for
   * 0 where there are none.
   */
  readonly inRows: boolean;
}

/** The output of a plan. */
export interface PlannedOutput {
  readonly shape: readonly number[];
  /**
   * Where its cells lie after a run; for a constant, the data that it is; for an input by another
   * name, which input.
   */
  readonly at:
    { readonly address: number } | { readonly data: number } | { readonly input: number };
}

/** What is done for one choice of extents. */
export interface Plan {
  readonly outputs: readonly PlannedOutput[];
  readonly assertions: readonly BuiltAssertion[];
  readonly tape: readonly Step[];
}

export interface BuiltKernel {
  /** A WebAssembly module in base64, that imports the memory and functions of the host. */
  readonly code: string;
  readonly imports: readonly string[];
  /** What it computes, for messages: `y` (model.ein:3). */
  readonly computes: string;
}

/**
 * An assertion of the program: the cell that says whether it holds, and what is said where it does
 * not.
 */
export interface BuiltAssertion {
  readonly address: number;
  readonly message: string;
}

/**
 * Steps of the tape, each an operation with its numbers; a loop adds to the numbers inside of it
 * from turn to turn.
 */
export type Step = readonly [Operation, ...number[]] | Loop;

export interface Loop {
  readonly turns: number;
  readonly steps: readonly Step[];
  /** What is added after each turn, in the order of the numbers inside. */
  readonly by: readonly number[];
}

export const operations = {
  /** kernel, arguments … */
  call: 0,
  /** input, address */
  input: 1,
  /** data, address */
  data: 2,
  /** address, bytes */
  zero: 3,
  /** from, to, bytes */
  copy: 4,
  /** element, sums, totals, cells, divisor */
  finish: 5,
} as const;

export type Operation = (typeof operations)[keyof typeof operations];

/** The element types by the numbers that the tape has for them. */
export const elements = ["bool", "i8", "i32", "i64", "f16", "bf16", "f32", "f64"] as const;

export interface Built {
  /** What the program is called in messages. */
  readonly source: string;
  readonly pages: number;
  readonly constants: { readonly address: number; readonly patterns: readonly number[] };
  readonly kernels: readonly BuiltKernel[];
  /** Bytes in base64. */
  readonly data: readonly string[];
  readonly inputs: readonly Form[];
  readonly outputs: readonly Form[];
  readonly dimensions: readonly Dimension[];
  /** One for each choice of extents, those of the last dimension next to each other. */
  readonly plans: readonly Plan[];
}
