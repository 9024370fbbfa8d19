// What an explanation is made of: for each gradient on the way from the numerator back, every read
// that it comes through, with its coordinate ledger, its five steps and, for one held cell, the
// numbers. Text, JSON, HTML and TeX are written from it.

import type { ElementType, Scalar as Value } from "../../scalar/types.ts";

export interface Explanation {
  /** What is asked, as the source has it: `@loss / @W`, `@(@y / @x) / @x`. */
  readonly request: string;
  readonly of: string;
  readonly wrt: readonly string[];
  /** One for each gradient, from the numerator back to the denominators. */
  readonly gradients: readonly GradientStep[];
  /** Denominators that the numerator does not depend on. */
  readonly independent: readonly string[];
  /**
   * Inputs, and the incoming gradient, that nobody gave: the numbers of a held cell come from drawn
   * values.
   */
  readonly drawn: readonly string[];
  /** The whole backward program, as `ein grad` prints it. */
  readonly source: string;
}

/** How the gradient of one value comes about. */
export interface GradientStep {
  /** The value, and the name of its gradient. */
  readonly value: string;
  /** The expression of the source that it is, where that gives it no name. */
  readonly expression?: string;
  readonly gradient: string;
  readonly pullbacks: readonly PullbackStep[];
  /** The lines of source that say the same; none where the gradient is handed on as it is. */
  readonly lines: readonly string[];
  readonly cell?: CellAccount;
}

/** One read, passed back through: the five steps, written with names. */
export interface PullbackStep {
  readonly forward: ForwardLine;
  readonly ledger: Ledger;
  /** 1. The held cell, `A[i, k]`. */
  readonly hold: string;
  /** 2. The output cells that read it: `C[i, j]`, for every `j in 0..4`, where conditions hold. */
  readonly cells: {
    readonly cell: string;
    readonly every: readonly string[];
    readonly where: readonly string[];
  };
  /** 3. The gradient that comes in at such a cell; absent at the numerator, whose own is 1. */
  readonly incoming?: string;
  /** 4. The local derivative; absent where it is 1. */
  readonly local?: string;
  /** Long parts that the other texts name: `u = exp(…)`. */
  readonly bindings: readonly string[];
  /** 5. What is summed over, and the sum. */
  readonly over: readonly string[];
  readonly sum: string;
}

/** A line of the forward program, and the place of it. */
export interface ForwardLine {
  readonly text: string;
  readonly line?: number;
  /** The name of the value that it defines. */
  readonly output: string;
  /** The read in it that is passed back through: `W[out, in]`. */
  readonly read: string;
  /**
   * A line of the program, a rule that it gives for a function, or the place where a gradient comes
   * in from outside.
   */
  readonly kind: "line" | "rule" | "start";
}

/** Which coordinate goes where, as the transposition has solved it. */
export interface Ledger {
  /** The coordinates of the output, and those under which the operand is read. */
  readonly output: readonly string[];
  readonly operand: readonly string[];
  /** Output minus operand: what the held cell leaves open, and the backward pass collects. */
  readonly path: readonly string[];
  /** In both. */
  readonly kept: readonly string[];
  /** Consumed by the forward reduction; those that the held cell fixes are restored. */
  readonly consumed: readonly string[];
  readonly restored: readonly string[];
  /**
   * Coordinates of the operand that the incoming gradient lacks, and the factors that have them.
   */
  readonly supplied: readonly { readonly coordinate: string; readonly by: readonly string[] }[];
  /**
   * Coordinates that the index equations give another value than their own name: `oh = ih - kh`.
   */
  readonly solved: readonly { readonly coordinate: string; readonly value: string }[];
  /** Conditions that index inversion brought: which cells exist. */
  readonly guards: readonly string[];
  /** Conditions of the forward program, which gate the gradient as well. */
  readonly filters: readonly string[];
  /** Index equations that only data can solve: they tie the cell to what is summed. */
  readonly ties: readonly string[];
  /** The coordinates of the held cell. */
  readonly held: readonly string[];
}

/** One held cell, with numbers from a run. */
export interface CellAccount {
  readonly type: ElementType;
  readonly position: readonly number[];
  readonly contributions: readonly Contribution[];
  /** The cell of the gradient, computed by the backward program. */
  readonly value: Value;
}

export interface Contribution {
  /** Which of the gradient's pullbacks it comes through. */
  readonly through: number;
  /** The output cell that reads the held one: `C[1, 0]`. */
  readonly cell: string;
  readonly position: readonly number[];
  /** The factors as they stand, and as numbers. */
  readonly incoming?: { readonly text: string; readonly value: Value };
  readonly local?: { readonly text: string; readonly value: Value };
  readonly value: Value;
}
