// Tells a recorder what a run does with the memory: everything that a module without a compiler has
// to do again.

import type { Definition } from "../../../ir/program.ts";
import type { ElementType, TypedArray, Unsized } from "../../../scalar/types.ts";
import type { Unit } from "../../order.ts";

/** A kernel by its module, and the definition that it computes, for messages. */
export interface RecordedKernel {
  readonly bytes: Uint8Array;
  readonly imports: readonly string[];
  readonly computes: Definition;
}

export interface Recorder {
  call(kernel: RecordedKernel, args: readonly number[]): void;
  /** Cells that no kernel has written are copied to an address. */
  bring(definition: Definition, address: number, data: TypedArray): void;
  /** Steps of a definition that the oracle computed are copied in. */
  unlike(definition: Definition): void;
  /** One of the changes of memory in `moves.ts`. */
  move(move: Move): void;
  /** The oracle computes a unit. */
  oracle(unit: Unit, why: string): void;
}

/**
 * A change of the memory between calls of kernels. Addresses are in bytes; lengths are in cells
 * where there is an element, and in bytes otherwise.
 */
export type Move =
  | { readonly kind: "zero"; readonly address: number; readonly bytes: number }
  | { readonly kind: "copy"; readonly from: number; readonly to: number; readonly bytes: number }
  | {
      readonly kind: "finish";
      readonly element: Sized;
      readonly sums: number;
      readonly totals: number;
      readonly cells: number;
      readonly divisor: number;
    };

type Sized = Exclude<ElementType, Unsized>;

let recorder: Recorder | undefined;

export function recording(): Recorder | undefined {
  return recorder;
}

export function recordedBy<T>(by: Recorder, action: () => T): T {
  recorder = by;
  try {
    return action();
  } finally {
    recorder = undefined;
  }
}
