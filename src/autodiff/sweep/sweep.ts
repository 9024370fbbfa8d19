// This folder sweeps through a program, backward from the numerator or forward from the
// denominator, and makes the definitions of the derivative. It does not know the rules of single
// operations and reductions: they are in `rules` and `scalar`.
//
// This file has the state of one backward sweep: the contributions that have arrived, the adjoints
// and where they are 0, and a trace for explanations.

import type { Fact } from "../../affine/prove.ts";
import type { Opaque } from "../../analyse/facts.ts";
import type { Axis, Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { instantiate, atIndices } from "../../ir/substitute.ts";
import type { Activity } from "./activity.ts";
import { wholeLoops, type Define } from "./cells.ts";
import type { Graph } from "./graph.ts";
import type { Stopped } from "../legality/stops.ts";
import type { LoopStep } from "./order.ts";
import type { Points } from "../data/within/step-calls.ts";
import type { Piece } from "../transpose/transpose.ts";

/**
 * What a sweep needs from its surroundings: names for new definitions, and the optional rewrites.
 */
export interface Workshop {
  readonly claim: (wanted: string) => string;
  /** Facts about sizes. */
  readonly known: readonly Fact[];
  /** Whether the derivative is differentiated again. */
  readonly isDerivedAgain?: boolean;
  /**
   * Keeps the results of calls in a definition for the pullbacks of the calls. Absent if the
   * derivative is for readers, who see formulas.
   */
  readonly keepCalls?: (
    definition: Definition,
    varies: (definition: Definition) => boolean,
    known: readonly Fact[],
    define: Define,
  ) => void;
  /**
   * Does the same in a recurrence: results are kept in the step of their call. `isOwn` tells the
   * tensors that are members of the recurrence.
   */
  readonly keepCallsInSteps?: (
    definition: Definition,
    varies: (definition: Definition) => boolean,
    isOwn: (definition: Definition) => boolean,
    known: readonly Fact[],
    define: Define,
  ) => void;
  /** Does the same for products whose factors data chooses. */
  readonly keepProducts?: (definition: Definition, known: readonly Fact[], define: Define) => void;
  /**
   * Splits a running sum of an expression into the expression and the running sum. Gives the
   * definitions of the expressions.
   */
  readonly splitRunning?: (
    definition: Definition,
    known: readonly Fact[],
    define: Define,
  ) => readonly Definition[];
  /** Splits contractions of many factors into smaller contractions. */
  readonly splitContractions?:
    | ((
        definition: Definition,
        varies: (definition: Definition) => boolean,
        define: Define,
      ) => void)
    | undefined;
  /** Splits long expressions into parts. */
  readonly splitExpressions?:
    ((definitions: readonly Definition[], around: Around, define: Define) => void) | undefined;
}

/**
 * What the splitting of expressions needs to know of the definitions that a derivative passes
 * through.
 */
export interface Around {
  readonly varies: (definition: Definition) => boolean;
  /** The numerator. Its gradient is 1 and need not be read. */
  readonly numerator: Definition;
  /** The definitions that read themselves, directly or through others. */
  readonly recurrent: ReadonlySet<Definition>;
}

/** An operation at which a derivative ends, and the definition that contains it. */
export interface Problem {
  readonly stopped: Stopped;
  readonly through: Definition;
}

export interface Backward {
  /** The adjoint of each denominator. A denominator without a path from the numerator has none. */
  readonly adjoints: ReadonlyMap<Definition, Definition>;
  readonly problems: readonly Problem[];
}

/** A backward program with a record of its sweep. */
export interface Swept extends Backward {
  readonly trace: Trace;
}

/** The record of a sweep, for explanations. */
interface Trace {
  /** Every read that was transposed, from the numerator back. */
  readonly pullbacks: readonly Pullback[];
  /** The adjoint of each definition on the way. */
  readonly adjoints: ReadonlyMap<Definition, Definition>;
  /** The definitions of pieces that are sums of their own, before all pieces are added up. */
  readonly parts: ReadonlyMap<Piece, Definition>;
}

/** The transposition of one read. */
export interface Pullback {
  readonly output: Definition;
  readonly through: Passing;
  readonly read: Extract<Scalar, { kind: "read" }>;
  /** The loops of the output's clause, and then those of its reduction. */
  readonly loops: readonly Loop[];
  /**
   * The cell of the output's adjoint, in the coordinates of the loops. Absent at the numerator,
   * where it is 1.
   */
  readonly incoming?: Scalar;
  /** The local derivative, in the coordinates of the loops. */
  readonly local: Scalar;
  readonly piece: Piece;
}

/** What a gradient passes through: a clause, a tangent rule, or the numerator where it comes in. */
type Passing =
  | { readonly kind: "clause"; readonly clause: Clause }
  | { readonly kind: "rule" }
  | { readonly kind: "start" };

/**
 * Slopes and gradients of the same points. Their cotangents are collected, and then one tangent at
 * each point is sent back for all of them.
 */
export interface Together {
  /** The definitions that the sweep has not reached yet. */
  readonly awaited: Set<Definition>;
  /** The cotangents of the definitions that the sweep has reached. */
  readonly arrived: Map<Definition, Adjoint>;
  /** The contributions of these cotangents, as readers see them. */
  readonly formulas: Map<Definition, readonly Arrived[]>;
  /** The share of the contributions that comes from the weights of the definitions. */
  readonly held: Map<Definition, readonly Arrived[]>;
}

export interface Sweep {
  /** Axes of the numerator that are not lanes. */
  readonly common: ReadonlySet<number>;
  readonly denominators: ReadonlySet<Definition>;
  readonly graph: Graph;
  readonly activity: Activity;
  readonly opaque: Opaque;
  readonly known: readonly Fact[];
  readonly define: Define;
  readonly workshop: Workshop;
  readonly pieces: Map<Definition, Arrived[]>;
  /** The axes before the axes of every adjoint, if several pullbacks run at once. */
  readonly lanes: readonly Axis[];
  /** The numerator, if each of its cells has a lane with a gradient of its own. */
  readonly cells?: Definition;
  /** The adjoints by their definitions, with facts about them. */
  readonly adjoints: Map<Definition, Adjoint>;
  /** Sums that are definitions already, by their terms. */
  readonly sums: Map<string, Definition>;
  /** Factors that were moved out of sums, by their values. */
  readonly factors: Map<string, Definition>;
  /** The loops of each recurrence that the sweep has reached. */
  readonly loops: Map<Definition, readonly LoopStep[]>;
  /** The members of the recurrence that is being differentiated. */
  readonly recurrence: readonly Definition[];
  /** Slopes and gradients that are sent back together, by their points. */
  readonly together: Map<Points, Together>;
  readonly problems: Problem[];
  readonly trace: {
    readonly pullbacks: Pullback[];
    readonly adjoints: Map<Definition, Definition>;
    readonly parts: Map<Piece, Definition>;
  };
  /** Is this an adjoint of the recurrence that is being differentiated? */
  readonly isOpen: (definition: Definition) => boolean;
}

/** A contribution to an adjoint. */
export interface Arrived {
  /** The definition that sends the contribution. */
  readonly from: Definition;
  /**
   * The clause that sends it, by its number, or `adjoint` if the adjoint is passed on without a
   * change. Absent for contributions that were added up before.
   */
  readonly by?: number | "adjoint";
  readonly piece: Piece;
  readonly zeros: Zeros;
}

/** An adjoint, and what is known about its zeros. */
export interface Adjoint {
  readonly definition: Definition;
  /** Guards in the coordinates of the adjoint. Outside of them the adjoint is 0. */
  readonly support?: { readonly loops: readonly Loop[]; readonly guards: readonly Scalar[] };
  readonly zeros: Zeros;
  /** The value, if it is the same number in every cell. Then it need not be read. */
  readonly constant?: number;
}

/** The guards outside of which an adjoint is 0, at one cell of the adjoint. */
export function supportAt(
  support: NonNullable<Adjoint["support"]>,
  cell: readonly Scalar[],
): readonly Scalar[] {
  const by = atIndices(support.loops, cell);
  return support.guards.map((guard) => instantiate(guard, by));
}

/**
 * Why an adjoint may be 0 in some cells: nothing reads them, or a guard that depends on more than
 * coordinates filters them.
 */
type Zeros = "none" | "unread" | "guarded";

const byStrength: readonly Zeros[] = ["none", "unread", "guarded"];

export function most(kinds: readonly Zeros[]): Zeros {
  return byStrength[Math.max(0, ...kinds.map((kind) => byStrength.indexOf(kind)))]!;
}

/**
 * The zeros of a sum of contributions. A cell that some contribution reaches without conditions is
 * read.
 */
export function zerosOf(arrived: readonly Arrived[]): Zeros {
  const kinds = arrived.map(({ piece }): Zeros =>
    piece.guards.length > 0
      ? "guarded"
      : piece.ranges.length + piece.ties.length > 0
        ? "unread"
        : "none",
  );
  const sum = kinds.includes("guarded")
    ? "guarded"
    : kinds.every((kind) => kind === "unread")
      ? "unread"
      : "none";
  return most([sum, ...arrived.map((each) => each.zeros)]);
}

/** Loops over the lanes and over every cell of a definition. */
export function loopsFor(sweep: Sweep, definition: Definition): readonly Loop[] {
  return wholeLoops({ axes: [...sweep.lanes, ...definition.axes] });
}

/** The axes of an adjoint: the lanes, and the axes of its definition. */
export function axesFor(sweep: Sweep, definition: Definition): readonly Axis[] {
  return [...sweep.lanes, ...definition.axes];
}
