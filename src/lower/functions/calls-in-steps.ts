// Arrays that functions make in the steps of a recurrence.

import type { Typed } from "../../check/types/typed.ts";
import type { TensorType } from "../../check/types/types.ts";
import { dependsOnLookup } from "../around.ts";
import type { Site } from "../site.ts";
import { refersTo } from "../../check/ranges/outer-variables.ts";

/**
 * Whether an array that a function makes at each step depends on earlier steps of the recurrence.
 * The cells of such an array are read where they are made. They cannot be a definition, because the
 * longest of these arrays is not known before the last step.
 */
export function isOfStep({ lowering, function: around }: Site, value: Typed): boolean {
  const { axes } = value.type as TensorType;
  if (around || !axes.some(({ extent }) => extent && dependsOnLookup(lowering, extent)))
    return false;
  return refersTo(value, (binding) => {
    const known = binding.kind === "tensor" ? lowering.lowered.get(binding) : undefined;
    return known?.definition.clauses.length === 0;
  });
}
