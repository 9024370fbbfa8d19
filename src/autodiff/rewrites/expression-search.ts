// The search for the parts of an expression with which it takes least work, together with its
// derivatives.

import { constantOf } from "../../affine/term.ts";
import { withoutImplied } from "../../analyse/implied.ts";
import { keyOf } from "../../ir/keys.ts";
import { isOfCoordinates, readsIn } from "../../ir/parts.ts";
import type { Axis, Definition, Loop, Scalar } from "../../ir/program.ts";
import { nowhere } from "../../base/source.ts";
import { sizeOf } from "../transpose/box.ts";
import { newDefinition, readCell, termOf } from "../sweep/cells.ts";
import { replaced, type Read } from "./expression-parts.ts";
import { isThere, neighboursIn, placesIn, type Place, type Placed } from "./expression-places.ts";
import { asCell, workOf, type PointWork, type Site, type Way } from "./expression-work.ts";
import { coordinateScalar } from "../../ir/substitute.ts";

/**
 * How many times the work of an expression it may take together with its derivatives; what lookups
 * send to cells is computed for each of these, which takes more than estimated.
 */
const limits = { plain: 4.5, lookedUp: 3.5 };

/** How many parts are compared in all expressions. */
const several = 64;

/** What one point of an expression takes: alone, and with its derivatives. */
export interface Expression extends Placed, PointWork {
  readonly way: Way;
  /** Stands for a part where others read it. */
  readonly cell?: Read;
  /** Of a part: whether it can be computed whatever guards say. */
  readonly isEverywhere?: boolean;
}

/**
 * What was found out while an expression is split: each part, and what is left of each expression
 * without it, is worked out once.
 */
interface Search {
  /** In which parts vary. */
  readonly site: Site;
  readonly standIns: Set<Definition>;
  /** By the structure of what they stand for, and where they are computed. */
  readonly parts: Map<string, Expression>;
  readonly splits: Map<Expression, readonly Split[]>;
  readonly left: Map<Expression, Map<Expression, Expression>>;
}

function searchFor(site: Site): Search {
  const standIns = new Set<Definition>();
  const varies = (read: Definition): boolean => standIns.has(read) || site.varies(read);
  return {
    site: { ...site, varies },
    standIns,
    parts: new Map(),
    splits: new Map(),
    left: new Map(),
  };
}

/** What a map has for a key, made when it is asked for first. */
function remembered<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/** An expression at the points of a site. */
export function expressionOf(
  site: Site,
  value: Scalar,
  under: readonly Scalar[],
  way: Way,
): Expression {
  return { value, under, way, loops: site.loops, ...workOf(site, value, way) };
}

/**
 * Expressions at the same points, and behind them the parts that they were split into; some share
 * of their work is their own.
 */
export function splitUp(
  site: Site,
  written: readonly Expression[],
  share: number,
): readonly Expression[] {
  const isLookedUp = written.some(({ value }) =>
    readsIn([value]).some(
      (read) => site.varies(read.definition) && !read.indices.every(isOfCoordinates),
    ),
  );
  const limit = isLookedUp ? limits.lookedUp : limits.plain;
  const enough = limit * written.reduce((sum, { own }) => sum + own, 0) * share;
  const search = searchFor(site);
  const all = improved(search, written, enough);
  if (workOfAll(all) <= enough) return all;
  const [first, later] = [written, all].map((each) => withCopies(search, each));
  const ways = [
    ...(first ? [improved(first.search, first.all, enough)] : []),
    ...(later ? [later.all] : []),
  ];
  const plain = withoutNeedless(search.site, all);
  const best = ways.reduce((a, b) => (workOfAll(b) < workOfAll(a) ? b : a), ways[0] ?? plain);
  return workOfAll(best) < workTogether(search, plain) ? best : plain;
}

/** Expressions, split further where that saves most, until they take little enough. */
function improved(
  search: Search,
  start: readonly Expression[],
  enough: number,
): readonly Expression[] {
  let all = start;
  while (workOfAll(all) > enough) {
    const splits = [
      ...new Map(
        all.flatMap((each) => splitsOf(search, each)).map((each) => [each.part, each]),
      ).values(),
    ];
    // A part may stand in several of them: that is looked at where there are not too many.
    const few = splits.length <= several;
    const [best] = splits
      .map((each) => (few ? { ...each, saves: savedIn(search, all, each) } : each))
      .sort((a, b) => b.saves - a.saves);
    if (!best || best.saves <= 0) break;
    // The part is read wherever it stood.
    all = [...all.map((each) => withPart(search, each, best)), best.part];
  }
  return all;
}

/**
 * Expressions that read one tensor in several places, with copies of its cells in the place of the
 * reads:
 *
 *   y[i] = f(x[i], x[i + 1])   is   a[i] = x[i],  b[i] = x[i + 1],  y[i] = f(a[i], b[i]);
 *   d_x[i] = d_a[i] + d_b[i - 1]
 *
 * What comes back to x from f takes the slopes of two points; what comes back to a and b takes
 * those of one, which they share.
 */
