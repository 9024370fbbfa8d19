// What a unit is once it is ready for kernels, and what decides how it becomes so.

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

/** What decides how units are compiled, beside sizes. */
export interface Setting {
  readonly machine: Machine;
  readonly storage: Storage;
  readonly fused: Fused;
  /** What the unit may read, with what is computed where it is read seen through. */
  readonly reads: ReadonlySet<Definition>;
  /** The place of a definition in the order of computation. */
  readonly indexOf: ReadonlyMap<Definition, number>;
  /** How something that is there lies in memory. */
  readonly layoutOf: (read: Definition) => Layout;
  /**
   * How many bytes would have to be brought out if the oracle read something; no number is enough
   * for a window.
   */
  readonly bytesInside: (read: Definition) => number;
  /** How many bytes would have to be brought in if a kernel read something. */
  readonly bytesOutside: (read: Definition) => number;
  /** Units that do less are the oracle's. */
  readonly leastWork: number;
  /** Unless the whole is worth a kernel for everything. */
  readonly isWorthwhile: boolean;
  /** Contractions with fewer products are reduced cell by cell. */
  readonly leastProducts: number;
  /** Whether others go through the same points next to the unit. */
  readonly hasCompanions: boolean;
}

/** A unit that is ready to be run, wherever its cells will be. */
export interface Prepared {
  readonly unit: Unit;
  /** The definitions that it computes, and how they lie. */
  readonly outputs: ReadonlyMap<Definition, Layout>;
  /** Cells that only the unit itself uses. */
  readonly scratch: ReadonlyMap<Definition, Layout>;
  readonly reads: ReadonlySet<Definition>;
  /** Whether a kernel may stop in the middle. */
  readonly mayFail: boolean;
  readonly work: PreparedCells | PreparedLoop;
}

export interface PreparedCells {
  readonly kind: "cells";
  readonly runner: Runner;
  /** What is read elsewhere than at the same row. */
  readonly elsewhere: ReadonlySet<Definition>;
  /** Operands in whose place the result can be written, cell by cell. */
  readonly inPlace: readonly Definition[];
}

export interface PreparedLoop {
  readonly kind: "loop";
  readonly unit: GroupUnit;
  readonly extent: number;
  /** All that runs in the loop, and the number of its first step. */
  readonly runner: StepRunner;
  readonly start: number;
  readonly sums: readonly RunningSum[];
  /** The recurrence again from a saved state, and what it asks for before. */
  readonly again?: Again;
}

export interface Again {
  readonly runner: StepRunner;
  readonly start: number;
  /** Steps before the first that what feeds the recurrence needs. */
  readonly early?: StepRunner;
}

/** What stands for the integers of a unit: numbers, or reads of the scalars that have them. */
export interface GivenIntegers {
  readonly fixed: ReadonlyMap<Variable, number>;
  readonly read: ReadonlyMap<Variable, Definition>;
}
