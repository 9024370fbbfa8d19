// A call of a recursive function. Several ways are tried in turn: replacing the calls by their
// bodies while the known data says that they end, an instance, and an instance that makes arrays
// while it runs.

import type * as ast from "../../../syntax/tree/ast.ts";
import type { Call } from "../arguments.ts";
import type { Attempt } from "../../attempt.ts";
import { effectIn } from "./call-graph.ts";
import type { Place } from "../../context.ts";
import { callInstance, refuseInstance, type Unfit } from "./instances.ts";
import type { Typed } from "../../types/typed.ts";
import { few, giveUp, many, mayEnd, unroll, unrollEffects, unrollKnown } from "./unroll.ts";
import type { Reason } from "./instance-needs.ts";

/** Checks a call. `replaced` gives the body in the place of the call. */
export function recursiveCall(
  place: Place,
  call: Call,
  values: readonly Typed[],
  replaced: (at: Place) => Typed,
  where?: ast.Where,
): Typed {
  const { callee } = call;
  const { span } = call.e;
  const known = unrollKnown(place, values, span, replaced);
  if (known) return known;
  const withEffects =
    effectIn(callee, values) && !place.indexed
      ? unrollEffects(place, callee, values, span, replaced)
      : undefined;
  if (withEffects) return withEffects;
  const instance = (reason: Reason): Typed | Unfit =>
    callInstance(place, call, values, reason, where);
  const unrolled = (bounds: typeof few): Attempt | undefined =>
    mayEnd(place, callee, values)
      ? unroll(place, callee, values, bounds, span, () => replaced(place))
      : undefined;
  const kept = instance(place.arrays ? "makes arrays" : "recursive");
  if (kept.kind !== "unfit") return kept;
  // Inside its own body, a function that cannot be an instance is refused.
  const isItself = place.calls.includes(callee.declaration);
  if (isItself && place.recursion && !place.unrolled) return refuseInstance(place, kept);
  const shortUnrolling = unrolled(few);
  if (shortUnrolling && (!shortUnrolling.isWrong || place.unrolled)) return shortUnrolling.keep();
  // A recursion that is being unrolled and needs more calls becomes an instance from its first call
  // on.
  if (isItself && place.unrolled) return giveUp(place, span);
  shortUnrolling?.undo();
  const made = place.arrays ? kept : instance("makes arrays");
  if (made.kind !== "unfit") return made;

  return (shortUnrolling ?? unrolled(many))?.keep() ?? refuseInstance(place, made);
}
