// Unrolling a recursion: a call is replaced by the body again and again. This goes on while data
// that is known when compiling says that the recursion ends. Such data are integers that count
// down, ranks and lengths of tensors, and variants of enums.
//
//   power(x, 2)   =   x * power(x, 1)   =   x * x * power(x, 0)   =   x * x * 1

import { constantOf } from "../../../affine/term.ts";
import { attemptCheck, type Attempt } from "../../attempt.ts";
import { knownNumber } from "../../expressions/conditions.ts";
import type { Span } from "../../../base/source.ts";
import { newFrame, wrongAt, type Checker, type Place } from "../../context.ts";
import { isEnum } from "../../data/data.ts";
import { isRecursiveType } from "../../types/declared-types.ts";
import { boxedIn, functionsIn, holdsFunctions, membersOf } from "../../values/tuples.ts";
import type { FunctionBinding } from "../../names/scope.ts";
import type { Typed } from "../../types/typed.ts";
import { known } from "../../types/types.ts";

/** The most calls that may replace one call, and the deepest nesting of them. */
interface Bounds {
  readonly most: number;
  readonly deepest: number;
}

/** The bounds before it is tried whether the function can be an instance that makes arrays. */
export const few: Bounds = { most: 64, deepest: 32 };
/** The bounds if it cannot be such an instance. */
export const many: Bounds = { most: 4000, deepest: 256 };

interface Unrolling {
  count: number;
  exceeded: boolean;
  most: number;
  deepest: number;
  /** The ranks of the arguments in the calls that are being replaced, by function. */
  readonly ranks: Map<FunctionBinding, string>;
}

const unrolling = new WeakMap<Checker, Unrolling>();

/** Whether an argument of a call says when compiling how the recursion ends. */
export function mayEnd(
  { checker }: Place,
  callee: FunctionBinding,
  values: readonly Typed[],
): boolean {
  // A rank that has changed will change again. A rank that stays the same ends nothing.
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
 * Replaces a call by its body, as deep as the recursion goes. Undefined if the bounds are exceeded.
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
  if (place.unrolled) return attemptCheck(place, () => elaborateWithinBounds(place, span, replaced));
  const { count, exceeded, most: calls, deepest: depth } = state;
  Object.assign(state, { count: 0, exceeded: false, most, deepest });
  const tried = attemptCheck(place, () => elaborateCatchingOverflow(state, span, replaced));
  const isTooLong = state.exceeded;
  Object.assign(state, { count, exceeded, most: calls, deepest: depth });
  if (!isTooLong) return tried;
  tried.undo();
  return undefined;
}

/**
 * Elaborates a body. Long bodies may overflow the compiler's own stack before the calls reach their
 * bound.
 */
function elaborateCatchingOverflow(state: Unrolling, span: Span, elaborate: () => Typed): Typed {
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

/** Stops the unrolling that is under way. It has no value then. */
export function giveUp({ checker }: Place, span: Span): Typed {
  stateOf(checker).exceeded = true;
  return wrongAt(span);
}

/** Elaborates a call inside of one that is being replaced. */
function elaborateWithinBounds(place: Place, span: Span, elaborate: () => Typed): Typed {
  const state = unrolling.get(place.checker)!;
  if (++state.count > state.most || place.calls.length > state.deepest) state.exceeded = true;
  return state.exceeded ? wrongAt(span) : elaborate();
}

/**
 * Replaces a call whose data is known when compiling. The size of the data bounds the depth.
 * Undefined if the recursion does not end within these bounds; then an instance is better.
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
  return replaceWithinBounds(place, { most: 16 * known, deepest: known + 1 }, span, elaborate);
}

/**
 * Replaces a call that prints and counts down from a small number. A replaced call can print any
 * value, while an instance cannot.
 */
export function unrollEffects(
  place: Place,
  callee: FunctionBinding,
  values: readonly Typed[],
  span: Span,
  elaborate: (place: Place) => Typed,
): Typed | undefined {
  return mayEnd(place, callee, values)
    ? replaceWithinBounds(place, { most: 64, deepest: 16 }, span, elaborate)
    : undefined;
}

/**
 * Replaces a call if the recursion ends within the bounds. Otherwise the attempt leaves no traces.
 */
function replaceWithinBounds(
  place: Place,
  { most: calls, deepest: depth }: Bounds,
  span: Span,
  elaborate: (place: Place) => Typed,
): Typed | undefined {
  if (place.unrolled) return elaborateWithinBounds(place, span, () => elaborate(place));
  const { checker, frame } = place;
  const state = stateOf(checker);
  Object.assign(state, {
    count: 0,
    exceeded: false,
    most: calls,
    deepest: place.calls.length + depth,
  });
  // The attempt works on copies. They are kept only if it succeeds.
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

/** Data of at most this many values is taken apart even if only the run knows its variants. */
const mostOpenNodes = 8;

/**
 * The number of values of recursive types that a value consists of. "unknown" if only the run knows
 * the variants and there are many values. Undefined if the value contains no such type.
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
  return isOpen && count > mostOpenNodes && !holdsFunctions(value) ? "unknown" : count;
}
