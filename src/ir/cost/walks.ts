// Definitions that visit the same points, and do not wait for one another, are computed in one walk: what they need at a point is computed and read once.
//
//   d_a[k] = sum[n](g[n] * exp(x[n] - c[k]))   and   d_x[n] = sum[k](g[n] * a[k] * exp(x[n] - c[k]))
//
// Both go through all n and k. A walk that takes one n after the other has a sum for d_x[n] at a time, and adds to a cell of d_a at each point. So every gradient
// takes what is its own, and what stands at a point is computed for all of them together.

import { add, ofVariable, subtract, variable, zero, type Term, type Variable } from "../affine/term.ts";
import { numberOf } from "../keys.ts";
import { integerOf } from "../integers.ts";
import { eachScalar } from "../parts.ts";
import type { Definition, Local, Loop, Scalar } from "../program.ts";
import { readsOf } from "../references.ts";
import { instantiate, integerScalar, type Replacements } from "../substitute.ts";
import { usesAny } from "../ties.ts";
import { cutByAll } from "./cut.ts";
import { conjuncts, halvesOf, pointsOf } from "./points.ts";
import { dataGuards, workAtPoint } from "./tally.ts";
import { visitsOf, type Visit } from "./visits.ts";

/** Visits of the same points, in the coordinates of the first. */
export interface Walk {
  readonly visits: readonly Visit[];
  /** How many of them write a cell at each point, where others have one sum for many points. */
  readonly writing: number;
}

/** The walks of some definitions, each with the clauses that it is computed by: all that is computed together. */
export function walksOf(computed: Computed): readonly Walk[] {
  const waits = newWaits(computed);
  const walks: Growing[] = [];
  for (const definition of waits.order) {
    for (const visit of visitsOf(computed.get(definition)!, definition)) {
      const forms = formsOf(visit);
      const best = bestFor(visit, forms, walks, waits);
      const walk = best?.walk ?? { visits: [], reads: new Set(), form: forms[0] };
      const moved = best?.visit ?? visit;
      walk.visits.push(moved);
      for (const read of readsIn(moved)) walk.reads.add(numberOf(read));
      if (!best) walks.push(walk);
      waits.noteWalk(definition, walk);
    }
  }
  return walks.map(({ visits }) => ({ visits, writing: visits.length > 1 ? writingAmong(visits) : 0 }));
}

/** Definitions as others read them, and as they are computed. */
export type Computed = ReadonlyMap<Definition, Definition>;

interface Growing {
  readonly visits: Visit[];
  /** All that they read, by numbers. */
  readonly reads: Set<string>;
  /** How the first one goes through its points; nothing where others cannot go along. */
  readonly form: Form | undefined;
}

/** The walk that a visit gains most from, and the visit in its coordinates. */
function bestFor(
  visit: Visit,
  forms: readonly Form[],
  walks: readonly Growing[],
  waits: Waits,
): { readonly walk: Growing; readonly visit: Visit } | undefined {
  let best: { readonly walk: Growing; readonly visit: Visit; readonly gain: number } | undefined;
  const alone = workAtPoint(visit.scalars);
  const reads = readsIn(visit);
  for (const walk of walks) {
    const alike = inOrderOfNames(forms.filter((form) => form.key === walk.form?.key), walk.form); // prettier-ignore
    if (alike.length === 0) continue;
    let apart: number | undefined;
    for (const form of alike) {
      const by = between(form, walk.form!);
      // Without a cell in common they have nothing in common.
      if (!reads.some((read) => walk.reads.has(numberOf(instantiate(read, by))))) continue;
      const moved = along(visit, form, walk.form!, by);
      apart ??= alone + workTogether(walk.visits);
      const gain = apart - workTogether([...walk.visits, moved]);
      if (gain <= (best?.gain ?? 0)) continue;
      // They wait for one another, however their coordinates are named.
      if (waits.areInTurn(visit.definition, walk)) break;
      best = { walk, visit: moved, gain };
    }
  }
  return best;
}

function readsIn({ scalars }: Visit): readonly Scalar[] {
  const found: Scalar[] = [];
  for (const scalar of scalars) eachScalar(scalar, (part) => void (part.kind === "read" && found.push(part)));
  return found;
}

/** In how many ways coordinates of equal ranges are tried: all of them, or those that names speak for. */
const mostWays = { all: 24, named: 6 };

/** Forms of which most coordinates are called as those of a walk come first: what was derived from one clause keeps its names. */
function inOrderOfNames(forms: readonly Form[], walk: Form | undefined): readonly Form[] {
  if (forms.length <= mostWays.all) return forms;
  const same = ({ coordinates }: Form): number =>
    coordinates.filter(({ name }, k) => name === walk?.coordinates[k]!.name).length;
  return [...forms].sort((a, b) => same(b) - same(a)).slice(0, mostWays.named);
}

function workTogether(visits: readonly Visit[]): number {
  return workAtPoint(visits.flatMap(({ scalars }) => scalars)) + writingAmong(visits);
}

// ── points ──────────────────────────────────────────────────────────────────────────────────────

/** One order of a visit's coordinates. Forms with the same key go through the same points, each coordinate from where it begins. */
interface Form {
  readonly key: string;
  readonly coordinates: readonly Variable[];
  readonly starts: readonly Term[];
}

/** Of more coordinates, not all orders are tried. */
const mostCoordinates = 5;

/** Stand for coordinates in keys. */
const positions: Variable[] = Array.from({ length: 32 }, (_, k) => variable(`at${k}`));

