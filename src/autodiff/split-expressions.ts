// Expressions of one cell, split before they are differentiated where their derivatives would compute the same things again and again.
//
//   y[i] = sin(a[i]·b[i] + c[i]·d[i])   has four derivatives, each with the cosine of the whole sum in it;
//   t[i] = a[i]·b[i] + c[i]·d[i],   y[i] = sin(t[i])   have d_t[i] = d_y[i]·cos(t[i]), once, and four with two factors each.
//
// Products of many numbers are such expressions: each of their derivatives has all the others as factors. An expression is split where that saves
// most, and what is left again, until primal and derivatives together do at most `limit` times the work of what was written. The order of the
// operations stays as it was, and so does every value.

import { components } from "../ir/components.ts";
import { keyOf } from "../ir/keys.ts";
import { eachScalar, partsOf } from "../ir/parts.ts";
import type { Axis, Clause, Definition, Local, Loop, Scalar } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { isBoundByData, usesAny } from "../ir/ties.ts";
import { nowhere } from "../syntax/source.ts";
import { isClosed, newDefinition, readCell, termOf, type Define } from "./cells.ts";
import {
  definingOnce,
  partAlong,
  partOf,
  placeBeside,
  placeOfOwn,
  replaced,
  withParts,
  type Part,
  type Read,
} from "./expression-parts.ts";
import { asCell, incoming, wayOf, workOf, type PointWork, type Site, type Way } from "./expression-work.ts";
import { exponentialsBelow } from "./exponentials.ts";
import { setBefore } from "./formulas.ts";
import { linearize, type Coefficient } from "./linearize.ts";
import type { Around } from "./sweep.ts";
import { isSmallFactor } from "./other-factors.ts";
import { isEverywhere, withSharedAsWritten } from "./share.ts";
import { negation } from "./transpose.ts";

/** How many times the work of an expression it may take together with its derivatives. */
const limit = 4.5;

/** In how many places an expression may be split: of more, those that split it most evenly. What is large is split again anyway: there a few are enough. */
const mostPlaces = { small: 24, large: 6 };

/** How many different things a large expression is made of. */
const large = 60;

/** How many parts are compared in all expressions. */
const several = 64;

type Varies = (definition: Definition) => boolean;

/** Rewrites the clauses of a definition in place; the new definitions are read by them. */
export function splitExpressions(definition: Definition, around: Around, define: Define): void {
  if (!isFloat(definition.element) || definition.rule) return;
  const clauses = definition.clauses.map((clause) => split(definition, clause, around, define));
  if (clauses.some((clause, k) => clause !== definition.clauses[k])) definition.clauses = clauses;
}

/** Several numbers that vary, joined by several operations: fewer have derivatives that share little. Those of calls are functions. */
function isLong(value: Scalar, varies: Varies): boolean {
  const counts = { operations: 0, numbers: 0, calls: 0 };
  eachScalar(value, (part) => {
    if (part.kind === "apply" && isFloat(part.type)) counts.operations++;
    if (part.kind === "read" && varies(part.definition)) counts.numbers++;
    if (part.kind === "call" || part.kind === "data") counts.calls++;
  });
  return counts.operations > 1 && counts.numbers > 2 && counts.calls === 0;
}

/** A product in the steps of a recurrence has its factors again for what stands before and behind each; those that data chooses are walked (sparse-products.ts). */
function isFactorInSteps({ loops, body }: Clause, isRecurrent: boolean): boolean {
  if (!isRecurrent || body.kind !== "reduce" || body.reduction !== "prod") return false;
  return !isSmallFactor(body.value) && !isBoundByData(loops, body);
}

