// Expressions of one cell, split before they are differentiated where their derivatives would compute the same things again and again.
//
//   y[i] = sin(a[i]·b[i] + c[i]·d[i])   has four derivatives, each with the cosine of the whole sum in it;
//   t[i] = a[i]·b[i] + c[i]·d[i],   y[i] = sin(t[i])   have d_t[i] = d_y[i]·cos(t[i]), once, and four with two factors each.
//
// Products of many numbers are such expressions: each of their derivatives has all the others as factors. An expression is split where that saves
// most, and what is left again, until primal and derivatives together do at most `limit` times the work of what was written. The order of the
// operations stays as it was, and so does every value.

import { components } from "../ir/components.ts";
import { isOneStep } from "../ir/cost/steps.ts";
import { workAtPoint } from "../ir/cost/tally.ts";
import { withoutImplied } from "../ir/implied.ts";
import { keyOf } from "../ir/keys.ts";
import { eachScalar } from "../ir/parts.ts";
import type { Clause, Definition, Local, Scalar } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { instantiate } from "../ir/substitute.ts";
import { conjuncts, isBoundByData } from "../ir/ties.ts";
import { nowhere } from "../syntax/source.ts";
import { tightened } from "./box.ts";
import { isClosed, type Define } from "./cells.ts";
import {
  definingOnce,
  partAlong,
  partOf,
  placeBeside,
  placeholdersFor,
  placeOfOwn,
  withParts,
  type Part,
  type Read,
} from "./expression-parts.ts";
import { hasBranches } from "./expression-places.ts";
import { expressionOf, splitUp } from "./expression-search.ts";
import { incoming, wayOf, type Site } from "./expression-work.ts";
import { setBefore } from "./formulas.ts";
import type { Around } from "./sweep.ts";
import { isSmallFactor } from "./other-factors.ts";
import { withSharedAsWritten } from "./share.ts";
import { negation } from "./transpose.ts";

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

/** A product whose factors have cells, 1 where guards leave them out, is over all of them: what is left are the guards that say where its range begins or ends. */
function overAllCells(clause: Clause): Clause {
  const { loops, body } = clause;
  if (body.kind === "map") return clause;
  const filters = tightened(loops, body).guards.flatMap(conjuncts);
  const guards = body.guards.flatMap(conjuncts).filter((guard) => !filters.includes(guard));
  return { ...clause, body: { ...body, guards } };
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
  const guards = [...clause.guards, ...(body.kind === "reduce" ? body.guards : [])];
  const site: Site = {
    loops,
    unstored: way.isStored ? [] : loops,
    guards,
    varies: around.varies,
    isRecurrent,
    isInSteps,
    steps: isRecurrent ? clause.loops.filter((_, axis) => !isOneStep(definition, axis)) : [],
    isHere: () => false,
  };
  const share = shareOf(written, around.all);
  const [whole, ...shared] = splitUp(site, expressionOf(site, body.value, [], way), share);
  const branches = hasBranches(whole!.value)
    ? branchesOf(whole!.value).map(({ value, under }) => splitUp(site, expressionOf(site, value, under, way), share))
    : [[whole!]];
  const parts = [...shared, ...branches.flatMap(([, ...others]) => others)];
  if (parts.length === 0) return clause;
  const value = withBranches(whole!.value, branches.map(([first]) => first!.value)); // prettier-ignore
  const isProduct = body.kind === "reduce" && body.reduction === "prod";
  const factor = isProduct
    ? parts.find(({ cell, loops: own }) => cell === value && own.length === loops.length)
    : undefined;
  const unit: Scalar = { kind: "constant", type: body.value.type, value: 1 };
  const once = definingOnce(around.parts, define);
  const made = new Map<Definition, Read>();
  const read = (standIn: Definition): Read | undefined => {
    const part = parts.find(({ cell }) => cell?.definition === standIn);
    if (!part || made.has(standIn)) return made.get(standIn);
    const value = withParts(part.value, read);
    if (part.isEverywhere) made.set(standIn, partAlong(definition, part.loops, value, clause, once));
    else {
      const place = isRecurrent ? placeBeside(definition, clause, part.loops) : placeOfOwn(part.loops);
      const filling = part === factor ? { otherwise: unit } : {};
      made.set(standIn, partOf(definition, place, clause, { ...part, ...filling, value }, once));
    }
    return made.get(standIn);
  };
  const left = factor ? overAllCells(clause) : clause;
  const rewritten: Clause = { ...left, body: { ...left.body, value: withParts(value, read) } };
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

const shares = new WeakMap<readonly Definition[], ReadonlyMap<Clause, number>>();

/** Where clauses that go through the same points have less work in common, each is looked at by itself. */
const muchInCommon = 0.6;

/** What clauses that go through the same points take together, for each unit that they take apart: what several of them need there is computed once. */
function shareOf(clause: Clause, all: readonly Definition[]): number {
  let found = shares.get(all);
  if (!found) shares.set(all, (found = sharesAmong(all.flatMap((definition) => isFloat(definition.element) ? definition.clauses : [])))); // prettier-ignore
  return found.get(clause) ?? 1;
}

function sharesAmong(clauses: readonly Clause[]): ReadonlyMap<Clause, number> {
  const groups = new Map<string, { readonly clause: Clause; readonly value: Scalar }[]>();
  for (const clause of clauses) {
    const { points, value } = atPoints(clause);
    groups.set(points, [...(groups.get(points) ?? []), { clause, value }]);
  }
  const shared = [...groups.values()].flatMap((group) => {
    const values = group.map(({ value }) => value);
    const apart = values.reduce((sum, value) => sum + workAtPoint([value]), 0);
    const share = apart > 0 ? workAtPoint(values) / apart : 1;
    return share <= muchInCommon ? group.map(({ clause }) => [clause, share] as const) : [];
  });
  return new Map(shared);
}

/** Through which points a clause goes, and what it computes there, whatever its coordinates are called. */
function atPoints({ loops, guards, body }: Clause): { readonly points: string; readonly value: Scalar } {
  const inner = body.kind === "reduce" ? body : { loops: [], guards: [] };
  const { ranges, by } = placeholdersFor([...loops, ...inner.loops]);
  const conditions = [...guards, ...inner.guards].map((guard) => keyOf(instantiate(guard, by)));
  return { points: [ranges, ...conditions].join(), value: instantiate(body.value, by) };
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

// ── branches ────────────────────────────────────────────────────────────────────────────────────

/** What branches on coordinates lead to: each is computed where it stands, so that each is an expression of its own. */
function branchesOf(value: Scalar, under: readonly Scalar[] = []): readonly Part[] {
  if (!hasBranches(value)) return [{ value, under: withoutImplied(under) }];
  const { condition, then, otherwise } = value;
  return [
    ...branchesOf(then, [...under, condition]),
    ...branchesOf(otherwise, [...under, negation(condition, nowhere)]),
  ];
}

/** The same branches with other expressions behind them. */
function withBranches(value: Scalar, [first, ...others]: readonly Scalar[]): Scalar {
  if (!hasBranches(value)) return first!;
  const there = branchesOf(value.then).length;
  const all = [first!, ...others];
  return {
    ...value,
    then: withBranches(value.then, all.slice(0, there)),
    otherwise: withBranches(value.otherwise, all.slice(there)),
  };
}
