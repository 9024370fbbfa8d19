// A call of a function that calls itself: one that stays a function, one whose calls are replaced
// by their bodies, or one that makes arrays while it runs.

import type * as ast from "../../../syntax/tree/ast.ts";
import type { Call } from "../arguments.ts";
import type { Attempt } from "../../attempt.ts";
import { effectIn } from "./call-graph.ts";
import type { Place } from "../../context.ts";
import { callInstance, refuseInstance, type Unfit } from "./instances.ts";
import type { Typed } from "../../types/typed.ts";
import { few, giveUp, many, mayEnd, unroll, unrollEffects, unrollKnown } from "./unroll.ts";
import type { Reason } from "./instance-needs.ts";

/** `replaced` is the body in the place of the call. */
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
  const told =
    effectIn(callee, values) && !place.indexed
      ? unrollEffects(place, callee, values, span, replaced)
      : undefined;
  if (told) return told;
  const instance = (reason: Reason): Typed | Unfit =>
    callInstance(place, call, values, reason, where);
  const unrolled = (bounds: typeof few): Attempt | undefined =>
    mayEnd(place, callee, values)
      ? unroll(place, callee, values, bounds, span, () => replaced(place))
      : undefined;
  const kept = instance(place.arrays ? "makes arrays" : "recursive");
  if (kept.kind !== "unfit") return kept;
  // A function that calls itself where it cannot stay a function does not stay one.
  const isItself = place.calls.includes(callee.declaration);
  if (isItself && place.recursion && !place.unrolled) return refuseInstance(place, kept);
  const short = unrolled(few);
  if (short && (!short.isWrong || place.unrolled)) return short.keep();
  // What has begun to be unrolled is better a function from its first call on.
  if (isItself && place.unrolled) return giveUp(place, span);
  short?.undo();
  const made = place.arrays ? kept : instance("makes arrays");
  if (made.kind !== "unfit") return made;

  return (short ?? unrolled(many))?.keep() ?? refuseInstance(place, made);
}
