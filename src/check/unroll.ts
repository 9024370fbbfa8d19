// Recursion that is elaborated: a call is replaced by the body again and again, as long as what is known when compiling says that it ends:
// integers that count down, the ranks and lengths of tensors, the variants of an enum.

import { knownNumber } from "./conditions.ts";
import { wrongAt, type Checker, type Place } from "./context.ts";
import type { Unfit } from "./instances.ts";
import { refuseInstance } from "./instances.ts";
import type { Typed } from "./typed.ts";
import { known } from "./types.ts";

/** As many calls may be unrolled in one program, and as many inside one another. */
const most = 4000;
const deepest = 256;

interface Unrolling {
  count: number;
  exceeded: boolean;
}

const unrolling = new WeakMap<Checker, Unrolling>();

/** Whether a call has an argument that says when compiling how the recursion ends. */
export function mayEnd(place: Place, values: readonly Typed[]): boolean {
  return values.some((value) => {
    const { type } = value;
    if (type.kind !== "tensor" || type.axes.length > 0 || known(type.element) === "str") return true;
    return knownNumber(place.checker, value) !== undefined;
  });
}

/** Replaces one call; what cannot be unrolled to its end is refused with the reason why it did not stay a function. */
export function unroll(place: Place, cannot: Unfit, elaborate: () => Typed): Typed {
  const { checker } = place;
  const state = unrolling.get(checker) ?? { count: 0, exceeded: false };
  unrolling.set(checker, state);
  if (place.unrolled) {
    const isDeep = ++state.count > most || place.calls.length > deepest;
    if (isDeep) state.exceeded = true;
    return state.exceeded ? wrongAt(cannot.span) : elaborate();
  }
  const said = checker.diagnostics;
  checker.diagnostics = [];
  state.count = 0;
  state.exceeded = false;
  const value = elaborate();
  const own = checker.diagnostics;
  checker.diagnostics = said;
  if (state.exceeded) return refuseInstance(place, cannot);
  said.push(...own);
  return value;
}
