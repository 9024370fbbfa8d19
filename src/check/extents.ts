// The extent of an axis as a number of the program: a range whose end lies before its start is empty, so it is never below 0.

import { constantOf, maximum, ofVariable, zero, type Term } from "../ir/affine/term.ts";
import { holds, nonNegative } from "../ir/affine/prove.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import type { Checker } from "./context.ts";

/** `n - 3` as `max(n - 3, 0)`; what cannot be negative stays as it is. */
export function extentValue(checker: Checker, extent: Term): Term {
  const fixed = constantOf(extent);
  if (fixed !== undefined) return fixed < 0 ? zero : extent;
  const variables = [...variablesOf(extent)];
  // What is looked up or counted, and sizes that are settled later, are extents by themselves.
  if (variables.some((v) => !checker.extents.has(v) && !checker.scalars.has(v))) return extent;
  const known = variables.filter((v) => checker.extents.has(v)).map((v) => nonNegative(ofVariable(v)));
  return holds(nonNegative(extent), known) ? extent : maximum(extent, zero);
}
