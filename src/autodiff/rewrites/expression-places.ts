// Where an expression may be split: at what is computed at every point of it, and at what is the
// same at some few of them.
//
//   v[t, i] = match i { 0 => x[t], 1 => f(x[t]) * g, _ => f(x[t]) * h }
//     has f(x[t]) at two positions of i, and needs it once for each t.

import { constant, constantOf, equal, ofVariable, zero } from "../../affine/term.ts";
import { workAtPoint } from "../../cost/tally.ts";
import { isImplied, newOpaque } from "../../analyse/facts.ts";
import { sidesOf, withoutImplied } from "../../analyse/implied.ts";
import { integerOf } from "../../ir/integers.ts";
import { keyOf } from "../../ir/keys.ts";
import { negation } from "../../analyse/opposite.ts";
import { alwaysIn, eachScalar, isOfCoordinates, partsOf, readsIn } from "../../ir/parts.ts";
import type { Loop, Scalar } from "../../ir/program.ts";
import { isFloat } from "../../scalar/types.ts";
import { instantiate, integerScalar } from "../../ir/substitute.ts";
import { usesAny } from "../../analyse/ties.ts";
import { nowhere } from "../../base/source.ts";
import { sizeOf as sizeOfLoop } from "../transpose/box.ts";
import type { Part, Read } from "./expression-parts.ts";
import type { Site, Way } from "./expression-work.ts";
import { exponentialsBelow } from "../scalar/exponentials.ts";
import { linearize, type Coefficient } from "../scalar/linearize.ts";

/** An expression, or a part of one. */
export interface Placed extends Part {
  /** Along which it is computed: a part may omit some. */
  readonly loops: readonly Loop[];
}

/** A part, and what stands where it is read. */
export interface Place extends Placed {
  readonly standing: Scalar;
  /** Whether it can be computed whatever guards say. */
  readonly isEverywhere: boolean;
}

/**
 * In how many places an expression may be split: of more, those that split it most evenly. What is
 * large is split again anyway: there a few are enough.
 */
const mostPlaces = { small: 24, large: 6 };

/** How many different things a large expression is made of. */
const large = 60;

interface Sized {
  readonly place: Place;
  readonly size: number;
}

/**
 * What an expression may be split at: whatever has as many cells as the clause or something that it
 * reads. Branches on coordinates are expressions of their own.
 */
export function placesIn(site: Site, whole: Placed & { readonly way: Way }): readonly Place[] {
  const { found, count } = hasBranches(whole.value)
    ? { found: [], count: sizeOf(whole.value) }
    : placesAtEveryPoint(site, whole);
  const shared = placesAtSomePoints(site, whole);
  const isNew = ({ place }: Sized): boolean =>
    !shared.some((each) => keyOf(each.place.standing) === keyOf(place.standing));
  const uneven = ({ size }: Sized): number => Math.abs(2 * size - count);
  return [...shared, ...found.filter(isNew)]
    .sort((a, b) => uneven(a) - uneven(b))
    .slice(0, count > large ? mostPlaces.large : mostPlaces.small)
    .map(({ place }) => place);
}

/** Whether a value is chosen by coordinates. */
export function hasBranches(value: Scalar): value is Extract<Scalar, { kind: "select" }> {
  return value.kind === "select" && isPlain(value.condition);
}

/**
 * Whether a condition compares coordinates as they are: what has a name, or is chosen itself, may
 * be dear to test again.
 */
function isPlain(condition: Scalar): boolean {
  let found = true;
  eachScalar(
    condition,
    (part) => void (found &&= ["apply", "integer", "constant"].includes(part.kind)),
  );
  return found;
}

/** The value of a part that stands somewhere, if it is one: an operation or a choice. */
function computedBy(scalar: Scalar): Scalar | undefined {
  const value = scalar.kind === "local" ? scalar.local.value : scalar;
  return isFloat(value.type) && (value.kind === "apply" || value.kind === "select")
    ? value
    : undefined;
}

