// Which outer coordinates an expression depends on.

import type { Variable } from "../../affine/term.ts";
import { freeVariables } from "./outer-variables.ts";
import type { Checker } from "../context.ts";
import type { Scope } from "../names/scope.ts";
import type { Typed } from "../types/typed.ts";

/**
 * Whether expressions depend on a coordinate, or on a parameter of an instance, outside of `own`.
 */
export function dependsOnOthers(
  checker: Checker,
  nodes: readonly Typed[],
  own: ReadonlySet<Variable>,
): boolean {
  // Extents and named integers have one value everywhere. An opaque variable depends on what its
  // expression contains.
  const isOther = (v: Variable): boolean =>
    !own.has(v) && !checker.extents.has(v) && !checker.scalars.has(v);
  return [...freeVariables(nodes, checker.opaqueValue)].some(isOther);
}

/** All coordinates in scope, also those of packs. */
export function coordinatesAround(scope: Scope): ReadonlySet<Variable> {
  const found = new Set<Variable>();
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    for (const binding of at.names.values()) {
      if (binding.kind === "coordinate") found.add(binding.binder.variable);
      if (binding.kind === "pack")
        for (const each of binding.coordinates) found.add(each.binder.variable);
    }
  }
  return found;
}
