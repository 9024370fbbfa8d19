// What a kernel knows of the memory it works on: where each definition's cells lie, and which it
// writes itself.

import type { Definition, Local } from "../../../ir/program.ts";
import type { Fact } from "../../../affine/prove.ts";
import type { Variable } from "../../../affine/term.ts";
import type { Interval } from "../../../plan/regions/intervals.ts";
import type { ElementType } from "../../../scalar/types.ts";
import type { Emitter, Slot } from "./emitter.ts";

/** The cells of one definition, as a kernel sees them. */
export interface Cells {
  readonly element: ElementType;
  readonly shape: readonly number[];
  /** In cells. */
  readonly strides: readonly number[];
  /** The address of the first cell. */
  readonly base: Slot;
  /** Only the last steps along one axis are kept: position p lies at p modulo `steps`. */
  readonly window?: { readonly axis: number; readonly steps: number };
}

export interface Kernel {
  readonly emitter: Emitter;
  readonly cellsOf: (definition: Definition) => Cells;
  /**
   * The caller's part of one coordinate, never beyond its extent: long work comes in several calls.
   */
  readonly part?: {
    readonly variable: Variable;
    readonly from: Slot;
    readonly to: Slot;
    readonly extent: number;
  };
  /** Definitions whose cells change while the kernel runs. */
  readonly written: ReadonlySet<Definition>;
  /** Results of reductions under the names by which what follows reads them. */
  readonly bound: Map<Local, Slot>;
  /** Where the coordinates lie. */
  readonly known: Map<Variable, Interval>;
  /** Where they lie ahead of the question whether they do, if that is not the same. */
  readonly ahead: Map<Variable, Interval>;
  /** What is known of them beyond that: bounds of loops and conditions of branches. */
  readonly facts: Fact[];
  /** The address of a vector constant: four times a 32-bit pattern, or twice a 64-bit one. */
  readonly constantAt: (low: number, high: number) => number;
}

/** Bytes of a cell in memory. Half-width floats are kept as f32. */
export function widthOf(element: ElementType): number {
  switch (element) {
    case "bool":
    case "i8":
      return 1;
    case "i32":
    case "f32":
    case "f16":
    case "bf16":
      return 4;
    case "i64":
    case "f64":
      return 8;
    case "str":
    case "data":
      throw new Error("strings and data have no cells in memory");
    default:
      return element satisfies never;
  }
}

/**
 * How far outside its tensor a read may lie that is made ahead of its guard: memory is padded by as
 * much.
 */
export const slackBytes = 1 << 16;
