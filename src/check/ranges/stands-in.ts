// Whether an expression depends on a coordinate, in an index or as a value.

import { outerVariables } from "./outer-variables.ts";
import type { Binder, Typed } from "../types/typed.ts";

export function standsIn(binder: Binder, value: Typed): boolean {
  return outerVariables([value], new Set([binder.variable])).length > 0;
}
