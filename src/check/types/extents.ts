// The extent of an axis as a number of the program. A range whose end lies before its start is
// empty, so an extent is never below 0: `extent(i)` for `i in 3..n` is max(n - 3, 0).

import {
  constantOf,
  maximum,
  ofVariable,
  zero,
  type Term,
  type Variable,
} from "../../affine/term.ts";
import { holds, nonNegative } from "../../affine/prove.ts";
import { variablesOf } from "../../affine/visit.ts";
import { writtenSize } from "./written-size.ts";
import type { Checker } from "../context.ts";
import { integerTerm } from "./integers.ts";

/**
 * An extent that is at least 0: `n - 3` gives `max(n - 3, 0)`. An extent that cannot be negative
 * stays as it is.
 */
export function extentValue(checker: Checker, extent: Term): Term {
  const fixed = constantOf(extent);
  if (fixed !== undefined) return fixed < 0 ? zero : extent;
  const variables = [...variablesOf(extent)];
  // Counts, lengths of ragged rows, and sizes that are found later are never negative.
  if (variables.some((v) => !checker.extents.has(v) && !mayBeNegative(checker, v))) return extent;
  const known = variables
    .filter((v) => checker.extents.has(v))
    .map((v) => nonNegative(ofVariable(v)));
  return holds(nonNegative(extent), known) ? extent : maximum(extent, zero);
}

/**
 * Whether a variable is an integer that may be negative: one with a name, one that is computed, or
 * one read from a fixed cell.
 */
function mayBeNegative(checker: Checker, v: Variable): boolean {
  if (checker.scalars.has(v)) return true;
  const value = checker.opaqueValue.get(v);
  if (value?.kind === "read")
    return value.indices.every((index) => constantOf(integerTerm(checker, index)) !== undefined);
  return value?.kind === "apply";
}

/**
 * The text of a size, if it uses only numbers, dimensions and scalars at the top of the file, which
 * mean the same everywhere.
 */
export function sizeText({ extents, scalars }: Checker, size: Term): string | undefined {
  const isNamed = [...variablesOf(size)].every((v) => extents.has(v) || scalars.has(v));
  return isNamed ? writtenSize(extents, size) : undefined;
}
