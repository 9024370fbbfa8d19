// Reductions whose guards decide about all terms of a cell at once: there is a loop where they
// hold, and none where they do not.

import { mentions } from "../../../affine/visit.ts";
import { partsOf } from "../../../ir/parts.ts";
import type { Local, Loop, Scalar } from "../../../ir/program.ts";
import { isFloat } from "../../../scalar/types.ts";
import type { Reduction } from "../../../plan/regions/regions.ts";
import { combinations, startScalar } from "../loops/accumulators.ts";
import { branch, codeAt, get, here, newLocal, set, type Slot } from "./emitter.ts";
import type { Kernel } from "./kernel.ts";
import { heldAs } from "./operations.ts";
import { assuming, emitValue } from "./scalars.ts";

/**
 * Whether some guards are the same for all terms, and a cell without terms has what the reduction
 * starts with.
 */
export function isConditional({ reduction, value: { type }, guards, loops }: Reduction): boolean {
  if (combinations[reduction]?.instruction[type] === undefined || reduction === "mean")
    return false;
  // The greatest of no integers is nothing.
  if (!isFloat(type) && (reduction === "max" || reduction === "min")) return false;
  return guards.some((guard) => isSteady(guard, loops));
}

/** Reduces where the guards hold that are the same for all terms. */
export function underGuards(
  kernel: Kernel,
  body: Reduction,
  reduce: (body: Reduction) => Slot,
): Slot {
  if (!isConditional(body)) return reduce(body);
  const { type } = body.value;
  const steady = body.guards.filter((guard) => isSteady(guard, body.loops));
  const rest = { ...body, guards: body.guards.filter((guard) => !steady.includes(guard)) };
  const held = heldAs(type);
  const local = newLocal(kernel.emitter, held);
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  startScalar(code, type, combinations[body.reduction]!.start(type));
  set(code, local);
  const within = (guards: readonly Scalar[]): void => {
    const [first, ...others] = guards;
    if (first) {
      const holds = emitValue(kernel, first);
      branch(kernel.emitter, holds, () => assuming(kernel, first, true, () => within(others)));
      return;
    }
    const result = reduce(rest);
    const inside = codeAt(kernel.emitter, here(kernel.emitter));
    get(inside, result);
    set(inside, local);
  };
  within(steady);
  return { local, type: held, level: here(kernel.emitter) };
}

function isSteady(scalar: Scalar, loops: readonly Loop[], seen = new Set<Local>()): boolean {
  if (scalar.kind === "integer")
    return !loops.some(({ variable }) => mentions(scalar.term, variable));
  if (scalar.kind === "local") {
    if (seen.has(scalar.local)) return true;
    seen.add(scalar.local);
  }
  return partsOf(scalar).every((part) => isSteady(part, loops, seen));
}
