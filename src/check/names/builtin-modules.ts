// The modules that exist without `mod`: `std` for every program, `builtin` only inside the library.

import type { Source } from "../../base/source.ts";
import { operationOfFunction } from "../../scalar/operations.ts";
import { reductionNames } from "../../scalar/reductions.ts";

export function isBuiltinModule(name: string, from: Source): boolean {
  return name === "std" || (name === "builtin" && from.name.startsWith("std/"));
}

/** The functions that a program can call without `use`. */
export function builtinNames(): readonly string[] {
  return [...new Set([...operationOfFunction.keys(), ...reductionNames])];
}
