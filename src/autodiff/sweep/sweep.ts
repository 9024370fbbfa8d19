// The state of one sweep: what has arrived where, which adjoints are known and where they are 0,
// and a trace for those who explain it.

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

/** Where new definitions get their names. */
export interface Workshop {
  readonly claim: (wanted: string) => string;
  /** What is known of sizes. */
  readonly known: readonly Fact[];
  /** Whether what is derived is differentiated again. */
  readonly isDerivedAgain?: boolean;
  /**
   * Keeps the calls in a definition for their pullbacks; absent where the program is to be read, as
   * formulas.
   */
  readonly keepCalls?: (
    definition: Definition,
    varies: (definition: Definition) => boolean,
    known: readonly Fact[],
    define: Define,
  ) => void;
  /** Keeps them in their steps, in a recurrence of which some tensors are members. */
  readonly keepCallsInSteps?: (
    definition: Definition,
    varies: (definition: Definition) => boolean,
    isOwn: (definition: Definition) => boolean,
    known: readonly Fact[],
    define: Define,
  ) => void;
  /** The same for products whose factors data chooses. */
  readonly keepProducts?: (definition: Definition, known: readonly Fact[], define: Define) => void;
  /**
   * Splits running sums of expressions into the expressions and their running sums, and gives the
   * expressions.
   */
  readonly splitRunning?: (
    definition: Definition,
    known: readonly Fact[],
    define: Define,
  ) => readonly Definition[];
  /** Splits contractions of many factors into smaller ones. */
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

/** What splitting has to know of the definitions that a derivative goes through. */
export interface Around {
  readonly varies: (definition: Definition) => boolean;
  /** Its gradient is 1: nothing has to be read for it. */
  readonly numerator: Definition;
  /** The definitions that read themselves, directly or through others. */
  readonly recurrent: ReadonlySet<Definition>;
}

/** What ends a derivative on its path, and the definition that has it. */
export interface Problem {
  readonly stopped: Stopped;
  readonly through: Definition;
}

export interface Backward {
  /** The adjoint of each denominator; none where no path leads to it. */
  readonly adjoints: ReadonlyMap<Definition, Definition>;
  readonly problems: readonly Problem[];
}

/** A backward program that also tells how it came about. */
export interface Swept extends Backward {
  readonly trace: Trace;
}

/** How the sweep went, for those who explain it. */
interface Trace {
  /** Every read that was passed back through, from the numerator on. */
  readonly pullbacks: readonly Pullback[];
  /** The adjoint of each definition on the way. */
  readonly adjoints: ReadonlyMap<Definition, Definition>;
  /** Definitions of pieces that are summed on their own before they are added up. */
  readonly parts: ReadonlyMap<Piece, Definition>;
}

/** One read, transposed. */
export interface Pullback {
  readonly output: Definition;
  readonly through: Passing;
  readonly read: Extract<Scalar, { kind: "read" }>;
  /** The coordinates of the output's clause, then those of its reduction. */
  readonly loops: readonly Loop[];
  /** The output's adjoint in these coordinates; absent for the numerator, whose own is 1. */
  readonly incoming?: Scalar;
  /** The local derivative, in these coordinates. */
  readonly local: Scalar;
  readonly piece: Piece;
}

/** What a gradient passes through: a clause, a tangent rule, or the gate at which it comes in. */
type Passing =
  | { readonly kind: "clause"; readonly clause: Clause }
  | { readonly kind: "rule" }
  | { readonly kind: "start" };

/** Definitions that one tangent at each point stands for. */
export interface Together {
  /** Those that the sweep has not come to. */
  readonly awaited: Set<Definition>;
  /** The gradients of the others. */
  readonly arrived: Map<Definition, Adjoint>;
  /** What these send to what the points are made of, as readers see it. */
  readonly formulas: Map<Definition, readonly Arrived[]>;
  /** The part of it that goes by way of their weights. */
  readonly held: Map<Definition, readonly Arrived[]>;
}

export interface Sweep {
  /** Axes of the numerator that are no lanes. */
  readonly common: ReadonlySet<number>;
  readonly denominators: ReadonlySet<Definition>;
  readonly graph: Graph;
  readonly activity: Activity;
  readonly opaque: Opaque;
  readonly known: readonly Fact[];
  readonly define: Define;
  readonly workshop: Workshop;
  readonly pieces: Map<Definition, Arrived[]>;
  /** Axes before those of every adjoint, where many gradients are sent back at once. */
  readonly lanes: readonly Axis[];
  /**
   * The numerator, where each of its cells sends back a gradient of its own, in the lane of that
   * cell.
   */
  readonly cells?: Definition;
  /** What is known of each adjoint, by its definition. */
  readonly adjoints: Map<Definition, Adjoint>;
  /** Sums that have cells, by what is summed. */
  readonly sums: Map<string, Definition>;
  /** What was moved out of sums, by what it computes. */
  readonly factors: Map<string, Definition>;
  /** The loops of the recurrences that the sweep has come to. */
  readonly loops: Map<Definition, readonly LoopStep[]>;
  /** The members of the recurrence that the sweep is in. */
  readonly recurrence: readonly Definition[];
  /** Slopes and gradients that are taken back together, point by point. */
  readonly together: Map<Points, Together>;
  readonly problems: Problem[];
  readonly trace: {
    readonly pullbacks: Pullback[];
    readonly adjoints: Map<Definition, Definition>;
    readonly parts: Map<Piece, Definition>;
  };
  /** Adjoints of the recurrence that the sweep is in. */
  readonly isOpen: (definition: Definition) => boolean;
}

export interface Arrived {
  /** The definition that sends it. */
  readonly from: Definition;
  /** Which of its clauses does, or its adjoint as it is; absent for what was added up before. */
  readonly by?: number | "adjoint";
  readonly piece: Piece;
  readonly zeros: Zeros;
}

/** An adjoint, and where it is known to be 0 because of a guard. */
export interface Adjoint {
  readonly definition: Definition;
  /** Guards in the adjoint's own coordinates outside of which it is 0. */
  readonly support?: { readonly loops: readonly Loop[]; readonly guards: readonly Scalar[] };
  readonly zeros: Zeros;
  /** The same number in every cell: a factor that need not be read. */
  readonly constant?: number;
}

/** The guards outside of which an adjoint is 0, for one of its cells. */
export function supportAt(
  support: NonNullable<Adjoint["support"]>,
  cell: readonly Scalar[],
): readonly Scalar[] {
  const by = atIndices(support.loops, cell);
  return support.guards.map((guard) => instantiate(guard, by));
}

/**
 * Whether an adjoint may be 0 in some cells whatever comes in: because a guard filters them that
 * its coordinates do not decide, or because nothing reads them.
 */
type Zeros = "none" | "unread" | "guarded";

const order: readonly Zeros[] = ["none", "unread", "guarded"];

export function most(kinds: readonly Zeros[]): Zeros {
  return order[Math.max(0, ...kinds.map((kind) => order.indexOf(kind)))]!;
}

/**
 * What the conditions of pieces that are summed say about zeros: a cell that one of them always
 * reaches is read.
 */
export function zerosOf(arrived: readonly Arrived[]): Zeros {
  const own = arrived.map(({ piece }): Zeros =>
    piece.guards.length > 0
      ? "guarded"
      : piece.ranges.length + piece.ties.length > 0
        ? "unread"
        : "none",
  );
  const some = own.includes("guarded")
    ? "guarded"
    : own.every((kind) => kind === "unread")
      ? "unread"
      : "none";
  return most([some, ...arrived.map((each) => each.zeros)]);
}

/** Loops over the lanes and every cell of a definition. */
export function loopsFor(sweep: Sweep, definition: Definition): readonly Loop[] {
  return wholeLoops({ axes: [...sweep.lanes, ...definition.axes] });
}

/** The axes of what is sent back to a definition. */
export function axesFor(sweep: Sweep, definition: Definition): readonly Axis[] {
  return [...sweep.lanes, ...definition.axes];
}
