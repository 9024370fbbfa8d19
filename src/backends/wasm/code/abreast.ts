// Several vectors of one loop side by side: every step of an elementary function is done for all of
// them before the next one is.
//
// Such a function is one chain of steps, each of which waits for the one before. A processor goes
// on with the next vector meanwhile, as far as it looks ahead; what it finds there are steps that
// wait as well, unless those of several vectors come in turn.
//
// What is emitted here is found again by whoever emits the vectors one after the other.

import { eachScalar } from "../../../ir/parts.ts";
import type { Scalar } from "../../../ir/program.ts";
import type { Elementary } from "../../math/elementary.ts";
import { elementaryAbreast, elementaryOf } from "./elementary.ts";
import type { Slot } from "./emitter.ts";
import type { Kernel } from "./kernel.ts";
import { emitLanes, isDoneInLanes, isLocalKnown, lanesOfApply, type Along } from "./vectors.ts";

type Apply = Extract<Scalar, { kind: "apply" }>;

/** Emits the vectors of scalars that are one and the same but for their positions. */
export function emitAbreast(
  kernel: Kernel,
  along: Along,
  scalars: readonly Scalar[],
): readonly Slot[] {
  const singly = (): readonly Slot[] => scalars.map((scalar) => emitLanes(kernel, along, scalar));
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
    return singly();
  }
  const converted = scalars.flatMap((scalar) => (isPromotion(scalar) ? [scalar.operand] : []));
  if (converted.length === scalars.length) {
    emitAbreast(kernel, along, converted);
    return singly();
  }
  const applied = scalars.flatMap((scalar): readonly Apply[] =>
    scalar.kind === "apply" ? [scalar] : [],
  );
  const [first] = applied;
  if (!first || applied.length < scalars.length || !isDoneInLanes(along, first)) return singly();
  const operands = first.operands.map((_, k) =>
    emitAbreast(
      kernel,
      along,
      applied.map((each) => each.operands[k]!),
    ),
  );
  if (chainOf(first)) return elementaryAbreast(kernel, first.operation, operands);
  return applied.map((each, k) =>
    lanesOfApply(
      kernel,
      along,
      each,
      operands.map((all) => all[k]!),
    ),
  );
}

/** Whether f32 goes to f64, to be added up. */
function isPromotion(scalar: Scalar): scalar is Extract<Scalar, { kind: "cast" }> {
  return scalar.kind === "cast" && scalar.type === "f64" && scalar.operand.type === "f32";
}

/** The elementary function that an operation is, if that is one chain of steps. */
function chainOf({ operation, within }: Apply): Elementary | undefined {
  const row = elementaryOf(operation);
  return row?.isStraight && within === "f32" ? row : undefined;
}

/** Whether there is such a function in a scalar. */
export function hasChain(scalar: Scalar): boolean {
  let found = false;
  eachScalar(scalar, (part) => void (part.kind === "apply" && chainOf(part) && (found = true)));
  return found;
}
