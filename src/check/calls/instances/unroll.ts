// Recursion that is elaborated: a call is replaced by the body again and again, as long as what is
// known when compiling says that it ends: integers that count down, the ranks and lengths of
// tensors, the variants of an enum.

import { constantOf } from "../../../affine/term.ts";
import { attemptCheck as tentatively, type Attempt } from "../../attempt.ts";
import { knownNumber } from "../../expressions/conditions.ts";
import type { Span } from "../../../base/source.ts";
import { newFrame, wrongAt, type Checker, type Place } from "../../context.ts";
import { isEnum } from "../../data/data.ts";
import { isRecursiveType } from "../../types/declared-types.ts";
import { boxedIn, functionsIn, holdsFunctions, membersOf } from "../../values/tuples.ts";
import type { FunctionBinding } from "../../names/scope.ts";
import type { Typed } from "../../types/typed.ts";
import { known } from "../../types/types.ts";

/** As many calls are unrolled for one call, and as many inside one another. */
interface Bounds {
  readonly most: number;
  readonly deepest: number;
}

/** Before it is tried whether the function can make arrays while it runs, and where it cannot. */
export const few: Bounds = { most: 64, deepest: 32 };
export const many: Bounds = { most: 4000, deepest: 256 };

interface Unrolling {
  count: number;
  exceeded: boolean;
  most: number;
  deepest: number;
  /** The ranks of the arguments of the calls that are being replaced, by function. */
  readonly ranks: Map<FunctionBinding, string>;
}

const unrolling = new WeakMap<Checker, Unrolling>();

/** Whether a call has an argument that says when compiling how the recursion ends. */
export function mayEnd(
  { checker }: Place,
  callee: FunctionBinding,
  values: readonly Typed[],
): boolean {
  // A rank that has changed goes on changing; one that stays the same ends nothing.
  const isOfNewRank = stateOf(checker).ranks.get(callee) !== ranksOf(values);
  return values.some((value) => {
    const { type } = value;
    if (type.kind !== "tensor" || known(type.element) === "str") return true;
    if (type.axes.length > 0)
      return (
        isOfNewRank || type.axes.some(({ extent }) => extent && constantOf(extent) !== undefined)
      );
    return knownNumber(checker, value) !== undefined;
  });
}

function ranksOf(values: readonly Typed[]): string {
  return values.map(({ type }) => (type.kind === "tensor" ? type.axes.length : "")).join();
}

function stateOf(checker: Checker): Unrolling {
  const state = unrolling.get(checker) ?? {
    count: 0,
    exceeded: false,
    ...many,
    ranks: new Map<FunctionBinding, string>(),
  };
  unrolling.set(checker, state);
  return state;
}

/**
 * Replaces one call, which did not stay one of a function; nothing where it cannot be unrolled to
 * its end.
 */
export function unroll(
  place: Place,
  callee: FunctionBinding,
  values: readonly Typed[],
  { most, deepest }: Bounds,
  span: Span,
  elaborate: () => Typed,
): Attempt | undefined {
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
  if (place.unrolled) return tentatively(place, () => within(place, span, replaced));
  const { count, exceeded, most: calls, deepest: depth } = state;
  Object.assign(state, { count: 0, exceeded: false, most, deepest });
  const tried = tentatively(place, () => asDeepAsTheStack(state, span, replaced));
  const isTooLong = state.exceeded;
  Object.assign(state, { count, exceeded, most: calls, deepest: depth });
  if (!isTooLong) return tried;
  tried.undo();
  return undefined;
}

/** Long bodies use the compiler's own stack up before the calls are counted. */
function asDeepAsTheStack(state: Unrolling, span: Span, elaborate: () => Typed): Typed {
  const ranks = new Map(state.ranks);
  try {
    return elaborate();
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    state.exceeded = true;
    state.ranks.clear();
    for (const [callee, rank] of ranks) state.ranks.set(callee, rank);
    return wrongAt(span);
  }
}

/** Ends what is being unrolled without a value. */
export function giveUp({ checker }: Place, span: Span): Typed {
  stateOf(checker).exceeded = true;
  return wrongAt(span);
}