function withCopies(
  search: Search,
  all: readonly Expression[],
): { readonly search: Search; readonly all: readonly Expression[] } | undefined {
  const { site } = search;
  const reads = neighboursIn(site, all);
  if (reads.length === 0) return undefined;
  // Nobody computes a copy; what comes back to it is read and added up where it is copied from.
  const copies = reads.map(({ value, under }): Expression => ({
    ...nothing,
    value,
    under: withoutImplied(under),
    cell: standInOf(value.type, site.loops),
    loops: site.loops,
    way: asCell,
    both: 2,
  }));
  const further = searchFor(site);
  for (const { cell } of copies) further.standIns.add(cell!.definition);
  const around: Site = { ...further.site, isHere: (read) => further.standIns.has(read) };
  const reading = copies.reduce(
    (left, { value, cell }) => left.map((each) => replacedIn(around, each, keyOf(value), cell!)),
    all,
  );
  return { search: { ...further, site: around }, all: [...reading, ...copies] };
}

/** Parts that others have made needless are put back where they stood. */
function withoutNeedless(site: Site, all: readonly Expression[]): readonly Expression[] {
  for (const part of all.filter(({ cell }) => cell)) {
    const left = all
      .filter((each) => each !== part)
      .map((each) => replacedIn(site, each, keyOf(part.cell!), part.value));
    if (workOfAll(left) < workOfAll(all)) return withoutNeedless(site, left);
  }
  return all;
}

/**
 * What is handed on as it is takes nothing, unless something else arrives there: then it is read
 * and added.
 */
function workOfAll(all: readonly Expression[]): number {
  const arriving = new Map<string, number>();
  for (const key of all.flatMap(({ sent }) => sent))
    arriving.set(key, (arriving.get(key) ?? 0) + 1);
  const added = all.flatMap(({ handedOn }) => handedOn).filter((key) => arriving.get(key)! > 1);
  return all.reduce((sum, { both }) => sum + both, 2 * added.length);
}

/**
 * What expressions take if what comes back to their parts is computed together, as it is where
 * cells are copied.
 */
function workTogether({ site, standIns }: Search, all: readonly Expression[]): number {
  const around: Site = { ...site, isHere: (read) => standIns.has(read) };
  return workOfAll(
    all.map((each) =>
      each.value.kind === "read" ? each : { ...each, ...workAlong(around, each) },
    ),
  );
}

/** A part that may be computed by itself, and what that saves. */
interface Split {
  readonly key: string;
  readonly part: Expression;
  readonly saves: number;
}

/** What parts of an expression save in it. */
function splitsOf(search: Search, whole: Expression): readonly Split[] {
  return remembered(search.splits, whole, () =>
    placesIn(search.site, whole).map((place) => {
      const split: Split = { key: keyOf(place.standing), part: partAt(search, place), saves: 0 };
      return { ...split, saves: savedIn(search, [whole], split) };
    }),
  );
}

function partAt({ site, standIns, parts }: Search, place: Place): Expression {
  const { value, under, loops, isEverywhere } = place;
  const points = [
    ...under.map(keyOf),
    ...loops.map((loop) => keyOf(coordinateScalar(loop))),
  ].join();
  return remembered(parts, `${keyOf(place.standing)} ${points}`, () => {
    const cell = standInOf(value.type, loops);
    standIns.add(cell.definition);
    const part = { value, under, loops, isEverywhere, cell, way: asCell };
    return { ...part, ...workAlong(site, part) };
  });
}

/**
 * What a part takes for each point of the whole: one that omits coordinates has few cells beside
 * the points, or one for some of them.
 */
function workAlong(
  site: Site,
  { value, loops, way, isEverywhere }: Omit<Expression, keyof PointWork>,
): PointWork {
  if (loops.length === site.loops.length) return workOf(site, value, way);
  if (isEverywhere) return nothing;
  const omitted = site.loops.filter((loop) => !loops.includes(loop));
  const positions = omitted.reduce(
    (product, loop) => product * (constantOf(sizeOf(loop)!) ?? 1),
    1,
  );
  const { own, both, ...sent } = workOf({ ...site, loops }, value, way);
  return { ...sent, own: own / positions, both: both / positions };
}

/** What stands for a part while expressions are weighed. */
function standInOf(type: Scalar["type"], loops: readonly Loop[]): Read {
  const axes = loops.map((loop): Axis => ({ name: loop.variable.name, extent: termOf(loop.to) }));
  return readCell(newDefinition("part", type, axes, [], nowhere), loops, nowhere);
}

const nothing: PointWork = { own: 0, both: 0, sent: [], handedOn: [] };

/** What a part saves in several expressions. */
function savedIn(search: Search, all: readonly Expression[], split: Split): number {
  const left = all.map((each) => withPart(search, each, split));
  return workOfAll(all) - workOfAll(left) - split.part.both;
}

/**
 * What is left of an expression beside a part of it: all of it where the part has no cells for some
 * places.
 */
function withPart({ site, left }: Search, whole: Expression, { key, part }: Split): Expression {
  const known = remembered(left, whole, () => new Map<Expression, Expression>());
  return remembered(known, part, () => {
    const found = replacedIn(site, whole, key, part.cell!);
    return found === whole || isThere(whole, key, part) ? found : whole;
  });
}

function replacedIn(site: Site, whole: Expression, key: string, by: Scalar): Expression {
  const value = replaced(whole.value, key, by);
  return value === whole.value
    ? whole
    : { ...whole, ...workAlong(site, { ...whole, value }), value };
}
