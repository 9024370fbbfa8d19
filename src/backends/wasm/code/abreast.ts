// Emits several vectors of one loop side by side: each step of an elementary function is emitted
// for all vectors before the next step.
//
// An elementary function is a chain of steps, and each step waits for the previous one. A processor
// fills the wait with independent instructions, as far ahead as it looks. Emitted one after the
// other, the vectors would put only waiting steps in its view.
//
// The code that emits these vectors one by one later finds the emitted values by their keys.

import { isAnywhere } from "../../../ir/parts.ts";
import type { Scalar } from "../../../ir/program.ts";
import type { Elementary } from "../../math/elementary.ts";
import { elementaryAbreast, elementaryOf } from "./elementary.ts";
import type { Slot } from "./emitter.ts";
import type { Kernel } from "./kernel.ts";
import {
  emitLanes,
  isDoneInLanes,
  isLocalKnown,
  emitLanesOfOperands,
  type Along,
} from "./vectors.ts";

type Apply = Extract<Scalar, { kind: "apply" }>;

/** Emits the vectors of scalars that differ only in their positions. */
export function emitAbreast(
  kernel: Kernel,
  along: Along,
  scalars: readonly Scalar[],
): readonly Slot[] {
  const oneByOne = (): readonly Slot[] => scalars.map((scalar) => emitLanes(kernel, along, scalar));
  const locals = scalars.flatMap((scalar) => (scalar.kind === "local" ? [scalar.local] : []));
  if (locals.length === scalars.length) {
    const isNew = !locals.some(
      (local) => kernel.bound.has(local) || isLocalKnown(kernel, along, local),
    );
    if (isNew)
      emitAbreast(
        kernel,
        along,
        locals.map((local) => local.value),
      );
    return oneByOne();
  }
  const converted = scalars.flatMap((scalar) => (isPromotion(scalar) ? [scalar.operand] : []));
  if (converted.length === scalars.length) {
    emitAbreast(kernel, along, converted);
    return oneByOne();
  }
  const applied = scalars.flatMap((scalar): readonly Apply[] =>
    scalar.kind === "apply" ? [scalar] : [],
  );
  const [first] = applied;
  if (!first || applied.length < scalars.length || !isDoneInLanes(along, first)) return oneByOne();
  const operands = first.operands.map((_, k) =>
    emitAbreast(
      kernel,
      along,
      applied.map((each) => each.operands[k]!),
    ),
  );
  if (chainOf(first)) return elementaryAbreast(kernel, first.operation, operands);
  return applied.map((each, k) =>
    emitLanesOfOperands(
      kernel,
      along,
      each,
      operands.map((all) => all[k]!),
    ),
  );
}

/** Whether a scalar is a cast from f32 to f64, as in the terms of a sum. */
function isPromotion(scalar: Scalar): scalar is Extract<Scalar, { kind: "cast" }> {
  return scalar.kind === "cast" && scalar.type === "f64" && scalar.operand.type === "f32";
}

/** The elementary function of an operation, if it is a single chain of steps. */
function chainOf({ operation, within }: Apply): Elementary | undefined {
  const row = elementaryOf(operation);
  return row?.isStraight && within === "f32" ? row : undefined;
}

/** Whether a scalar contains an elementary function that is a chain of steps. */
export function hasChain(scalar: Scalar): boolean {
  return isAnywhere(scalar, (part) => part.kind === "apply" && chainOf(part) !== undefined);
}
