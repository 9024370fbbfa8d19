// Inside a function that stays a function: which expressions it computes itself when it is called,
// because they depend on its parameters, and the scalar that stops the run with a message.
//
//   fn f(n: i32) -> i32 { let a = 3 * m; a + n }      `a + n` is computed in the call, `a` before

import type { Typed } from "../../check/types/typed.ts";
import type { Variable } from "../../affine/term.ts";
import type { Site } from "../site.ts";
import { freeVariables } from "../../check/ranges/outer-variables.ts";
import type { Scalar } from "../../ir/program.ts";
import type { Stop } from "../../scalar/data.ts";
import type { ElementType } from "../../scalar/types.ts";

/**
 * Whether an expression depends on a parameter of the function around it, or on a coordinate inside
 * that function.
 */
export function isMade(site: Site, value: Typed): boolean {
  if (!site.function) return false;
  const { here } = site.function.outside;
  let free = known.get(value);
  if (!free) known.set(value, (free = freeVariables([value], site.lowering.checker.opaqueValue)));
  for (const v of free) if (site.here.has(v) && !here.has(v)) return true;
  return false;
}

/** Whether an expression is an array whose cells are kept, with or without a name. */
export function isKept(value: Typed): boolean {
  if (value.kind === "block") return isKept(value.value);
  if (value.kind !== "reference") return value.kind === "cells";
  const { binding } = value;
  return (
    binding.kind === "value" &&
    !binding.global &&
    binding.value !== undefined &&
    isKept(binding.value)
  );
}

/** The free variables of expressions, remembered because every site asks for them. */
const known = new WeakMap<Typed, ReadonlySet<Variable>>();

export function stopped(stop: Stop, operands: readonly Scalar[], type: ElementType): Scalar {
  const layout = { kind: "tuple", members: [] } as const;
  return { kind: "data", type, function: "stop", operands, member: 0, layout, stop };
}
