// Recursion that is elaborated: a call is replaced by the body again and again, as long as what is known when compiling says that it ends:
// integers that count down, the ranks and lengths of tensors, the variants of an enum.

import { constantOf } from "../ir/affine/term.ts";
import { knownNumber } from "./conditions.ts";
import { wrongAt, type Checker, type Place } from "./context.ts";
import type { Unfit } from "./instances.ts";
import { refuseInstance } from "./instances.ts";
import type { FunctionBinding } from "./scope.ts";
import type { Typed } from "./typed.ts";
import { known } from "./types.ts";

/** As many calls may be unrolled in one program, and as many inside one another. */
const most = 4000;
const deepest = 256;

interface Unrolling {
  count: number;
  exceeded: boolean;
  /** The ranks of the arguments of the calls that are being replaced, by function. */
  readonly ranks: Map<FunctionBinding, string>;
}

const unrolling = new WeakMap<Checker, Unrolling>();

/** Whether a call has an argument that says when compiling how the recursion ends. */
export function mayEnd({ checker }: Place, callee: FunctionBinding, values: readonly Typed[]): boolean {
  // A rank that has changed goes on changing; one that stays the same ends nothing.
  const isOfNewRank = stateOf(checker).ranks.get(callee) !== ranksOf(values);
  return values.some((value) => {
    const { type } = value;
    if (type.kind !== "tensor" || known(type.element) === "str") return true;
    if (type.axes.length > 0)
      return isOfNewRank || type.axes.some(({ extent }) => extent && constantOf(extent) !== undefined);
    return knownNumber(checker, value) !== undefined;
  });
}

function ranksOf(values: readonly Typed[]): string {
  return values.map(({ type }) => (type.kind === "tensor" ? type.axes.length : "")).join();
}

function stateOf(checker: Checker): Unrolling {
  const state = unrolling.get(checker) ?? { count: 0, exceeded: false, ranks: new Map<FunctionBinding, string>() };
  unrolling.set(checker, state);
  return state;
}

/** Replaces one call; what cannot be unrolled to its end is refused with the reason why it did not stay a function. */
export function unroll(
  place: Place,
  callee: FunctionBinding,
  values: readonly Typed[],
  cannot: Unfit,
  elaborate: () => Typed,
): Typed {
  const { checker } = place;
  const state = stateOf(checker);
  const around = state.ranks.get(callee);
  const replaced = (): Typed => {
    state.ranks.set(callee, ranksOf(values));
    const value = elaborate();
    if (around === undefined) state.ranks.delete(callee);
    else state.ranks.set(callee, around);
    return value;
  };
  if (place.unrolled) {
    const isDeep = ++state.count > most || place.calls.length > deepest;
    if (isDeep) state.exceeded = true;
    return state.exceeded ? wrongAt(cannot.span) : replaced();
  }
  const said = checker.diagnostics;
  checker.diagnostics = [];
  state.count = 0;
  state.exceeded = false;
  const value = replaced();
  const own = checker.diagnostics;
  checker.diagnostics = said;
  if (state.exceeded) return refuseInstance(place, cannot);
  said.push(...own);
  return value;
}
