// What both branches of a choice send back along one walk is one sum, of which each term is chosen:
//
//   Σ { k where c[k], at[k] == p } f(k) + Σ { k where !c[k], at[k] == p } g(k)
//       is   Σ { k where at[k] == p } (if c[k] { f(k) } else { g(k) })
//
// Only pairs of opposite conditions are joined: nothing is looked up where neither branch is taken.
// A reader of the program expects the choice that was written, and the walk is taken once.

import type { Span } from "../../base/source.ts";
import { zero } from "../../affine/term.ts";
import { numberOf } from "../../ir/keys.ts";
import { oppositeOf, outcomeOf, type Outcome } from "../../analyse/opposite.ts";
import type { Scalar } from "../../ir/program.ts";
import { isOff } from "../../ir/rewrites.ts";
import { instantiate, integerScalar, atIndices, coordinateScalar } from "../../ir/substitute.ts";
import type { FloatType } from "../../scalar/types.ts";
import { looksUp, sumOfCounting } from "./choices.ts";
import { algebraOf } from "../scalar/products.ts";
import type { Arrived } from "../sweep/sweep.ts";
import { keyOfPiece, type Piece } from "../transpose/transpose.ts";

/** What arrives at a definition, with the sums of opposite branches as one. */
export function withChoices(arrived: readonly Arrived[], span: Span): readonly Arrived[] {
  if (isOff("opposite-branches")) return arrived;
  const walks = new Map<string, Guarded[]>();
  for (const each of arrived) {
    const { piece } = each;
    if (piece.summed.length === 0 || !piece.guards.some(looksUp)) continue;
    const walk = { ...piece, guards: [], value: integerScalar(zero) };
    const key = `${piece.ranges.length} ${keyOfPiece(walk)}`;
    const alike = walks.get(key) ?? [];
    walks.set(key, alike);
    alike.push(guarded(each, alike[0]?.arrived.piece ?? piece));
  }
  const joined = new Map<Arrived, Arrived | undefined>();
  for (const alike of walks.values())
    for (const { of, arrived: made } of chosenAmong(alike, span)) {
      const [first, ...others] = of as readonly [Arrived, ...Arrived[]];
      joined.set(first, { ...first, piece: inCoordinatesOf(first.piece, made.piece) });
      for (const each of others) joined.set(each, undefined);
    }
  return arrived.flatMap((each) => (joined.has(each) ? (joined.get(each) ?? []) : [each]));
}

/** What arrives under guards, in the coordinates of the first with the same walk. */
interface Guarded {
  readonly arrived: Arrived;
  /** The contributions that it is made of. */
  readonly of: readonly Arrived[];
  readonly outcomes: readonly { readonly key: string; readonly holds: boolean }[];
}

function guarded(each: Arrived, walk: Piece, of: readonly Arrived[] = [each]): Guarded {
  const [value, ...guards] = [each.piece.value, ...each.piece.guards].map((part) =>
    along(each.piece, walk, part),
  );
  const outcomes = guards.map((guard) => {
    const { value: test, holds } = testIn(guard);
    return { key: numberOf(test), holds };
  });
  return { arrived: { ...each, piece: { ...walk, guards, value: value! } }, of, outcomes };
}

/** A test that a condition and its opposite have in common. */
function testIn(condition: Scalar): Outcome {
  const { value, holds } = outcomeOf(condition);
  const isOther =
    value.kind === "apply" && (value.operation === "greater" || value.operation === "greaterEqual");
  const opposite = isOther ? oppositeOf(value) : undefined;
  return opposite ? { value: opposite, holds: !holds } : { value, holds };
}

/** Of those that differ in the outcome of one guard, one: in it, that guard chooses. */
function chosenAmong(alike: readonly Guarded[], span: Span): readonly Guarded[] {
  const open = [...alike];
  const left = new Map<string, Guarded>();
  for (const each of open) {
    const opposite = (which: number): string => keyOfOutcomes(each.outcomes, which);
    // A condition on coordinates bounds the walk.
    const isData = (k: number): boolean => looksUp(each.arrived.piece.guards[k]!);
    const which = each.outcomes.findIndex((_, k) => isData(k) && left.has(opposite(k)));
    if (which < 0) {
      left.set(keyOfOutcomes(each.outcomes), each);
      continue;
    }
    const other = left.get(opposite(which))!;
    left.delete(opposite(which));
    open.push(choosing(other, each, which, span));
  }
  return [...left.values()].filter(({ of }) => of.length > 1);
}

/** The outcomes of some guards, one of them the other way round. */
function keyOfOutcomes(outcomes: Guarded["outcomes"], turned?: number): string {
  return outcomes.map(({ key, holds }, k) => `${holds !== (k === turned)} ${key}`).join();
}

function choosing(first: Guarded, second: Guarded, which: number, span: Span): Guarded {
  const { piece } = first.arrived;
  const counting = [first, second].map(({ arrived: { piece: own } }) => ({
    conditions: [own.guards[which]!],
    value: own.value,
  }));
  const value = sumOfCounting(counting, algebraOf(piece.value.type as FloatType, span), span);
  const guards = piece.guards.filter((_, k) => k !== which);
  return guarded({ ...first.arrived, piece: { ...piece, guards, value } }, piece, [
    ...first.of,
    ...second.of,
  ]);
}

/** A piece in the coordinates of another one with the same walk: no other sum may have them. */
function inCoordinatesOf(own: Piece, piece: Piece): Piece {
  const [value, ...guards] = [piece.value, ...piece.guards].map((part) => along(piece, own, part));
  return { ...own, value: value!, guards };
}

/** What is said along one walk, along another one like it. */
function along(from: Piece, to: Piece, scalar: Scalar): Scalar {
  const others = [...to.axes, ...to.summed];
  const loops = [...from.axes, ...from.summed];
  const by = atIndices(loops, others.map(coordinateScalar));
  return instantiate(scalar, by);
}
