// Lists the rules of the optimiser by name. A rule tells the listener what it did to a
// definition; `--dump optimise` and `--dump RULE` print it.

import type { Names } from "../print/scalar.ts";
import type { Definition } from "../ir/program.ts";
import type { Sized } from "./regions/regions.ts";

/** The rules, each with what it does. Every rewrite is reported under one of these names. */
export const rules = {
  inline: "a map that is cheap, or read once, is computed where it is read",
  merge: "a reduction that one map reads cell by cell becomes the first part of that map",
  share:
    "an expression that an earlier map has computed, at whatever coordinates, " +
    "is a read of its cells",
  twins: "of reductions that are the same but for the names of their coordinates, one is computed",
  shares:
    "the shares of terms in a logsumexp are computed along with it, with one exponential a cell",
  apart:
    "a reduction that no step of a recurrence changes is computed before its loop, " +
    "for all steps at once",
  fold: "constants, and what the ranges of coordinates decide, are what they come to",
  tighten: "a guard that bounds a reduced coordinate becomes an end of its range",
  hoist: "a finite factor that all terms of a sum share is applied to the sum",
  boxes:
    "cells are divided where a guard or a clause begins or ends, " +
    "so that most boxes have one case without guards",
  phases:
    "cells to which a stride sends the same terms are taken together, " +
    "as dense sums without the remainder's guard",
  siblings: "reductions of a cell over the same positions share one loop",
  order: "the reduced coordinate whose terms lie nearest to one another is walked innermost",
  scatter: "terms that know their cells are walked once, each added to where it goes",
  scan: "a reduction whose range grows from cell to cell goes on from its neighbour",
  multiply: "a sum of products is multiplied out as matrices",
  operand:
    "what a product does not read as it lies is made first, over as few coordinates as it has",
  blocks: "a long reduction of few cells is taken in blocks, then over the blocks",
  together: "kernels over the same rows run strip by strip, while the rows are in the cache",
  rows: "kernels along the same rows are one, in as few passes over a row as what they read allows",
  rolling: "of a recurrence only the steps that are read again are kept",
  checkpoints: "of a recurrence some states are kept, and the steps between are computed again",
  tracks:
    "positions of a recurrence that know nothing of one another go through many steps each, " +
    "on as many threads",
  place: "a map is written over an operand that nobody reads any more",
  release: "cells give their place back after their last reader",
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
