// The modules that are there without `mod`: `std` for everybody, `builtin` for the library itself.

import type { Source } from "../../base/source.ts";
import { operationOfFunction } from "../../scalar/operations.ts";
import { reductionNames } from "../../scalar/reductions.ts";

export function isBuiltinModule(name: string, from: Source): boolean {
  return name === "std" || (name === "builtin" && from.name.startsWith("std/"));
}

/** The functions that the language has without `use`. */
export function builtinNames(): readonly string[] {
  return [...new Set([...operationOfFunction.keys(), ...reductionNames])];
}
