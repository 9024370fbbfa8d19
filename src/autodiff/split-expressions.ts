// Expressions of one cell, split before they are differentiated where their derivatives would compute the same things again and again.
//
//   y[i] = sin(a[i]·b[i] + c[i]·d[i])   has four derivatives, each with the cosine of the whole sum in it;
//   t[i] = a[i]·b[i] + c[i]·d[i],   y[i] = sin(t[i])   have d_t[i] = d_y[i]·cos(t[i]), once, and four with two factors each.
//
// Products of many numbers are such expressions: each of their derivatives has all the others as factors. An expression is split where that saves
// most, and what is left again, until primal and derivatives together do at most `limit` times the work of what was written. The order of the
// operations stays as it was, and so does every value.

import { variable } from "../ir/affine/term.ts";
import { components } from "../ir/components.ts";
import { workAtPoint } from "../ir/cost/work.ts";
import { keyOf } from "../ir/keys.ts";
import { eachScalar, partsOf } from "../ir/parts.ts";
import type { Axis, Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import { isFloat, type FloatType } from "../ir/scalar/types.ts";
import { isBoundByData, usesAny } from "../ir/ties.ts";
import type { Span } from "../syntax/source.ts";
import { isClosed, newDefinition, readCell, termOf, type Define } from "./cells.ts";
import { sumOfCounting } from "./choices.ts";
import { partOf, placeBeside, placeOfOwn, replaced, withParts, type Part, type Read } from "./expression-parts.ts";
import { setBefore } from "./formulas.ts";
import { tangentType } from "./handed-on.ts";
import { holding, linearize, type Coefficient } from "./linearize.ts";
import type { Around } from "./sweep.ts";
import { isSmallFactor } from "./other-factors.ts";
import { negation } from "./transpose.ts";
import { algebraOf, productScalar } from "./products.ts";

/** How many times the work of an expression it may take together with its derivatives. */
const limit = 4.5;

/** In how many places an expression may be split: of more, those that split it most evenly. */
const places = 24;

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

function split(definition: Definition, clause: Clause, around: Around, define: Define): Clause {
  const { body } = clause;
  const loops = body.kind === "reduce" ? [...clause.loops, ...body.loops] : clause.loops;
  const gradient = definition === around.numerator ? [] : [incoming];
  if (!loops.every((loop) => isClosed(loop, loops))) return clause;
  const isRecurrent = recurrentAmong(around.all).has(definition);
  const way = wayOf(body, gradient, isRecurrent);
  if (!way || !(isLong(body.value, around.varies) || isFactorInSteps(clause, isRecurrent))) return clause;
  const site: Site = { loops, unstored: way.isStored ? [] : loops, varies: around.varies, isRecurrent };
  const branches = branchesOf(body.value).map((branch) => splitUp(site, { ...branch, way, ...workOf(site, branch.value, way) })); // prettier-ignore
  const parts = branches.flatMap(([, ...others]) => others);
  if (parts.length === 0) return clause;
  const made = new Map<Definition, Read>();
  const read = (standIn: Definition): Read | undefined => {
    const part = parts.find(({ cell }) => cell?.definition === standIn);
    if (!part || made.has(standIn)) return made.get(standIn);
    const place = isRecurrent ? placeBeside(definition, clause) : placeOfOwn(clause);
    made.set(standIn, partOf(definition, place, clause, { ...part, value: withParts(part.value, read) }, define));
    return made.get(standIn);
  };
  const value = withBranches(
    body.value,
    branches.map(([first]) => first!.value),
  );
  const rewritten: Clause = { ...clause, body: { ...body, value: withParts(value, read) } };
  setBefore(rewritten, clause);
  return rewritten;
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

/** The points at which an expression is computed. */
interface Site {
  readonly loops: readonly Loop[];
  /** Those along which nothing is stored but what is read. */
  readonly unstored: readonly Loop[];
  readonly varies: Varies;
  readonly isRecurrent: boolean;
}

/** What one point of an expression takes: alone, and with its derivatives. */
interface Expression extends Part {
  readonly way: Way;
  /** Stands for a part where others read it. */
  readonly cell?: Read;
  readonly own: number;
  readonly both: number;
}

/** An expression, and the parts that it was split into. */
function splitUp(around: Site, written: Expression): readonly Expression[] {
  const parts = new Set<Definition>();
  const site: Site = { ...around, varies: (read) => around.varies(read) || parts.has(read) };
  const known = new Map<Expression, readonly Split[]>();
  let all: readonly Expression[] = [written];
  while (workOfAll(all) > limit * written.own) {
    for (const each of all) if (!known.has(each)) known.set(each, splitsOf(site, each, parts));
    const splits = all.flatMap((each) => known.get(each)!);
    // A part may stand in several of them: that is looked at where there are not too many.
    const few = splits.length <= several;
    const [best] = splits.map((each) => (few ? inAll(site, all, each, parts) : each)).sort((a, b) => b.saves - a.saves);
    if (!best || best.saves <= 0) break;
    parts.add(best.part.cell!.definition);
    // The part is read wherever it stood.
    all = [...all.map((each) => withPart(site, each, best.key, best.part.cell!)), best.part];
  }
  return all;
}

function workOfAll(all: readonly Expression[]): number {
  return all.reduce((sum, { both }) => sum + both, 0);
}

interface Split {
  readonly key: string;
  readonly part: Expression;
  readonly saves: number;
}

/** What parts of an expression save in it. */
function splitsOf(site: Site, whole: Expression, parts: Set<Definition>): readonly Split[] {
  const axes = site.loops.map((loop): Axis => ({ name: loop.variable.name, extent: termOf(loop.to) }));
  return placesIn(site, whole).map((place) => {
    const cell = readCell(newDefinition("part", place.type, axes, [], nowhere), site.loops, nowhere);
    const value = place.kind === "local" ? place.local.value : place;
    const part: Expression = { value, under: whole.under, cell, way: asCell, ...workOf(site, value, asCell) };
    return inAll(site, [whole], { key: keyOf(place), part, saves: 0 }, parts);
  });
}

/** What a part saves in several expressions. */
function inAll(site: Site, all: readonly Expression[], split: Split, parts: Set<Definition>): Split {
  const { key, part } = split;
  parts.add(part.cell!.definition);
  const left = workOfAll(all.map((each) => withPart(site, each, key, part.cell!)));
  parts.delete(part.cell!.definition);
  return { ...split, saves: workOfAll(all) - left - part.both };
}

function withPart(site: Site, whole: Expression, key: string, cell: Read): Expression {
  const value = replaced(whole.value, key, cell);
  return value === whole.value ? whole : { ...whole, ...workOf(site, value, whole.way), value };
}

const nowhere: Span = { source: { name: "<compiler>", text: "" }, start: 0, end: 0 };

/** Where an expression may be split: whatever is computed at every point, and has as many cells as the clause or something that it reads. */
function placesIn({ unstored, varies }: Site, { value, way }: Expression): readonly Scalar[] {
  const found = new Map<string, Size & { readonly place: Scalar }>();
  const seen = new Map<string, Size>();
  const sizeOf = (scalar: Scalar): Size => {
    if (scalar.kind === "read")
      return { size: 1, isLarge: varies(scalar.definition) && unstored.every((loop) => usesAny(scalar, [loop])) };
    const always = scalar.kind === "select" ? [scalar.condition] : partsOf(scalar);
    const parts = always.map(visit);
    const size = parts.reduce((sum, part) => sum + part.size, 1);
    return { size, isLarge: parts.some((part) => part.isLarge) };
  };
  const visit = (scalar: Scalar): Size => {
    const key = keyOf(scalar);
    const known = seen.get(key);
    if (known) return known;
    const size = sizeOf(scalar);
    seen.set(key, size);
    const computed = scalar.kind === "local" ? scalar.local.value : scalar;
    const isPlace = computed.kind === "apply" || computed.kind === "select";
    const isAll = scalar === value && !way.isWeighed;
    if (isPlace && size.isLarge && isFloat(scalar.type) && !isAll) found.set(key, { ...size, place: scalar });
    return size;
  };
  const { size } = visit(value);
  const uneven = (part: Size): number => Math.abs(2 * part.size - size);
  return [...found.values()]
    .sort((a, b) => uneven(a) - uneven(b))
    .slice(0, places)
    .map(({ place }) => place);
}

interface Size {
  readonly size: number;
  /** Whether there is a cell for every point without it. */
  readonly isLarge: boolean;
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

// ── what it takes ───────────────────────────────────────────────────────────────────────────────

/** What stands before the derivatives of an expression, and what one point of it takes in the primal and in the program with its derivatives. */
interface Way {
  readonly leads: (value: Scalar) => readonly Scalar[];
  readonly own: (work: number) => number;
  readonly both: (work: number, value: Scalar) => number;
  /** The value itself, where it is there afterwards. */
  readonly result?: Scalar;
  /** The cell itself, or what its reduction keeps, is as large as a part. */
  readonly isStored: boolean;
  /** The reduction puts something before every derivative: all of the expression may be a part. */
  readonly isWeighed: boolean;
}

const standInFor = (name: string): Scalar => readCell(newDefinition(name, "f32", [], [], nowhere), [], nowhere);

/** The gradient that comes in, the cell, and what a product has before and behind a factor. */
const [incoming, result, before, behind] = ["d", "y", "before", "behind"].map(standInFor) as [
  Scalar, Scalar, Scalar, Scalar,
]; // prettier-ignore

/** How many elements a mean has: a number. */
const count: Scalar = {
  kind: "parameter",
  type: "f32",
  parameter: { name: "n", type: "f32", variable: variable("n") },
};

const asCell = ofCell([incoming]);

function ofCell(gradient: readonly Scalar[]): Way {
  return { ...ofSum(gradient), result, isStored: true };
}

function ofSum(gradient: readonly Scalar[]): Way {
  const added = (work: number): number => work + 1;
  return { leads: () => gradient, own: added, both: added, isStored: false, isWeighed: false };
}

/** Nothing for reductions that send everything to one element, or nothing at all. */
function wayOf(body: Clause["body"], gradient: readonly Scalar[], isRecurrent: boolean): Way | undefined {
  if (body.kind === "map") return ofCell(gradient);
  switch (body.reduction) {
    case "sum":
      return ofSum(gradient);
    case "mean":
      return { ...ofSum([...gradient, count]), isWeighed: true };
    case "logsumexp": {
      const leads = (value: Scalar): readonly Scalar[] => {
        const algebra = algebraOf(value.type as FloatType, nowhere);
        return [...gradient, algebra.apply("exp", algebra.apply("subtract", value, result))];
      };
      const added = (work: number): number => work + 4;
      return { ...ofSum(gradient), isWeighed: true, leads, own: added, both: added };
    }
    case "prod": {
      // The factors are kept, unless they are small, and so is what stands before and behind each.
      const kept = (work: number, value: Scalar): number => (isSmallFactor(value) ? 2 * work : work + 3) + 4;
      const whole = { ...ofSum(gradient), isStored: true, isWeighed: true };
      // In steps the product is taken beside them, and the gradient is still being made.
      return isRecurrent
        ? { ...whole, leads: () => [...gradient, before, behind], both: (work, value) => work + 1 + kept(work, value) }
        : { ...whole, leads: () => [behind, before], both: kept };
    }
    case "max":
    case "min":
    case "argmax":
    case "argmin":
    case "any":
    case "all":
    case "count":
      return undefined;
    default:
      return body.reduction satisfies never;
  }
}

/** One point of an expression and of what it sends back: each derivative is added up or written. */
function workOf({ loops, varies, isRecurrent }: Site, value: Scalar, way: Way): Pick<Expression, "own" | "both"> {
  const work = workAtPoint([value]);
  const { coefficients } = linearize(value, varies, () => undefined, way.result);
  // What arrives in one cell is computed together there, unless it is summed before, or stands in branches as it does in recurrences; where data chooses
  // among sums they are one.
  const isApart = ({ read, conditions }: Coefficient): boolean =>
    conditions.length === 0 && (isRecurrent || !loops.every((loop) => usesAny(read, [loop])));
  const groups = new Map<string, Coefficient[]>();
  for (const [k, each] of coefficients.entries()) {
    const key = isApart(each) ? String(k) : keyOf(each.read);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const first = way.leads(value);
  const sentBack = [...groups.values()].map((group) => {
    const [{ read, product }] = group as [Coefficient];
    // Another name for what is there already takes nothing.
    const isAlias = group.length === 1 && first.length + product.factors.length === 1 && isPlain(group[0]!);
    if (isAlias && (first[0] ?? product.factors[0]!).kind === "read") return 0;
    const type = tangentType(read.definition);
    const counting = group.map((each) => ({
      conditions: each.conditions.map(holding),
      value: productScalar({ ...each.product, factors: [...first, ...each.product.factors] }, type, nowhere),
    }));
    // What is summed alone is guarded by its conditions; of what is added up in one cell each is tested once.
    const [{ conditions, value: only }] = counting as [(typeof counting)[0]];
    const isSummedAlone = group.length === 1 && !loops.every((loop) => usesAny(read, [loop]));
    const sum = isSummedAlone ? [...conditions, only] : [sumOfCounting(counting, algebraOf(type, nowhere), nowhere)];
    // A lookup is made again to find where the term goes.
    const places = read.indices.filter((index) => index.kind !== "integer");
    return workAtPoint([...sum, ...places]) + 1;
  });
  return { own: way.own(work), both: sentBack.reduce((sum, each) => sum + each, way.both(work, value)) };
}

function isPlain({ product, conditions }: Coefficient): boolean {
  return product.constant === 1 && product.divisors.length === 0 && conditions.length === 0;
}
