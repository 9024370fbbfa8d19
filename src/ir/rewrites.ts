// The rewrites of the compiler by name, and which of them are switched off:
//
//   EIN_WITHOUT=loop-invariant,twins npx ein run program.ein
//
// A rewrite keeps the meaning of a program. If one is switched off, every value stays, and only
// time, memory or the printed text change. `npm run ablate` measures what each rewrite is good for.

/** Rewrites of derivatives, in the order in which a backward program meets them. */
export const derivedRewrites = {
  "split-running": "a running sum of an expression is the expression and its running sum",
  "split-contractions": "a contraction of many factors is a chain of smaller ones",
  "split-expressions": "an expression that several derivatives need is computed once, under a name",
  "keep-products": "a product over rows that data bounds keeps what stands before each factor",
  "share-products": "the factors before and behind each factor of a product are kept",
  "keep-calls": "a recursive call keeps what its derivative needs",
  running: "a cell of a running product or log-sum-exp is differentiated through its neighbour",
  exponentials: "an exponential is not divided by a number that is as large",
  "decided-pieces": "a condition that a contribution decides itself is left out",
  "common-subexpressions": "a value that several places of an expression compute has a name",
  "loop-invariant": "a factor that omits a summed coordinate is computed before the sum",
  "opposite-branches": "what opposite branches send along one walk is one sum of choices",
  "same-sums": "sums of the same terms are one sum",
  "pinned-cells": "contributions to cells with numbers are clauses for those cells",
  reached: "a test for 0 is left out where every cell is read",
  deltas: "a factor `i == j` of a Jacobian takes its sum away",
} as const satisfies Record<string, string>;

/** Rewrites for kernels; `--dump` tells what each has done (`plan/rules.ts`). */
export const kernelRewrites = {
  inline: "a map that is cheap, or read once, is computed where it is read",
  merge: "a reduction that one map reads becomes the first part of that map",
  share: "an expression that an earlier map has computed is a read of its cells",
  twins: "of reductions that are the same, one is computed",
  shares: "the shares of terms in a logsumexp are computed along with it",
  hoist: "a factor that all terms of a sum share is applied to the sum",
  phases: "cells to which a stride sends the same terms are taken together",
  siblings: "reductions of a cell over the same positions share one loop",
  order: "the reduced coordinate whose terms lie nearest to one another is walked innermost",
  multiply: "a sum of products is multiplied out as matrices",
  blocks: "a long reduction of few cells is taken in blocks",
} as const satisfies Record<string, string>;

export type Rewrite = keyof typeof derivedRewrites | keyof typeof kernelRewrites;

export const rewriteNames: readonly Rewrite[] = /* @__PURE__ */ [
  ...Object.keys(derivedRewrites),
  ...Object.keys(kernelRewrites),
] as readonly Rewrite[];

/** One set for the whole process: the switches hold for all programs that it compiles. */
let off: ReadonlySet<Rewrite> = new Set();

export function switchOff(names: Iterable<Rewrite>): void {
  off = new Set(names);
}

export function isOff(name: Rewrite): boolean {
  return off.has(name);
}
