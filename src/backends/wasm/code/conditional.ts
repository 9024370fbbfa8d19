// Emits reductions with guards that are the same for all terms of a cell. The loop over the terms
// runs only where these guards hold.
//
//   sum[k](x[i, k] where i > 0)   runs as   if i > 0 { sum[k](x[i, k]) } else { 0 }

import { mentions } from "../../../affine/visit.ts";
import { partsOf } from "../../../ir/parts.ts";
import type { Local, Loop, Scalar } from "../../../ir/program.ts";
import { isFloat } from "../../../scalar/types.ts";
import type { Reduction } from "../../../plan/regions/regions.ts";
import { combinations } from "../loops/accumulators.ts";
import { branch, codeAt, get, here, newLocal, set, type Slot } from "./emitter.ts";
import type { Kernel } from "./kernel.ts";
import { heldAs, emitStartValue } from "./operations.ts";
import { assuming, emitValue } from "./scalars.ts";

/** Whether some guards are the same for all terms, and a cell without terms has the start value. */
export function isConditional({ reduction, value: { type }, guards, loops }: Reduction): boolean {
  if (combinations[reduction]?.instruction[type] === undefined || reduction === "mean")
    return false;
  // The greatest of no integers does not exist.
  if (!isFloat(type) && (reduction === "max" || reduction === "min")) return false;
  return guards.some((guard) => isSameForAllTerms(guard, loops));
}

/** Tests the guards that are the same for all terms, and reduces only where they hold. */
export function emitUnderGuards(
  kernel: Kernel,
  body: Reduction,
  reduce: (body: Reduction) => Slot,
): Slot {
  if (!isConditional(body)) return reduce(body);
  const { type } = body.value;
  const common = body.guards.filter((guard) => isSameForAllTerms(guard, body.loops));
  const rest = { ...body, guards: body.guards.filter((guard) => !common.includes(guard)) };
  const held = heldAs(type);
  const local = newLocal(kernel.emitter, held);
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  emitStartValue(code, type, combinations[body.reduction]!.start(type));
  set(code, local);
  const emitInside = (guards: readonly Scalar[]): void => {
    const [first, ...others] = guards;
    if (first) {
      const condition = emitValue(kernel, first);
      branch(kernel.emitter, condition, () =>
        assuming(kernel, first, true, () => emitInside(others)),
      );
      return;
    }
    const result = reduce(rest);
    const inside = codeAt(kernel.emitter, here(kernel.emitter));
    get(inside, result);
    set(inside, local);
  };
  emitInside(common);
  return { local, type: held, level: here(kernel.emitter) };
}

function isSameForAllTerms(
  scalar: Scalar,
  loops: readonly Loop[],
  seen = new Set<Local>(),
): boolean {
  if (scalar.kind === "integer")
    return !loops.some(({ variable }) => mentions(scalar.term, variable));
  if (scalar.kind === "local") {
    if (seen.has(scalar.local)) return true;
    seen.add(scalar.local);
  }
  return partsOf(scalar).every((part) => isSameForAllTerms(part, loops, seen));
}