/** The visit's own order first. */
function formsOf(visit: Visit): readonly Form[] {
  if (visit.isRunning) return [];
  const { determined } = pointsOf(visit.loops, visit.guards);
  const [found, walked] = [true, false].map((isIn) => visit.loops.filter(({ variable: v }) => determined.has(v) === isIn)); // prettier-ignore
  const guards = visit.guards.flatMap(conjuncts).filter((guard) => dataGuards(guard).length === 0);
  const others = [...guards, ...walked!.flatMap(({ from, to }) => [from, to])];
  if (walked!.length > positions.length || others.some((scalar) => usesAny(scalar, found!))) return [];
  const orders = walked!.length > mostCoordinates ? [walked!] : permutations(walked!);
  return orders.map((loops) => formOf(loops, guards));
}

function formOf(loops: readonly Loop[], guards: readonly Scalar[]): Form {
  const halves = guards.flatMap(halvesOf);
  const cut = halves.length === 0 ? undefined : cutByAll(halves, loops.map((loop) => ({ loop }))); // prettier-ignore
  const narrowed = cut?.map(({ loop }) => loop) ?? loops;
  const left = cut ? guards.filter((guard) => halvesOf(guard).length === 0) : guards;
  const starts = narrowed.map(({ from }) => (usesAny(from, loops) ? undefined : integerOf(from)) ?? zero);
  const by: Replacements = new Map(
    loops.map(({ variable: v }, k) => [v, integerScalar(add(ofVariable(positions[k]!), starts[k]!))]),
  );
  const at = (scalar: Scalar): string => numberOf(instantiate(scalar, by));
  const lengths = narrowed.map(({ from, to }, k) => {
    const ends = [from, to].map((end) => {
      const term = integerOf(end);
      return at(term ? integerScalar(subtract(term, starts[k]!)) : end);
    });
    return ends.join("..");
  });
  const key = `${lengths.join()} ${left.map(at).sort().join()}`;
  return { key, coordinates: loops.map(({ variable: v }) => v), starts };
}

function permutations<T>(all: readonly T[]): readonly (readonly T[])[] {
  if (all.length < 2) return [all];
  return all.flatMap((first) => permutations(all.filter((each) => each !== first)).map((rest) => [first, ...rest]));
}

/** The coordinates of one form in terms of those of another one of the same points. */
function between(own: Form, walk: Form): Replacements {
  const at = (k: number): Term => add(subtract(ofVariable(walk.coordinates[k]!), walk.starts[k]!), own.starts[k]!);
  return new Map(own.coordinates.map((v, k) => [v, integerScalar(at(k))]));
}

/** A visit in the coordinates of a walk over the same points. */
function along(visit: Visit, own: Form, walk: Form, by: Replacements): Visit {
  const locals = new Map<Local, Local>();
  const cells = visit.cells && new Set(own.coordinates.flatMap((v, k) => (visit.cells!.has(v) ? [walk.coordinates[k]!] : []))); // prettier-ignore
  return { ...visit, cells, scalars: visit.scalars.map((scalar) => instantiate(scalar, by, locals)) };
}

/**
 * How many visits write a cell at each point. In an order of the coordinates, those have one sum for many points whose cells stand for its first ones: sets of
 * coordinates of which each has all those of the one before. As many as can be are of that kind; the cells of a recurrence, which come one after the other, are.
 */
function writingAmong(visits: readonly Visit[]): number {
  const all = visits.flatMap(({ cells, isRecurrent }) => (cells ? [{ cells, isRecurrent }] : []));
  const sets = [...all].sort((a, b) => a.cells.size - b.cells.size);
  const isWithin = (a: ReadonlySet<Variable>, b: ReadonlySet<Variable>): boolean => [...a].every((v) => b.has(v));
  const forced = sets.filter(({ isRecurrent }) => isRecurrent);
  const open = sets.filter((each) => forced.every(({ cells }) => isWithin(cells, each.cells) || isWithin(each.cells, cells))); // prettier-ignore
  const longest: number[] = [];
  for (const [k, { cells }] of open.entries())
    longest.push(1 + Math.max(0, ...longest.filter((_, at) => at < k && isWithin(open[at]!.cells, cells))));
  return all.length - Math.max(0, ...longest);
}

// ── order ───────────────────────────────────────────────────────────────────────────────────────

/** Who has to wait for whom. */
interface Waits {
  /** Each after what it reads, but for recurrences. */
  readonly order: readonly Definition[];
  readonly noteWalk: (definition: Definition, walk: Growing) => void;
  /** Whether a definition reads what is only there when a walk is done, or the walk what is only there when the definition is. */
  readonly areInTurn: (definition: Definition, walk: Growing) => boolean;
}

function newWaits(computed: Computed): Waits {
  const reads = new Map([...computed].map(([name, own]) => [name, [...readsOf(own)].filter((read) => computed.has(read))])); // prettier-ignore
  const walksWith = new Map<Definition, Set<Growing>>();
  /** All that has to be there before some definitions, walks being done as a whole. */
  const before = (starts: readonly Definition[]): ReadonlySet<Definition> => {
    const found = new Set(starts);
    for (const each of found) {
      for (const read of reads.get(each)!) found.add(read);
      for (const walk of walksWith.get(each) ?? []) for (const { definition } of walk.visits) found.add(definition);
    }
    return found;
  };
  const below = new Map([...reads].map(([name, own]) => [name, before(own).size]));
  return {
    order: [...computed.keys()].sort((a, b) => below.get(a)! - below.get(b)!),
    noteWalk: (definition, walk) =>
      void walksWith.set(definition, new Set([...(walksWith.get(definition) ?? []), walk])),
    areInTurn(definition, { visits }) {
      const needed = before(reads.get(definition)!);
      if (visits.some((each) => needed.has(each.definition))) return true;
      return before(visits.flatMap((each) => reads.get(each.definition)!)).has(definition);
    },
  };
}
