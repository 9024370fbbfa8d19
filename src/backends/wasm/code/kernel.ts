// This folder emits the code of single cells and of vectors of cells, and makes WebAssembly modules
// of it. Loops around the cells are in `loops/`, and passes over rows in `rows/`.
//
// This file says what the code generator knows while it emits a kernel: where the cells of
// definitions lie in memory, which definitions the kernel writes, and the facts at the current
// place.

import type { Definition, Local } from "../../../ir/program.ts";
import type { Fact } from "../../../affine/prove.ts";
import type { Variable } from "../../../affine/term.ts";
import type { Interval } from "../../../plan/regions/intervals.ts";
import type { ElementType } from "../../../scalar/types.ts";
import type { Emitter, Slot } from "./emitter.ts";
import type { Side } from "../../../plan/regions/regions.ts";

/** The cells of one definition in memory. */
export interface Cells {
  readonly element: ElementType;
  readonly shape: readonly number[];
  /** Counted in cells. */
  readonly strides: readonly number[];
  /** The address of the first cell. */
  readonly base: Slot;
  /** If only the last steps along an axis are kept: position p is stored at p modulo `steps`. */
  readonly window?: { readonly axis: number; readonly steps: number };
}

export interface Kernel {
  readonly emitter: Emitter;
  readonly cellsOf: (definition: Definition) => Cells;
  /**
   * The caller's part of one coordinate, within its extent. Long work is divided among several
   * calls.
   */
  readonly part?: {
    readonly variable: Variable;
    readonly from: Slot;
    readonly to: Slot;
    readonly extent: number;
  };
  /** The definitions whose cells change while the kernel runs. */
  readonly written: ReadonlySet<Definition>;
  /** The results of reductions, by the names that later code reads. */
  readonly bound: Map<Local, Slot>;
  /** The interval of each coordinate. */
  readonly known: Map<Variable, Interval>;
  /**
   * The interval of a coordinate before it is tested, where the test makes the interval smaller.
   */
  readonly ahead: Map<Variable, Interval>;
  /** Further facts: bounds of loops and conditions of branches. */
  readonly facts: Fact[];
  /**
   * The address of a vector constant that repeats a 32-bit pattern four times, or a 64-bit pattern
   * twice.
   */
  readonly constantAt: (low: number, high: number) => number;
}

/** The bytes of a cell in memory. f16 and bf16 are stored as f32. */
export function bytesOfCell(element: ElementType): number {
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
 * A read before its guard is tested may lie this far outside of its tensor. Memory is padded by as
 * much.
 */
export const slackBytes = 1 << 16;

/** Notes that the coordinate of a side is on that side. */
export function knowSide(kernel: Kernel, { variable, from, to }: Side): void {
  kernel.known.set(variable, { least: from, most: to - 1 });
}
