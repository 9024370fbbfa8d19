// Lists the rules of the optimiser by name. A rule tells the listener what it did to a
// definition; `--dump optimise` and `--dump RULE` print it.

import type { Names } from "../print/scalar.ts";
import type { Definition } from "../ir/program.ts";
import type { Sized } from "./regions/regions.ts";

/** The rules, each with what it does. Every rewrite is reported under one of these names. */
export const rules = {
  inline: "a map that is cheap, or read once, is inlined where it is read",
  merge: "a reduction that one map reads cell by cell becomes the first part of that map",
  share:
    "an expression that an earlier map has computed, at any coordinates, is read from that map",
  twins: "of two reductions that differ only in the names of their coordinates, one is computed",
  shares:
    "the shares of the terms of a logsumexp are computed with it, with one exponential for a cell",
  apart:
    "a reduction that does not read the recurrence around it is computed before the " +
    "loop, for all steps at once",
  fold: "constants are computed, and conditions that ranges decide are replaced by their outcome",
  tighten: "a guard that bounds a reduced coordinate becomes an end of its range",
  hoist: "a finite factor that all terms of a sum share is applied to the sum",
  boxes:
    "cells are divided into boxes where a guard or a clause begins or ends, so that " +
    "most boxes need no guard",
  phases:
    "cells that a stride gives the same terms are computed together, as dense sums " +
    "without the guard of the remainder",
  siblings: "reductions of a cell over the same positions share one loop",
  order: "the innermost loop is the reduced coordinate whose terms lie nearest to one another",
  scatter: "a scatter goes through its terms once, and adds each term to its cell",
  scan: "a reduction whose range grows from cell to cell continues from the cell before",
  multiply: "a sum of products is computed as a product of matrices",
  operand:
    "an operand that a product cannot read in place is computed first, over only the " +
    "coordinates that it has",
  blocks: "a long reduction of few cells is computed in blocks, and then over the blocks",
  together: "kernels over the same rows run strip by strip, while the rows are in the cache",
  rows:
    "kernels along the same rows become one kernel, with as few passes over a row as " +
    "its reads allow",
  rolling: "a recurrence keeps only the steps that are read again",
  checkpoints: "a recurrence keeps some states, and computes the steps between them again",
  tracks:
    "threads share out the independent positions of a recurrence, and take many steps at a time",
  place: "a map is written over an operand that is not read again",
  release: "the memory of cells is released after their last reader",
} as const satisfies Record<string, string>;

export type RuleName = keyof typeof rules;

// Only printing needs the list. The mark lets a bundler drop it from a page that does not print.
export const ruleNames: readonly RuleName[] = /* @__PURE__ */ Object.keys(rules) as RuleName[];

/** What a rule has done, in words. */
export type Says = (names: Names) => string;

/** Is told about rewrites while a run makes its kernels. */
export interface Listener {
  /** A rule has rewritten a part of a definition. */
  rewrote(rule: RuleName, definition: Definition, says: Says): void;
  /** A definition has reached its final form. */
  became(sized: Sized): void;
}

let listener: Listener | undefined;
let subject: Definition | undefined;

export function heardBy<T>(by: Listener | undefined, action: () => T): T {
  const before = listener;
  listener = by;
  try {
    return action();
  } finally {
    listener = before;
  }
}

/** Whether there is a listener. A caller can ask this before it prepares an expensive text. */
export function isHeard(): boolean {
  return listener !== undefined;
}

/** Rewrites that `action` reports without a definition are rewrites of this definition. */
export function concerning<T>(definition: Definition, action: () => T): T {
  const before = subject;
  subject = definition;
  try {
    return action();
  } finally {
    subject = before;
  }
}

/** Reports that a rule has rewritten the definition, or that of the surrounding `concerning`. */
export function noted(rule: RuleName, says: Says, definition = subject): void {
  if (definition) listener?.rewrote(rule, definition, says);
}

export function became(sized: Sized): Sized {
  listener?.became(sized);
  return sized;
}
