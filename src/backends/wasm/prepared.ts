// The types of prepared units, and of what decides how units are prepared.

import { type Variable } from "../../affine/term.ts";
import type { Definition } from "../../ir/program.ts";
import { type Storage } from "../../plan/storage.ts";
import type { Fused } from "../../plan/fuse.ts";
import type { Machine } from "../interpret/machine.ts";
import type { Unit } from "../order.ts";
import type { Layout } from "./code/kernels.ts";
import { type RunningSum } from "./loops/sums.ts";
import type { Runner, StepRunner } from "./runners.ts";

export type GroupUnit = Extract<Unit, { kind: "group" }>;

/** What decides how units are compiled, beside the sizes. */
export interface Setting {
  readonly machine: Machine;
  readonly storage: Storage;
  readonly fused: Fused;
  /** The definitions that the unit may read. An inlined definition is replaced by what it reads. */
  readonly reads: ReadonlySet<Definition>;
  /** The position of each definition in the order of computation. */
  readonly indexOf: ReadonlyMap<Definition, number>;
  /** How a definition that has been computed lies in memory. */
  readonly layoutOf: (read: Definition) => Layout;
  /**
   * How many bytes the oracle would have to copy out of the memory to read a definition. A
   * definition of which only the last steps are kept cannot be read as a whole: infinity.
   */
  readonly bytesInside: (read: Definition) => number;
  /** How many bytes would have to be copied into the memory for a kernel to read a definition. */
  readonly bytesOutside: (read: Definition) => number;
  /** A unit with less work than this is left to the oracle. */
  readonly leastWork: number;
  /** Whether the program has so many cells that every unit is worth a kernel. */
  readonly isWorthwhile: boolean;
  /** A contraction with fewer products than this is reduced cell by cell. */
  readonly leastProducts: number;
  /** Whether the units next to this one go through the same points. */
  readonly hasCompanions: boolean;
}

/** A unit that is ready to run, wherever its cells will lie. */
export interface Prepared {
  readonly unit: Unit;
  /** The definitions that the unit computes, and how their cells lie. */
  readonly outputs: ReadonlyMap<Definition, Layout>;
  /** Cells that only the unit itself uses. */
  readonly scratch: ReadonlyMap<Definition, Layout>;
  readonly reads: ReadonlySet<Definition>;
  /** Whether a kernel may stop before its end. */
  readonly mayFail: boolean;
  readonly work: PreparedCells | PreparedLoop;
}

export interface PreparedCells {
  readonly kind: "cells";
  readonly runner: Runner;
  /** The definitions that are read at other rows than the one being computed. */
  readonly elsewhere: ReadonlySet<Definition>;
  /** The operands that the result may overwrite cell by cell. */
  readonly inPlace: readonly Definition[];
}

export interface PreparedLoop {
  readonly kind: "loop";
  readonly unit: GroupUnit;
  readonly extent: number;
  /** Everything that runs in the loop, and the number of its first step. */
  readonly runner: StepRunner;
  readonly start: number;
  readonly sums: readonly RunningSum[];
  /** How to compute steps of the recurrence again from a saved state. */
  readonly again?: Again;
}

export interface Again {
  readonly runner: StepRunner;
  readonly start: number;
  /** Runs what feeds the recurrence for the steps before its first one. */
  readonly early?: StepRunner;
}

/** The values of a unit's integers: numbers, or reads of the scalars that hold them. */
export interface GivenIntegers {
  readonly fixed: ReadonlyMap<Variable, number>;
  readonly read: ReadonlyMap<Variable, Definition>;
}
