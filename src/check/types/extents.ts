// The extent of an axis as a number of the program: a range whose end lies before its start is
// empty, so it is never below 0.

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
import { termOf } from "./integers.ts";

/** `n - 3` as `max(n - 3, 0)`; what cannot be negative stays as it is. */
export function extentValue(checker: Checker, extent: Term): Term {
  const fixed = constantOf(extent);
  if (fixed !== undefined) return fixed < 0 ? zero : extent;
  const variables = [...variablesOf(extent)];
  // What is counted, lengths of ragged rows, and sizes that are settled later are extents by
  // themselves.
  if (variables.some((v) => !checker.extents.has(v) && !isNumber(checker, v))) return extent;
  const known = variables
    .filter((v) => checker.extents.has(v))
    .map((v) => nonNegative(ofVariable(v)));
  return holds(nonNegative(extent), known) ? extent : maximum(extent, zero);
}

/**
 * An integer of the program that may be negative: one with a name, one that is computed, one that
 * is read from a fixed cell.
 */
function isNumber(checker: Checker, v: Variable): boolean {
  if (checker.scalars.has(v)) return true;
  const value = checker.opaqueValue.get(v);
  if (value?.kind === "read")
    return value.indices.every((index) => constantOf(termOf(checker, index)) !== undefined);
  return value?.kind === "apply";
}

/** A size in words that mean the same everywhere: numbers, dimensions, scalars at the top. */
export function sizeText({ extents, scalars }: Checker, size: Term): string | undefined {
  const isNamed = [...variablesOf(size)].every((v) => extents.has(v) || scalars.has(v));
  return isNamed ? writtenSize(extents, size) : undefined;
}