function placesAtEveryPoint(
  site: Site,
  { value, under, way, loops: around }: Placed & { readonly way: Way },
): { readonly found: readonly Sized[]; readonly count: number } {
  const found: Sized[] = [];
  const { unstored } = site;
  // What is divided by an exponential is a number where that is none, as long as they stand
  // together.
  const divided = exponentialsBelow(value);
  const always = alwaysComputed(value);
  /** By its structure: whether something that it reads has a cell for every point. */
  const seen = new Map<string, boolean>();
  const readsAll = (scalar: Scalar): boolean =>
    scalar.kind === "read"
      ? unstored.every((loop) => usesAny(scalar, [loop]))
      : partsOf(scalar).map(visit).includes(true);
  const visit = (scalar: Scalar): boolean => {
    const key = keyOf(scalar);
    const known = seen.get(key);
    if (known !== undefined) return known;
    const before = seen.size;
    const isStored = readsAll(scalar);
    seen.set(key, isStored);
    const part = computedBy(scalar);
    const isKept = (scalar === value && !way.isWeighed) || divided.has(key);
    if (part && isStored && always.has(key) && !isKept) {
      const loops = loopsOf({ ...site, loops: around }, part);
      const isEverywhere = loops.length < around.length;
      // What other places have too counts where it is met first.
      found.push({
        place: { standing: scalar, value: part, under, loops, isEverywhere },
        size: seen.size - before,
      });
    }
    return isStored;
  };
  visit(value);
  return { found, count: seen.size };
}

/** What is computed whatever conditions say, by its structure: of branches, what both have. */
function alwaysComputed(
  value: Scalar,
  known: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (scalar: Scalar): void => {
    const key = keyOf(scalar);
    if (known.has(key) || found.has(key)) return;
    found.add(key);
    alwaysIn(scalar).forEach(visit);
    if (scalar.kind !== "select") return;
    const there = new Set([...known, ...found]);
    const [then, otherwise] = [
      alwaysComputed(scalar.then, there),
      alwaysComputed(scalar.otherwise, there),
    ];
    for (const both of then) if (otherwise.has(both)) found.add(both);
  };
  visit(value);
  return found;
}

/**
 * Whether an expression can be computed at every position: it reads whole axes, each along one
 * loop, and does nothing that may fail.
 */
function isEverywhere(scalar: Scalar, loops: readonly Loop[]): boolean {
  let found = true;
  eachScalar(scalar, (part) => {
    if (part.kind === "call" || part.kind === "data" || part.kind === "local") found = false;
    if (part.kind === "apply" && !isFloat(part.within) && part.type !== "bool") found = false;
    if (part.kind !== "read") return;
    found &&= part.indices.every((index, axis) =>
      loops.some(
        ({ variable: v, from, to }) =>
          index.kind === "integer" &&
          equal(index.term, ofVariable(v)) &&
          from.kind === "integer" &&
          from.term.constant === 0 &&
          from.term.parts.length === 0 &&
          to.kind === "integer" &&
          equal(to.term, part.definition.axes[axis]!.extent),
      ),
    );
  });
  return found;
}

/**
 * The loops that a part has cells along: those that it mentions, where it can be computed without
 * the others. Along these its gradient is a sum, and the slopes of the part would stand outside of
 * it: they have to be numbers, or products of cells, so that terms stay in range and a sum over
 * nothing is 0.
 */
function loopsOf({ loops, varies, isInSteps }: Site, value: Scalar): readonly Loop[] {
  const own = loops.filter((loop) => usesAny(value, [loop]));
  if (own.length === loops.length || !isEverywhere(value, loops)) return loops;
  const { coefficients } = linearize(value, varies, () => undefined);
  const isPlain = ({ product: { factors, divisors }, conditions }: Coefficient): boolean =>
    divisors.length === 0 &&
    factors.every(({ kind }) => kind === "read") &&
    conditions.length === 0;
  const inSteps = readsIn([value]).some((read) => isInSteps(read.definition));
  return !inSteps && coefficients.every(isPlain) ? own : loops;
}

// ── what is the same at some points ─────────────────────────────────────────────────────────────

/** Over how many positions a part may be the same: its gradient is a sum of as many terms. */
const mostPositions = 16;

/**
 * Parts that omit coordinates which choose among values, or have few positions, and that are
 * computed at one of these at least, wherever the others are. What is chosen saves a branch,
 * whatever it is; of what stands at all positions, sums of cells save nothing.
 */