function split(definition: Definition, written: Clause, around: Around, define: Define): Clause {
  const clause = withRepeatedNamed(written, around.varies);
  const { body } = clause;
  const loops = body.kind === "reduce" ? [...clause.loops, ...body.loops] : clause.loops;
  const gradient = definition === around.numerator ? [] : [incoming];
  if (!loops.every((loop) => isClosed(loop, loops))) return clause;
  const isRecurrent = recurrentAmong(around.all).has(definition);
  const way = wayOf(body, gradient, isRecurrent);
  if (!way || !(isLong(body.value, around.varies) || isFactorInSteps(clause, isRecurrent))) return clause;
  const isInSteps = (read: Definition): boolean => recurrentAmong(around.all).has(read);
  const site: Site = { loops, unstored: way.isStored ? [] : loops, varies: around.varies, isRecurrent, isInSteps };
  const branches = branchesOf(body.value).map((branch) => splitUp(site, { ...branch, loops, way, ...workOf(site, branch.value, way) })); // prettier-ignore
  const parts = branches.flatMap(([, ...others]) => others);
  if (parts.length === 0) return clause;
  const once = definingOnce(around.parts, define);
  const made = new Map<Definition, Read>();
  const read = (standIn: Definition): Read | undefined => {
    const part = parts.find(({ cell }) => cell?.definition === standIn);
    if (!part || made.has(standIn)) return made.get(standIn);
    const value = withParts(part.value, read);
    if (part.loops.length < loops.length) made.set(standIn, partAlong(definition, part.loops, value, clause, once));
    else {
      const place = isRecurrent ? placeBeside(definition, clause) : placeOfOwn(clause);
      made.set(standIn, partOf(definition, place, clause, { ...part, value }, once));
    }
    return made.get(standIn);
  };
  const value = withBranches(
    body.value,
    branches.map(([first]) => first!.value),
  );
  const rewritten: Clause = { ...clause, body: { ...body, value: withParts(value, read) } };
  setBefore(rewritten, written);
  return rewritten;
}

/** A clause in which what stands twice has a name: all that comes back to it is added up before it goes further. */
function withRepeatedNamed(clause: Clause, varies: Varies): Clause {
  const { body } = clause;
  if (!isLong(body.value, varies)) return clause;
  const value = withSharedAsWritten(body.value);
  if (numberOfNames(value) === numberOfNames(body.value)) return clause;
  const named: Clause = { ...clause, body: { ...body, value } };
  setBefore(named, clause);
  return named;
}

function numberOfNames(value: Scalar): number {
  const found = new Set<Local>();
  eachScalar(value, (part) => void (part.kind === "local" && found.add(part.local)));
  return found.size;
}

const recurrent = new WeakMap<readonly Definition[], ReadonlySet<Definition>>();

/** The definitions that read themselves, directly or through others. */
function recurrentAmong(all: readonly Definition[]): ReadonlySet<Definition> {
  let found = recurrent.get(all);
  if (!found) {
    const at = new Map(all.map((definition, k) => [definition, k]));
    const edges = all.map((definition) => [...readsOf(definition)].flatMap((read) => at.get(read) ?? []));
    const groups = components(all.length, (k) => edges[k]!);
    const isCircle = ([first, ...others]: readonly number[]): boolean =>
      others.length > 0 || edges[first!]!.includes(first!);
    found = new Set(groups.filter(isCircle).flatMap((group) => group.map((k) => all[k]!)));
    recurrent.set(all, found);
  }
  return found;
}

/** What one point of an expression takes: alone, and with its derivatives. */
interface Expression extends Part, PointWork {
  /** Along which it is computed: a part may omit some. */
  readonly loops: readonly Loop[];
  readonly way: Way;
  /** Stands for a part where others read it. */
  readonly cell?: Read;
}

/** What was found out while an expression is split: each part, and what is left of each expression without it, is worked out once. */
interface Search {
  /** In which parts vary. */
  readonly site: Site;
  /** The conditions on coordinates under which all of it is computed. */
  readonly under: readonly Scalar[];
  readonly standIns: Set<Definition>;
  /** By the structure of what they stand for. */
  readonly parts: Map<string, Expression>;
  readonly splits: Map<Expression, readonly Split[]>;
  readonly left: Map<Expression, Map<string, Expression>>;
}