/** A call inside of one that is being replaced. */
function within(place: Place, span: Span, elaborate: () => Typed): Typed {
  const state = unrolling.get(place.checker)!;
  if (++state.count > state.most || place.calls.length > state.deepest) state.exceeded = true;
  return state.exceeded ? wrongAt(span) : elaborate();
}

/**
 * Replaces a call whose data is known when compiling, as deep as that data can lead; nothing where
 * it does not end by then, and the call is better one of a function.
 */
export function unrollKnown(
  place: Place,
  values: readonly Typed[],
  span: Span,
  elaborate: (place: Place) => Typed,
): Typed | undefined {
  const nodes = values.map((value) => knownNodes(place, value));
  if (nodes.includes("unknown") || !nodes.some((count) => typeof count === "number"))
    return undefined;
  const known = nodes.reduce<number>(
    (sum, count) => sum + (typeof count === "number" ? count : 0),
    0,
  );
  return attempt(place, { most: 16 * known, deepest: known + 1 }, span, elaborate);
}

/**
 * Replaces a call that prints and counts down from a small number: what it prints may then be
 * anything.
 */
export function unrollEffects(
  place: Place,
  callee: FunctionBinding,
  values: readonly Typed[],
  span: Span,
  elaborate: (place: Place) => Typed,
): Typed | undefined {
  return mayEnd(place, callee, values)
    ? attempt(place, { most: 64, deepest: 16 }, span, elaborate)
    : undefined;
}

/**
 * Replaces a call if that ends within the bounds; nothing is left of the attempt where it does not.
 */
function attempt(
  place: Place,
  { most: calls, deepest: depth }: Bounds,
  span: Span,
  elaborate: (place: Place) => Typed,
): Typed | undefined {
  if (place.unrolled) return within(place, span, () => elaborate(place));
  const { checker, frame } = place;
  const state = stateOf(checker);
  Object.assign(state, {
    count: 0,
    exceeded: false,
    most: calls,
    deepest: place.calls.length + depth,
  });
  // What the attempt leaves behind counts only if it succeeds.
  const { diagnostics: said, silenced } = checker;
  const agreements = checker.agreements.length;
  const own: Place = {
    ...place,
    frame: { ...newFrame(), within: frame.within, calls: new Map(frame.calls) },
    effects: [],
  };
  checker.diagnostics = [];
  const value = elaborate(own);
  const found = checker.diagnostics;
  checker.diagnostics = said;
  if (state.exceeded) {
    checker.agreements.length = agreements;
    if (silenced) checker.silenced = silenced;
    else delete checker.silenced;
    return undefined;
  }
  said.push(...found);
  place.effects.push(...own.effects);
  frame.left.push(...own.frame.left);
  frame.reduced.push(...own.frame.reduced);
  frame.uses.push(...own.frame.uses);
  for (const [key, call] of own.frame.calls) frame.calls.set(key, call);
  frame.spoiled ||= own.frame.spoiled;
  return value;
}

/** A structure of so many values is at hand although the run decides which variants they are. */
const small = 8;

/**
 * How many values of recursive types a value consists of, where their variants are known all the
 * way or there are few.
 */
function knownNodes(place: Place, value: Typed): number | "unknown" | undefined {
  const { type } = value;
  if (type.kind !== "data" && type.kind !== "tuple" && type.kind !== "list") return undefined;
  if (boxedIn(value)) return "unknown";
  const functions = functionsIn(value);
  const members = functions?.among ?? membersOf(value) ?? [];
  const isEnumValue = type.kind === "data" && isEnum(type.of);
  const parts = members.map((member) => knownNodes(place, member));
  const isRecursive = type.kind === "data" && isRecursiveType(place, type);
  if (parts.includes("unknown")) return "unknown";
  const inside = parts.filter((count) => typeof count === "number");
  if (!isRecursive && inside.length === 0) return undefined;
  const count = inside.reduce((sum, each) => sum + each, isRecursive ? 1 : 0);
  const isOpen =
    isRecursive && isEnumValue && knownNumber(place.checker, members[0]!) === undefined;
  return isOpen && count > small && !holdsFunctions(value) ? "unknown" : count;
}