function placesAtSomePoints(
  { unstored, guards, steps, isInSteps }: Site,
  whole: Placed,
): readonly Sized[] {
  const found: Sized[] = [];
  const choosing = [...whole.under, ...conditionsIn(whole.value)];
  if (choosing.length === 0 && !whole.loops.some(isShort)) return found;
  for (const { scalar, at } of occurrencesIn(whole)) {
    const value = computedBy(scalar);
    if (scalar === whole.value || !value || workAtPoint([value]) <= 2) continue;
    const loops = whole.loops.filter((loop) => usesAny(value, [loop]));
    const omitted = whole.loops.filter((loop) => !loops.includes(loop));
    if (omitted.length === 0 || guards.some((guard) => usesAny(guard, omitted))) continue;
    const isChosen = (loop: Loop): boolean =>
      choosing.some((condition) => usesAny(condition, [loop]));
    if (!omitted.every((loop) => isChosen(loop) || (isShort(loop) && !isPlainSum(value)))) continue;
    // What reads a recurrence is computed in one of its steps.
    const isStepless = steps.some((loop) => omitted.includes(loop));
    if (isStepless && readsIn([value]).some(({ definition }) => isInSteps(definition))) continue;
    const isDeciding = (condition: Scalar): boolean => usesAny(condition, omitted);
    const isSomewhereIn = ({ path }: Occurrence): boolean => {
      const deciding = path.filter(isDeciding);
      return (
        !deciding.some((condition) => usesAny(condition, loops)) && isSomewhere(omitted, deciding)
      );
    };
    const around = at.map((each) => ({
      ...each,
      isAlways: each.isAlways && isSomewhereIn(each),
      path: each.path.filter((condition) => !isDeciding(condition)),
    }));
    const under = pathToAll(around);
    const cells = unstored.filter((loop) => loops.includes(loop));
    const isStored = readsIn([value]).some((read) => cells.every((loop) => usesAny(read, [loop])));
    if (!under || !isStored) continue;
    found.push({
      place: { standing: scalar, value, under: withoutImplied(under), loops, isEverywhere: false },
      size: sizeOf(scalar),
    });
  }
  return found;
}

/**
 * Whether cells are added and taken away: all of them get back the same, however they are split.
 */
function isPlainSum(value: Scalar): boolean {
  if (value.kind === "local") return isPlainSum(value.local.value);
  if (value.kind !== "apply") return value.kind !== "select";
  return (
    ["add", "subtract", "negate"].includes(value.operation) && value.operands.every(isPlainSum)
  );
}

/** Whether a loop has few positions, but more than one. */
function isShort(loop: Loop): boolean {
  const count = constantOf(sizeOfLoop(loop) ?? zero) ?? 0;
  return count > 1 && count <= mostPositions;
}

/** The conditions on coordinates that choose something in an expression. */
function conditionsIn(value: Scalar): readonly Scalar[] {
  const found: Scalar[] = [];
  eachScalar(
    value,
    (part) =>
      void (
        part.kind === "select" &&
        isOfCoordinates(part.condition) &&
        found.push(part.condition)
      ),
  );
  return found;
}

/**
 * Where something stands in an expression: behind conditions on coordinates, and perhaps others.
 */
interface Occurrence {
  readonly path: readonly Scalar[];
  /** No other conditions lead there. */
  readonly isAlways: boolean;
}

interface Occurring {
  readonly scalar: Scalar;
  readonly at: readonly Occurrence[];
}

/** Everything that stands in an expression, and where it does. */
function occurrencesIn({ value, under }: Pick<Part, "value" | "under">): Iterable<Occurring> {
  const found = new Map<
    string,
    { readonly scalar: Scalar; readonly at: Map<string, Occurrence> }
  >();
  const visit = (scalar: Scalar, path: readonly Scalar[], isAlways: boolean): void => {
    const key = keyOf(scalar);
    const known = found.get(key) ?? { scalar, at: new Map<string, Occurrence>() };
    const place = `${isAlways} ${path.map(keyOf).join()}`;
    if (known.at.has(place)) return;
    found.set(key, known);
    known.at.set(place, { path, isAlways });
    const always = alwaysIn(scalar);
    for (const part of partsOf(scalar)) {
      const isBranch = scalar.kind === "select" && part !== scalar.condition;
      if (!isBranch) visit(part, path, isAlways && always.includes(part));
      else if (!isOfCoordinates(scalar.condition)) visit(part, path, false);
      else
        visit(
          part,
          [...path, part === scalar.then ? scalar.condition : negation(scalar.condition, nowhere)],
          isAlways,
        );
    }
  };
  visit(value, under, true);
  return [...found.values()].map(({ scalar, at }) => ({ scalar, at: [...at.values()] }));
}