function searchFor(site: Site, { under }: Expression): Search {
  const standIns = new Set<Definition>();
  const varies = (read: Definition): boolean => standIns.has(read) || site.varies(read);
  return { site: { ...site, varies }, under, standIns, parts: new Map(), splits: new Map(), left: new Map() };
}

/** What a map has for a key, made when it is asked for first. */
function remembered<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/** An expression, and the parts that it was split into. */
function splitUp(around: Site, written: Expression): readonly Expression[] {
  const search = searchFor(around, written);
  let all: readonly Expression[] = [written];
  while (workOfAll(all) > limit * written.own) {
    const splits = all.flatMap((each) => splitsOf(search, each));
    // A part may stand in several of them: that is looked at where there are not too many.
    const few = splits.length <= several;
    const [best] = splits
      .map((each) => (few ? { ...each, saves: savedIn(search, all, each) } : each))
      .sort((a, b) => b.saves - a.saves);
    if (!best || best.saves <= 0) break;
    // The part is read wherever it stood.
    all = [...all.map((each) => withPart(search, each, best)), best.part];
  }
  return workOfAll(all) > limit * written.own ? withoutNeedless(search.site, all) : all;
}

/** Parts that others have made needless are put back where they stood. */
function withoutNeedless(site: Site, all: readonly Expression[]): readonly Expression[] {
  for (const part of all.slice(1)) {
    const left = all
      .filter((each) => each !== part)
      .map((each) => replacedIn(site, each, keyOf(part.cell!), part.value));
    if (workOfAll(left) < workOfAll(all)) return withoutNeedless(site, left);
  }
  return all;
}

/** What is handed on as it is takes nothing, unless something else arrives there: then it is read and added. */
function workOfAll(all: readonly Expression[]): number {
  const arriving = new Map<string, number>();
  for (const key of all.flatMap(({ sent }) => sent)) arriving.set(key, (arriving.get(key) ?? 0) + 1);
  const added = all.flatMap(({ handedOn }) => handedOn).filter((key) => arriving.get(key)! > 1);
  return all.reduce((sum, { both }) => sum + both, 2 * added.length);
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
      const split: Split = { key: keyOf(place), part: partAt(search, place), saves: 0 };
      return { ...split, saves: savedIn(search, [whole], split) };
    }),
  );
}

function partAt({ site, under, standIns, parts }: Search, place: Scalar): Expression {
  return remembered(parts, keyOf(place), () => {
    const value = place.kind === "local" ? place.local.value : place;
    const loops = loopsOf(site, value);
    const axes = loops.map((loop): Axis => ({ name: loop.variable.name, extent: termOf(loop.to) }));
    const cell = readCell(newDefinition("part", place.type, axes, [], nowhere), loops, nowhere);
    standIns.add(cell.definition);
    // What omits coordinates has few cells beside the points.
    const work = loops.length < site.loops.length ? nothing : workOf(site, value, asCell);
    return { value, under, cell, loops, way: asCell, ...work };
  });
}

const nothing: PointWork = { own: 0, both: 0, sent: [], handedOn: [] };

/**
 * The loops that a part has cells along: those that it mentions, where it can be computed without the others. Along these its gradient is a sum, and the slopes of
 * the part would stand outside of it: they have to be numbers, or products of cells, so that terms stay in range and a sum over nothing is 0.
 */
function loopsOf({ loops, varies, isInSteps }: Site, value: Scalar): readonly Loop[] {
  const own = loops.filter((loop) => usesAny(value, [loop]));
  if (own.length === loops.length || !isEverywhere(value, loops)) return loops;
  let inSteps = false;
  eachScalar(value, (part) => void (inSteps ||= part.kind === "read" && isInSteps(part.definition)));
  const { coefficients } = linearize(value, varies, () => undefined);
  const isPlain = ({ product: { factors, divisors }, conditions }: Coefficient): boolean =>
    divisors.length === 0 && factors.every(({ kind }) => kind === "read") && conditions.length === 0;
  return !inSteps && coefficients.every(isPlain) ? own : loops;
}

