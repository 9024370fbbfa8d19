// Values that cost nothing to write twice, so that they need no name of their own. The others are
// given one in `share.ts`.

import { knownTruth } from "../expressions/conditions.ts";
import type { Typed } from "../types/typed.ts";

/** Costs nothing to write twice. */
export function isPlain(value: Typed): boolean {
  switch (value.kind) {
    case "constant":
    case "integer":
    case "reference":
      return true;
    case "read":
      return isPlain(value.base) && value.indices.every(isPlain);
    default:
      return false;
  }
}

/** Conditions that are repeated rather than named. */
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