/** Whether a part has cells wherever it stands in an expression. */
export function isThere(whole: Placed, key: string, { under }: Pick<Part, "under">): boolean {
  if (isWithin(under, whole.under)) return true;
  for (const { scalar, at } of occurrencesIn(whole))
    if (keyOf(scalar) === key) return at.every(({ path }) => isWithin(under, path));
  return true;
}

/** Whether all of some conditions are among others. */
function isWithin(path: readonly Scalar[], other: readonly Scalar[]): boolean {
  const keys = new Set(other.map(keyOf));
  return path.every((condition) => keys.has(keyOf(condition)));
}

/**
 * The conditions on coordinates that lead to all places of something, if it is computed wherever
 * they hold.
 */
function pathToAll(at: readonly Occurrence[]): readonly Scalar[] | undefined {
  return at.find(
    ({ path, isAlways }) => isAlways && at.every((other) => isWithin(path, other.path)),
  )?.path;
}

/** Whether some conditions hold at one of the positions of some loops, of which there are few. */
function isSomewhere(
  [loop, ...others]: readonly Loop[],
  conditions: readonly Scalar[],
  left = mostPositions,
): boolean {
  if (!loop) return conditions.every(isTrue);
  const [from, to] = [loop.from, loop.to].map((end) => constantOf(integerOf(end) ?? constant(NaN)));
  if (from === undefined || to === undefined || !(to - from <= left)) return false;
  return Array.from({ length: to - from }, (_, k) => integerScalar(constant(from + k))).some((at) =>
    isSomewhere(
      others,
      conditions.map((condition) => instantiate(condition, new Map([[loop.variable, at]]))),
      left / (to - from),
    ),
  );
}

/** Whether a condition on numbers holds. */
function isTrue(condition: Scalar): boolean {
  return sidesOf(condition).some((side) => isImplied(newOpaque(), side, []));
}

/** How many different things a scalar is made of. */
function sizeOf(value: Scalar): number {
  const seen = new Set<string>();
  eachScalar(value, (part) => void seen.add(keyOf(part)));
  return seen.size;
}

// ── what is read in several places ──────────────────────────────────────────────────────────────

/** A read, and the conditions on coordinates under which it is made. */
type Neighbour = Pick<Part, "under"> & { readonly value: Read };

/** Reads of one tensor at several cells that coordinates say. */
export function neighboursIn(
  { loops, varies }: Site,
  all: readonly Placed[],
): readonly Neighbour[] {
  if (loops.length === 0) return [];
  const places = new Map<string, Occurring>();
  for (const each of all) {
    const always = alwaysComputed(each.value);
    for (const { scalar, at } of occurrencesIn(each)) {
      const key = keyOf(scalar);
      const own = always.has(key) ? [{ path: each.under, isAlways: true }] : at;
      places.set(key, { scalar, at: [...(places.get(key)?.at ?? []), ...own] });
    }
  }
  const reads = [...places.values()].flatMap(({ scalar, at }): readonly Neighbour[] => {
    if (scalar.kind !== "read" || !varies(scalar.definition)) return [];
    const isNeighbour =
      scalar.indices.every(isOfCoordinates) && loops.every((loop) => usesAny(scalar, [loop]));
    const under = isNeighbour ? pathToAll(at) : undefined;
    return under ? [{ value: scalar, under }] : [];
  });
  const isAnother = ({ value: a }: Neighbour, { value: b }: Neighbour): boolean =>
    a !== b && a.definition === b.definition;
  return reads.filter((read) => reads.some((other) => isAnother(read, other)));
}
