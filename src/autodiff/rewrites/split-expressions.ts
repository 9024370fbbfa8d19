// Expressions of one cell, split before they are differentiated where their derivatives would
// compute the same things again and again.
//
//   y[i] = sin(a[i]·b[i] + c[i]·d[i])
//     has four derivatives, each with the cosine of the whole sum in it;
//   t[i] = a[i]·b[i] + c[i]·d[i],   y[i] = sin(t[i])
//     have d_t[i] = d_y[i]·cos(t[i]), once, and four with two factors each.
//
// Products of many numbers are such expressions: each of their derivatives has all the others as
// factors. An expression is split where that saves most, and what is left again, until primal and
// derivatives together do at most `limit` times the work of what was written. The order of the
// operations stays as it was, and so does every value.

import { isOff } from "../../ir/rewrites.ts";
import { type Variable } from "../../affine/term.ts";
import { isOneStep } from "../../cost/running.ts";
import { workAtPoint } from "../../cost/tally.ts";
import { withoutImplied } from "../../analyse/implied.ts";
import { keyOf, numberOf } from "../../ir/keys.ts";
import { negation } from "../../analyse/opposite.ts";
import { eachScalar } from "../../ir/parts.ts";
import { permutations } from "../../ir/permutations.ts";
import type { Clause, Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import { isFloat } from "../../scalar/types.ts";
import { instantiate, atIndices, coordinateScalar } from "../../ir/substitute.ts";
import { conjuncts, isBoundByData } from "../../analyse/ties.ts";
import { nowhere } from "../../base/source.ts";
import { tightened } from "../transpose/box.ts";
import { isClosed, type Define } from "../sweep/cells.ts";
import {
  definingOnce,
  partAlong,
  partOf,
  placeBeside,
  placeholdersFor,
  placeOfOwn,
  rebuilt,
  withParts,
  type Part,
  type Read,
} from "./expression-parts.ts";
import { hasBranches } from "./expression-places.ts";
import { expressionOf, splitUp, type Expression } from "./expression-search.ts";
import { incoming, wayOf, type Site, type Way } from "./expression-work.ts";
import { setBefore } from "../sweep/formulas.ts";
import type { Around } from "../sweep/sweep.ts";
import { isSmallFactor } from "../rules/other-factors.ts";
import { namedOnce, withSharedAsWritten } from "./share.ts";

type Varies = (definition: Definition) => boolean;

/** Rewrites the clauses of some definitions in place; the new definitions are read by them. */
export function splitExpressions(
  definitions: readonly Definition[],
  around: Around,
  define: Define,
): void {
  if (isOff("split-expressions")) return;
  const own = definitions.filter(({ element, rule }) => isFloat(element) && !rule);
  const named = replaceClauses(own, (clause) => withRepeatedNamed(clause, around.varies));
  const once = definingOnce(new Map(), define);
  const places = own.flatMap((definition) => placesOf(definition, around));
  const wholes = places.flatMap((place) => wholeOf(place, around) ?? []);
  const splits = alike(wholes).map((group) => split(group, around, once));
  const rewritten = new Map(splits.flatMap(({ clauses }) => [...clauses]));
  for (const place of places) {
    const clause = rewritten.has(place.clause) ? undefined : readingParts(place, splits);
    if (clause) rewritten.set(place.clause, clause);
  }
  for (const [before, clause] of rewritten) setBefore(clause, named.get(before) ?? before);
  replaceClauses(own, (clause) => rewritten.get(clause) ?? clause);
}

/** Puts other clauses in the place of some, and tells in the place of which. */
function replaceClauses(
  definitions: readonly Definition[],
  replaced: (clause: Clause) => Clause,
): ReadonlyMap<Clause, Clause> {
  const before = new Map<Clause, Clause>();
  for (const definition of definitions) {
    const clauses = definition.clauses.map(replaced);
    for (const [k, clause] of clauses.entries())
      if (clause !== definition.clauses[k]) before.set(clause, definition.clauses[k]!);
    if (clauses.some((clause) => before.has(clause))) definition.clauses = clauses;
  }
  return before;
}

/**
 * Several numbers that vary, joined by several operations: fewer have derivatives that share
 * little. Those of calls are functions.
 */
function isLong(value: Scalar, varies: Varies): boolean {
  const counts = { operations: 0, numbers: 0, calls: 0 };
  eachScalar(value, (part) => {
    if (part.kind === "apply" && isFloat(part.type)) counts.operations++;
    if (part.kind === "read" && varies(part.definition)) counts.numbers++;
    if (part.kind === "call" || part.kind === "data") counts.calls++;
  });
  return counts.operations > 1 && counts.numbers > 2 && counts.calls === 0;
}

/**
 * A product in the steps of a recurrence has its factors again for what stands before and behind
 * each; those that data chooses are walked (sparse-products.ts).
 */
function isFactorInSteps({ loops, body }: Clause, isRecurrent: boolean): boolean {
  if (!isRecurrent || body.kind !== "reduce" || body.reduction !== "prod") return false;
  return !isSmallFactor(body.value) && !isBoundByData(loops, body);
}

/**
 * A product whose factors have cells, 1 where guards leave them out, is over all of them: what is
 * left are the guards that say where its range begins or ends.
 */
function overAllCells(clause: Clause): Clause {
  const { loops, body } = clause;
  if (body.kind === "map") return clause;
  const filters = tightened(loops, body).guards.flatMap(conjuncts);
  const guards = body.guards.flatMap(conjuncts).filter((guard) => !filters.includes(guard));
  return { ...clause, body: { ...body, guards } };
}

/** The points at which a clause computes its expression. */
interface Place {
  readonly definition: Definition;
  readonly clause: Clause;
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  readonly isRecurrent: boolean;
}

/** A clause whose expression may be split. */
interface Whole extends Place {
  readonly way: Way;
  /** Nothing else has a gradient of the same kind at its points. */
  readonly isAlone: boolean;
}

function placesOf(definition: Definition, { recurrent }: Around): readonly Place[] {
  const isRecurrent = recurrent.has(definition);
  return definition.clauses.flatMap((clause): readonly Place[] => {
    const { body } = clause;
    const inner = body.kind === "reduce" ? body : { loops: [], guards: [] };
    const loops = [...clause.loops, ...inner.loops];
    const guards = [...clause.guards, ...inner.guards];
    return loops.every((loop) => isClosed(loop, loops))
      ? [{ definition, clause, loops, guards, isRecurrent }]
      : [];
  });
}

function wholeOf(place: Place, { varies, numerator }: Around): Whole | undefined {
  const { definition, clause, isRecurrent } = place;
  const { body } = clause;
  const way = wayOf(body, definition === numerator ? [] : [incoming], isRecurrent);
  if (!way || (!isLong(body.value, varies) && !isFactorInSteps(clause, isRecurrent)))
    return undefined;
  return {
    ...place,
    way,
    isAlone: definition === numerator || (body.kind === "reduce" && body.reduction === "prod"),
  };
}

/**
 * Clauses that compute much of the same at the same points, and what they take together for each
 * unit that they take apart.
 */
interface Group {
  readonly wholes: readonly Whole[];
  readonly share: number;
}

/**
 * Where clauses that go through the same points have less work in common, each is looked at by
 * itself.
 */
const muchInCommon = 0.8;

function alike(wholes: readonly Whole[]): readonly Group[] {
  const groups = new Map<string, Whole[]>();
  for (const [k, whole] of wholes.entries()) {
    const points = whole.isAlone ? String(k) : `${pointsOf(whole)} ${kindOf(whole)}`;
    groups.set(points, [...(groups.get(points) ?? []), whole]);
  }
  return [...groups.values()].flatMap((group): readonly Group[] => {
    const values = group.map((whole) => inCoordinatesOf(group[0]!, whole));
    const apart = values.reduce((sum, value) => sum + workAtPoint([value]), 0);
    const share = workAtPoint(values) / apart;
    return share <= muchInCommon
      ? [{ wholes: group, share }]
      : group.map((whole) => ({ wholes: [whole], share: 1 }));
  });
}

/**
 * Along which coordinates the recurrence of a clause goes on. The answer takes proofs: only clauses
 * that may be split are asked.
 */
function stepsAlong({ definition, clause, isRecurrent }: Place): readonly Loop[] {
  return isRecurrent ? clause.loops.filter((_, axis) => !isOneStep(definition, axis)) : [];
}

/** Through which points a clause goes, whatever its coordinates are called. */
function pointsOf(place: Place): string {
  const { loops, guards, isRecurrent } = place;
  const steps = stepsAlong(place).map((loop) => loops.indexOf(loop));
  const { ranges, by } = placeholdersFor(loops);
  const conditions = guards.map((guard) => keyOf(instantiate(guard, by)));
  return [ranges, ...conditions, isRecurrent, steps, loops.map(({ reversed }) => reversed)].join();
}

/** What becomes of the values of a clause. */
function kindOf({ clause: { body } }: Place): string {
  return body.kind === "map" ? body.kind : body.reduction;
}

/** What a clause computes, in the coordinates of another that goes through the same points. */
function inCoordinatesOf(first: Place, { clause, loops }: Place): Scalar {
  const { value } = clause.body;
  return loops === first.loops ? value : instantiate(value, renaming(loops, first.loops));
}

function renaming(from: readonly Loop[], to: readonly Loop[]): ReadonlyMap<Variable, Scalar> {
  return atIndices(from, to.map(coordinateScalar));
}

/**
 * What clauses become whose expressions are split, and the parts that were made, by what they
 * compute in the coordinates of the first.
 */
interface Split {
  readonly first: Whole;
  readonly clauses: ReadonlyMap<Clause, Clause>;
  readonly parts: ReadonlyMap<string, Read>;
}

function split(group: Group, around: Around, once: Define): Split {
  const { values, parts } = found(group, around);
  const [first] = group.wholes as [Whole];
  const isProduct = first.clause.body.kind === "reduce" && first.clause.body.reduction === "prod";
  const factor = isProduct
    ? parts.find(({ cell, loops }) => cell === values[0] && loops.length === first.loops.length)
    : undefined;
  const read = readerOf(first, parts, factor, once);
  const rewritten = group.wholes.map((whole, k): readonly [Clause, Clause] => {
    const kept = factor ? overAllCells(whole.clause) : whole.clause;
    const value = withParts(values[k]!, read);
    const own = whole === first ? value : instantiate(value, renaming(first.loops, whole.loops));
    return [whole.clause, { ...kept, body: { ...kept.body, value: own } }];
  });
  const written = (value: Scalar): Scalar =>
    rebuilt(value, (scalar) => {
      const part =
        scalar.kind === "read" && parts.find(({ cell }) => cell!.definition === scalar.definition);
      return part ? written(part.value) : undefined;
    });
  const plain = parts.filter(({ value, under }) => value.kind !== "read" && under.length === 0);
  return {
    first,
    clauses: new Map(parts.length > 0 ? rewritten : []),
    parts: new Map(
      plain.map(({ value, cell }) => [numberOf(written(value)), read(cell!.definition)!]),
    ),
  };
}

/** Of more coordinates, only their own order is tried. */
const mostOrdered = 4;

/**
 * A clause that goes through the same points as others that were split, in any order of its
 * coordinates, and reads the parts of those where it computes the same.
 */
function readingParts(place: Place, splits: readonly Split[]): Clause | undefined {
  const { clause, loops, isRecurrent } = place;
  if (isRecurrent) return undefined;
  const orders = loops.length > mostOrdered ? [loops] : permutations(loops);
  for (const { first, parts } of splits) {
    if (first.isRecurrent || parts.size === 0 || first.loops.length !== loops.length) continue;
    for (const order of orders) {
      const ordered: Place = { ...place, loops: order };
      if (pointsOf(first) !== pointsOf(ordered)) continue;
      const value = inCoordinatesOf(first, ordered);
      const reading = rebuilt(value, (scalar) => parts.get(numberOf(scalar)));
      if (reading === value) continue;
      return {
        ...clause,
        body: { ...clause.body, value: instantiate(reading, renaming(first.loops, order)) },
      };
    }
  }
  return undefined;
}

/**
 * What is left of some expressions, and the parts that it reads, in the coordinates of the first.
 */
function found({ wholes, share }: Group, { varies, recurrent }: Around): Found {
  const [first] = wholes as [Whole];
  const { loops, guards, way, isRecurrent } = first;
  const site: Site = {
    loops,
    unstored: way.isStored ? [] : loops,
    guards,
    varies,
    isRecurrent,
    isInSteps: (read) => recurrent.has(read),
    steps: stepsAlong(first),
    isHere: () => false,
  };
  const names = new Map<string, Local>();
  const expressions = wholes.map((whole) => {
    const value = inCoordinatesOf(first, whole);
    return expressionOf(site, wholes.length > 1 ? namedOnce(value, names) : value, [], way);
  });
  const all = splitUp(site, expressions, share);
  const [left, shared] = [all.slice(0, wholes.length), all.slice(wholes.length)];
  // What is shared varies in branches as what it is made of, and what comes back to copies is
  // computed where they are.
  const isShared = (read: Definition): boolean =>
    shared.some(({ cell }) => cell!.definition === read);
  const isCopy = (read: Definition): boolean =>
    shared.some(({ cell, value }) => cell!.definition === read && value.kind === "read");
  const inside: Site = {
    ...site,
    varies: (read) => isShared(read) || varies(read),
    isHere: isCopy,
  };
  const branches = left.map(({ value }) =>
    hasBranches(value)
      ? branchesOf(value).map((each) =>
          splitUp(inside, [expressionOf(inside, each.value, each.under, way)], share),
        )
      : [],
  );
  return {
    values: left.map(({ value }, k) =>
      withBranches(
        value,
        branches[k]!.map(([only]) => only!.value),
      ),
    ),
    parts: [...shared, ...branches.flat().flatMap(([, ...others]) => others)],
  };
}

interface Found {
  readonly values: readonly Scalar[];
  readonly parts: readonly Expression[];
}

/**
 * Makes a part when what stands for it is first asked for; the factor of a product is 1 where there
 * is none.
 */
function readerOf(
  { definition, clause, isRecurrent }: Whole,
  parts: readonly Expression[],
  factor: Expression | undefined,
  once: Define,
): (standIn: Definition) => Read | undefined {
  const unit: Scalar = { kind: "constant", type: clause.body.value.type, value: 1 };
  const made = new Map<Definition, Read>();
  const read = (standIn: Definition): Read | undefined => {
    const part = parts.find(({ cell }) => cell?.definition === standIn);
    if (!part || made.has(standIn)) return made.get(standIn);
    const value = withParts(part.value, read);
    if (part.isEverywhere)
      made.set(standIn, partAlong(definition, part.loops, value, clause, once));
    else {
      const place = isRecurrent
        ? placeBeside(definition, clause, part.loops)
        : placeOfOwn(part.loops);
      const filling = part === factor ? { otherwise: unit } : {};
      made.set(standIn, partOf(definition, place, clause, { ...part, ...filling, value }, once));
    }
    return made.get(standIn);
  };
  return read;
}

/**
 * A clause in which what stands twice has a name: all that comes back to it is added up before it
 * goes further.
 */
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

// ── branches ────────────────────────────────────────────────────────────────────────────────────

/**
 * What branches on coordinates lead to: each is computed where it stands, so that each is an
 * expression of its own.
 */
function branchesOf(value: Scalar, under: readonly Scalar[] = []): readonly Part[] {
  if (!hasBranches(value)) return [{ value, under: withoutImplied(under) }];
  const { condition, then, otherwise } = value;
  return [
    ...branchesOf(then, [...under, condition]),
    ...branchesOf(otherwise, [...under, negation(condition, nowhere)]),
  ];
}

/** The same branches with other expressions behind them; what has no branches stays as it is. */
function withBranches(value: Scalar, [first, ...others]: readonly Scalar[]): Scalar {
  if (!hasBranches(value)) return first ?? value;
  const there = branchesOf(value.then).length;
  const all = [first!, ...others];
  return {
    ...value,
    then: withBranches(value.then, all.slice(0, there)),
    otherwise: withBranches(value.otherwise, all.slice(there)),
  };
}