/** What a part saves in several expressions. */
function savedIn(search: Search, all: readonly Expression[], split: Split): number {
  const left = all.map((each) => withPart(search, each, split));
  return workOfAll(all) - workOfAll(left) - split.part.both;
}

/** What is left of an expression beside a part of it. */
function withPart({ site, left }: Search, whole: Expression, { key, part }: Split): Expression {
  const known = remembered(left, whole, () => new Map<string, Expression>());
  return remembered(known, key, () => replacedIn(site, whole, key, part.cell!));
}

function replacedIn(site: Site, whole: Expression, key: string, by: Scalar): Expression {
  const value = replaced(whole.value, key, by);
  return value === whole.value ? whole : { ...whole, ...workOf(site, value, whole.way), value };
}

/** Where an expression may be split: whatever is computed at every point, and has as many cells as the clause or something that it reads. */
function placesIn({ unstored }: Site, { value, way }: Expression): readonly Scalar[] {
  const found: { readonly place: Scalar; readonly size: number }[] = [];
  // What is divided by an exponential is a number where that is none, as long as they stand together.
  const divided = exponentialsBelow(value);
  /** By its structure: whether something that it reads has a cell for every point. */
  const seen = new Map<string, boolean>();
  const readsAll = (scalar: Scalar): boolean => {
    if (scalar.kind === "read") return unstored.every((loop) => usesAny(scalar, [loop]));
    const always = scalar.kind === "select" ? [scalar.condition] : partsOf(scalar);
    return always.map(visit).includes(true);
  };
  const visit = (scalar: Scalar): boolean => {
    const key = keyOf(scalar);
    const known = seen.get(key);
    if (known !== undefined) return known;
    const before = seen.size;
    const isStored = readsAll(scalar);
    seen.set(key, isStored);
    const computed = scalar.kind === "local" ? scalar.local.value : scalar;
    const isPlace = computed.kind === "apply" || computed.kind === "select";
    const isKept = (scalar === value && !way.isWeighed) || divided.has(key);
    // What other places have too counts where it is met first.
    if (isPlace && isStored && isFloat(scalar.type) && !isKept) found.push({ place: scalar, size: seen.size - before });
    return isStored;
  };
  visit(value);
  const uneven = ({ size }: { readonly size: number }): number => Math.abs(2 * size - seen.size);
  return found
    .sort((a, b) => uneven(a) - uneven(b))
    .slice(0, seen.size > large ? mostPlaces.large : mostPlaces.small)
    .map(({ place }) => place);
}

// ── branches ────────────────────────────────────────────────────────────────────────────────────

/** What branches on coordinates lead to: each is computed where it stands, so that each is an expression of its own. */
function branchesOf(value: Scalar, under: readonly Scalar[] = []): readonly Part[] {
  if (value.kind !== "select" || !isOfCoordinates(value.condition)) return [{ value, under }];
  const { condition, then, otherwise } = value;
  return [
    ...branchesOf(then, [...under, condition]),
    ...branchesOf(otherwise, [...under, negation(condition, nowhere)]),
  ];
}

/** The same branches with other expressions behind them. */
function withBranches(value: Scalar, [first, ...others]: readonly Scalar[]): Scalar {
  if (value.kind !== "select" || !isOfCoordinates(value.condition)) return first!;
  const there = branchesOf(value.then).length;
  const all = [first!, ...others];
  return {
    ...value,
    then: withBranches(value.then, all.slice(0, there)),
    otherwise: withBranches(value.otherwise, all.slice(there)),
  };
}

/** Whether a condition says where a point is, and nothing about data. */
function isOfCoordinates(condition: Scalar): boolean {
  let isData = false;
  eachScalar(condition, (part) => void (isData ||= !["apply", "integer", "constant"].includes(part.kind)));
  return !isData;
}
