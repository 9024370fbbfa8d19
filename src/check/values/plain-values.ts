// Values that may be written twice, because computing them costs nothing. `share.ts` gives names to
// all others.

import { knownTruth } from "../expressions/conditions.ts";
import type { Typed } from "../types/typed.ts";

/** Whether a value is a literal, an integer, a name, or a read with such indices: `x[i + 1]`. */
export function costsNothing(value: Typed): boolean {
  switch (value.kind) {
    case "constant":
    case "integer":
    case "reference":
      return true;
    case "read":
      return costsNothing(value.base) && value.indices.every(costsNothing);
    default:
      return false;
  }
}

/** Whether a condition may be repeated: a plain value, or an operation on plain values. */
export function isCheap(value: Typed): boolean {
  switch (value.kind) {
    case "constant":
    case "integer":
    case "reference":
      return true;
    case "apply":
      return value.operands.every(isCheap);
    case "read":
      return isCheap(value.base) && value.indices.every(isCheap);
    default:
      return knownTruth(value) !== undefined;
  }
}
