// A built program as data: its kernels, the tape of steps that a run performs, and the forms of its
// inputs and outputs.

import type { DType } from "../scalar/types.ts";

export interface Form {
  readonly name: string;
  readonly dtype: Exclude<DType, "str">;
  /**
   * The extents. An extent that comes with the inputs refers to a dimension by its number. An
   * extent that differs between plans is null.
   */
  readonly shape: readonly (number | { readonly of: number } | null)[];
}

/** A dimension whose extent comes with the inputs. */
export interface Dimension {
  readonly name: string;
  /** The extents for which there are plans, the largest first. */
  readonly extents: readonly number[];
  /**
   * Whether any extent is allowed. The rows are then computed in blocks of the sizes in `extents`,
   * and with the plan for 0 if there are no rows.
   */
  readonly inRows: boolean;
}

/** An output of a plan. */
export interface PlannedOutput {
  readonly shape: readonly number[];
  /**
   * The address of the cells after a run. For a constant, the number of its data. For an input
   * under another name, the number of the input.
   */
  readonly at:
    { readonly address: number } | { readonly data: number } | { readonly input: number };
}

/** The steps for one choice of extents. */
export interface Plan {
  readonly outputs: readonly PlannedOutput[];
  readonly assertions: readonly BuiltAssertion[];
  readonly tape: readonly Step[];
}

export interface BuiltKernel {
  /** A WebAssembly module in base64, which imports the memory and functions of the host. */
  readonly code: string;
  readonly imports: readonly string[];
  /** The definition that the kernel computes, for messages: `y` (model.ein:3). */
  readonly computes: string;
}

/**
 * An assertion of the program: the address of its condition, and the message if the condition is
 * false.
 */
export interface BuiltAssertion {
  readonly address: number;
  readonly message: string;
}

/**
 * A step of the tape: an operation with its numbers, or a loop. A loop adds to all numbers inside
 * it after each turn.
 */
export type Step = readonly [Operation, ...number[]] | Loop;

export interface Loop {
  readonly turns: number;
  readonly steps: readonly Step[];
  /** The differences that are added after each turn, in the order of the numbers inside. */
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

/** The element types, in the order of their numbers on the tape. */
export const elements = ["bool", "i8", "i32", "i64", "f16", "bf16", "f32", "f64"] as const;

export interface Built {
  /** The name of the program in messages. */
  readonly source: string;
  readonly pages: number;
  readonly constants: { readonly address: number; readonly patterns: readonly number[] };
  readonly kernels: readonly BuiltKernel[];
  /** Constants, as bytes in base64. */
  readonly data: readonly string[];
  readonly inputs: readonly Form[];
  readonly outputs: readonly Form[];
  readonly dimensions: readonly Dimension[];
  /** One plan for each choice of extents. The last dimension varies fastest. */
  readonly plans: readonly Plan[];
}
