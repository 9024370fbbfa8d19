// The data of an explanation. For each gradient, from the numerator back, it has every read that
// contributes to it: the coordinate ledger, the five steps and, for a held cell, the numbers. Text,
// JSON, HTML and TeX are made of this data.

import type { ElementType, Scalar as Value } from "../../scalar/types.ts";

export interface Explanation {
  /** The request as in the source: `@loss / @W`, `@(@y / @x) / @x`. */
  readonly request: string;
  readonly of: string;
  readonly wrt: readonly string[];
  /** One step for each gradient, from the numerator back to the denominators. */
  readonly gradients: readonly GradientStep[];
  /** Denominators that the numerator does not depend on. */
  readonly independent: readonly string[];
  /**
   * The inputs and the cotangent that have drawn values. The numbers of a held cell come from them.
   */
  readonly drawn: readonly string[];
  /** The whole backward program, as `ein grad` prints it. */
  readonly source: string;
}

/** How one gradient is made. */
export interface GradientStep {
  /** The name of the value. `gradient` is the name of its gradient. */
  readonly value: string;
  /** The expression of a value that has no name in the source. */
  readonly expression?: string;
  readonly gradient: string;
  readonly pullbacks: readonly PullbackStep[];
  /**
   * The lines of source that define the gradient. Empty if the gradient is another one without a
   * change.
   */
  readonly lines: readonly string[];
  readonly cell?: CellAccount;
}

/** The pullback through one read: the five steps as text. */
export interface PullbackStep {
  readonly forward: ForwardLine;
  readonly ledger: Ledger;
  /** Step 1: the held cell, `A[i, k]`. */
  readonly hold: string;
  /**
   * Step 2: the output cells that read the held cell: `C[i, j]` for every `j in 0..4`, under
   * conditions.
   */
  readonly cells: {
    readonly cell: string;
    readonly every: readonly string[];
    readonly where: readonly string[];
  };
  /**
   * Step 3: the incoming gradient at such an output cell. Absent at the numerator, where it is 1.
   */
  readonly incoming?: string;
  /** Step 4: the local derivative. Absent if it is 1. */
  readonly local?: string;
  /** Long parts of the other texts under a name: `u = exp(…)`. */
  readonly bindings: readonly string[];
  /** Step 5: the coordinates of the sum, and the sum. */
  readonly over: readonly string[];
  readonly sum: string;
}

/** A line of the forward program, and its place. */
export interface ForwardLine {
  readonly text: string;
  readonly line?: number;
  /** The name of the value that the line defines. */
  readonly output: string;
  /** The read in the line that the pullback goes through: `W[out, in]`. */
  readonly read: string;
  /** A line of the program, the rule of a function, or the place at which a cotangent comes in. */
  readonly kind: "line" | "rule" | "start";
}

/** What becomes of each coordinate when a read is transposed. */
export interface Ledger {
  /** The coordinates of the output, and the coordinates with which the operand is read. */
  readonly output: readonly string[];
  readonly operand: readonly string[];
  /**
   * Output minus operand: coordinates that the held cell does not determine. The pullback sums over
   * them.
   */
  readonly path: readonly string[];
  /** Coordinates of both. */
  readonly kept: readonly string[];
  /** Coordinates of the forward reduction. The ones that the held cell determines are restored. */
  readonly consumed: readonly string[];
  readonly restored: readonly string[];
  /**
   * Coordinates of the operand that the incoming gradient lacks, and the factors that have them.
   */
  readonly supplied: readonly { readonly coordinate: string; readonly by: readonly string[] }[];
  /** Coordinates with another value than their own name, by the index equations: `oh = ih - kh`. */
  readonly solved: readonly { readonly coordinate: string; readonly value: string }[];
  /** Conditions that come from solving the index equations: which output cells exist. */
  readonly guards: readonly string[];
  /** Guards of the forward program. They guard the gradient, too. */
  readonly filters: readonly string[];
  /**
   * Index equations that only data can solve. They tie the held cell to the coordinates of the sum.
   */
  readonly ties: readonly string[];
  /** The coordinates of the held cell. */
  readonly held: readonly string[];
}

/** One held cell of a gradient, with numbers from a run. */
export interface CellAccount {
  readonly type: ElementType;
  readonly position: readonly number[];
  readonly contributions: readonly Contribution[];
  /** The cell of the gradient, computed by the backward program. */
  readonly value: Value;
}

export interface Contribution {
  /** The number of the pullback, among the pullbacks of the gradient. */
  readonly through: number;
  /** The output cell that reads the held cell: `C[1, 0]`. */
  readonly cell: string;
  readonly position: readonly number[];
  /** The factors as text and as numbers. */
  readonly incoming?: { readonly text: string; readonly value: Value };
  readonly local?: { readonly text: string; readonly value: Value };
  readonly value: Value;
}
