// Definitions that visit the same points, and do not wait for one another, are computed in one walk: what they need at a point is computed and read once.
//
//   d_a[k] = sum[n](g[n] * exp(x[n] - c[k]))   and   d_x[n] = sum[k](g[n] * a[k] * exp(x[n] - c[k]))
//
// Both go through all n and k. A walk that takes one n after the other has a sum for d_x[n] at a time, and adds to a cell of d_a at each point. So every gradient
// takes what is its own, and what stands at a point is computed for all of them together. What one of them computes at a point is there for the others:
// it is not read, and where nobody else reads it and it has no name in the source, it has no cells.
//
// What only reads of a recurrence what a walk of it reads at the same point goes along with it: it is there by then.

import type { Variable } from "../../affine/term.ts";
import { aliased } from "../alias.ts";
import { numberOf } from "../keys.ts";
import { eachScalar, readsIn } from "../parts.ts";
import type { Definition, Local, Loop, Scalar } from "../program.ts";
import { callsOf, readsOf, readsOfFunction } from "../references.ts";
import type { ReductionName } from "../../scalar/reductions.ts";
import { instantiate, type Replacements } from "../substitute.ts";
import { between, formsOf, type Form } from "./forms.ts";
import { areInSteps } from "./in-steps.ts";
import { piecesOf } from "./pieces.ts";
import { skewsOf } from "./skewed.ts";
import type { Read } from "./steps.ts";
import { workInWalk } from "./tally.ts";
import { computedAt, numberOfCell, visitsOf, type Visit } from "./visits.ts";
import { newWaits, type Computed, type Waits } from "./waits.ts";
import { longerOf, shorterOf, wholeOf } from "./wider.ts";

/** Visits of the same points, in the coordinates of the first. */
export interface Walk {
  readonly visits: readonly Visit[];
  /** Cells that visits compute at the point, as others would read them, by numbers. */
  readonly there: ReadonlySet<string>;
}

/** The walks of some definitions, each with the clauses that it is computed by: all that is computed together. What bounds choose is a visit of its own, or not. */
export function walksOf(computed: Computed, inPieces = true): readonly Walk[] {
  const waits = newWaits(computed);
  const walks: Growing[] = [];
  const placed = new Set<Definition>();
  for (const definition of waits.order) {
    const visits = visitsOf(computed.get(definition)!, definition);
    for (const visit of inPieces ? visits.flatMap(piecesOf) : visits) place(visit, walks, waits);
    placed.add(definition);
    const group = waits.groupOf(definition);
    if (group && [...group].every((member) => placed.has(member))) joinSteps(group, walks, waits);
  }
  return walks;
}

/** Puts a visit into the walk that it gains most from, or into one of its own. */
function place(visit: Visit, walks: Growing[], waits: Waits): void {
  const forms = formsOf(visit);
  const others = walks.map((walk) => walk.visits[0]!.loops);
  const whole = [visit, ...skewsOf(visit), ...wholeOf(visit), ...longerOf(visit, others)].map(
    (way) => ({ way, rest: undefined }),
  );
  const ways = [...whole, ...shorterOf(visit, others).map(([way, rest]) => ({ way, rest }))];
  const joining = ways.flatMap(({ way, rest }) => {
    const found = bestFor(way, way === visit ? forms : formsOf(way), walks, waits);
    return found ? [{ ...found, rest }] : [];
  });
  const best = joining.reduce<(typeof joining)[0] | undefined>(
    (a, b) => (a && b.gain <= a.gain ? a : b),
    undefined,
  );
  const walk = best?.walk ?? newWalk(forms);
  if (!best) walks.push(walk);
  join(walk, [best?.visit ?? visit], best?.waitsFor ?? waits.waitsFor(visit, () => false), waits);
  if (best?.rest) place(best.rest, walks, waits);
}

/** Adds visits to a walk, in its coordinates. */
function join(
  walk: Growing,
  visits: readonly Visit[],
  waitsFor: ReadonlySet<Definition>,
  waits: Waits,
): void {
  for (const visit of visits) {
    walk.visits.push(visit);
    for (const read of readsIn(visit.scalars)) walk.reads.add(numberOf(read));
    if (visit.at) walk.there.add(numberOfCell(visit.definition, visit.at));
    waits.noteWalk(visit.definition, walk);
  }
  for (const needed of waitsFor) walk.waitsFor.add(needed);
}

/** Definitions without a name in the source that are only read where they are computed, in the same walk. */
export function withoutCells(computed: Computed, walks: readonly Walk[]): ReadonlySet<Definition> {
  const [there, elsewhere] = [new Set<Definition>(), new Set<Definition>()];
  for (const { visits, there: cells } of walks)
    for (const visit of visits)
      for (const read of readsIn(visit.scalars))
        (cells.has(numberOf(read)) ? there : elsewhere).add(read.definition);
  for (const definition of computed.values())
    for (const read of readsBesideVisits(definition)) elsewhere.add(read);
  return new Set(
    [...there].filter((definition) => definition.origin === "helper" && !elsewhere.has(definition)),
  );
}

/** What a definition reads beside what it computes at its points: as another name for it, in bounds, through functions and where it fills cells. */
function readsBesideVisits(definition: Definition): ReadonlySet<Definition> {
  const { clauses, needs } = definition;
  if (aliased(definition)) return readsOf(definition);
  const found = new Set(needs);
  const ends = (loops: readonly Loop[]): readonly Scalar[] =>
    loops.flatMap(({ from, to }) => [from, to]);
  for (const { loops, guards, body, otherwise } of clauses) {
    const around = body.kind === "reduce" ? [...guards, ...ends(body.loops)] : [];
    for (const scalar of [...ends(loops), ...around, ...(otherwise ? [otherwise] : [])])
      eachScalar(scalar, (part) => void (part.kind === "read" && found.add(part.definition)));
  }
  for (const called of callsOf(definition))
    for (const read of readsOfFunction(called)) found.add(read);
  return found;
}

function newWalk(forms: readonly Form[]): Growing {
  const byKey = new Map(forms.toReversed().map((form) => [form.key, form]));
  return { visits: [], reads: new Set(), there: new Set(), waitsFor: new Set(), forms: byKey };
}

interface Growing {
  readonly visits: Visit[];
  /** All that they read, by numbers. */
  readonly reads: Set<string>;
  readonly there: Set<string>;
  readonly waitsFor: Set<Definition>;
  /** How the first one goes through its points, in orders that differ; none where others cannot go along. */
  readonly forms: ReadonlyMap<string, Form>;
}

interface Joining {
  readonly walk: Growing;
  /** In the coordinates of the walk. */
  readonly visit: Visit;
  readonly waitsFor: ReadonlySet<Definition>;
  readonly gain: number;
}

/** The walk that a visit gains most from. */
function bestFor(
  visit: Visit,
  forms: readonly Form[],
  walks: readonly Growing[],
  waits: Waits,
): Joining | undefined {
  let best: Joining | undefined;
  const alone = workInWalk(computedAt(visit));
  const reads = readsIn(visit.scalars);
  for (const walk of walks) {
    const ways = forms.flatMap((form) => {
      const there = walk.forms.get(form.key);
      return there ? [{ form, there }] : [];
    });
    // Points of a recurrence come in their order: what has the same ones has them together.
    const isOwn = waits.isOwn(visit.definition, walk);
    let apart: number | undefined;
    for (const { form, there } of inOrderOfNames(ways)) {
      const by = between(form, there);
      const numberAt = (read: Scalar): string => numberOf(instantiate(read, by));
      // Without a cell in common they have nothing in common.
      if (
        !isOwn &&
        !reads.some((read) => walk.reads.has(numberAt(read)) || walk.there.has(numberAt(read)))
      )
        continue;
      const moved = along(visit, form, there, by);
      if (walk.visits.some((each) => areOpposed(each, moved))) continue;
      apart ??= alone + workTogether(walk.visits, walk.there);
      const gain = apart - workTogether([...walk.visits, moved], walk.there);
      if (gain <= (best?.gain ?? (isOwn ? -1 : 0))) continue;
      // What a walk computes at the point is there, and so is what it reads.
      const isThere = (read: Read): boolean =>
        walk.there.has(numberAt(read)) || walk.reads.has(numberAt(read));
      const waitsFor = waits.waitsFor(visit, isThere);
      if (waits.areInTurn(visit.definition, waitsFor, walk)) continue;
      best = { walk, visit: moved, waitsFor, gain };
    }
  }
  return best;
}

/**
 * Makes the two walks that a recurrence consists of one, where one of them goes along with the steps of the other that come before it or behind it.
 *
 *   d_a[t] = d_b[t + 1]·u[t],   d_b[t] = d_a[t]·w[t]      at t, d_b[t + 1] is computed from d_a[t + 1], which is there, and then d_a[t]
 */
function joinSteps(group: ReadonlySet<Definition>, walks: Growing[], waits: Waits): void {
  const own = walks.filter(({ visits }) =>
    visits.some((each) => group.has(each.definition) && !each.isRest),
  );
  const [first, second, another] = own;
  if (!first || !second || another) return;
  for (const [walk, other] of [
    [first, second],
    [second, first],
  ] as const) {
    for (const form of formsOf(other.visits[0]!)) {
      const there = walk.forms.get(form.key);
      if (!there) continue;
      const by = between(form, there);
      const moved = other.visits.map((visit) => along(visit, form, there, by));
      if (moved.some((each) => walk.visits.some((one) => areOpposed(one, each)))) continue;
      const together = [...walk.visits, ...moved];
      const cells = new Set(
        together.flatMap(({ definition, at }) => (at ? [numberOfCell(definition, at)] : [])),
      );
      const apart = workTogether(walk.visits, walk.there) + workTogether(other.visits, other.there);
      if (workTogether(together, cells) >= apart || !areInSteps(walk.visits, moved, group))
        continue;
      join(walk, moved, other.waitsFor, waits);
      walks.splice(walks.indexOf(other), 1);
      return;
    }
  }
}

/** Whether positions come in opposite directions. */
function areOpposed({ order: a }: Visit, { order: b }: Visit): boolean {
  return [...a].some(([along, isDown]) => b.has(along) && b.get(along) !== isDown);
}

/** In how many ways coordinates of equal ranges are tried: all of them, or those that names speak for. */
const mostWays = { all: 24, named: 6 };

/** A visit's form, and the form of a walk with the same points. */
interface Alike {
  readonly form: Form;
  readonly there: Form;
}

/** Forms of which most coordinates are called as those of a walk come first: what was derived from one clause keeps its names. */
function inOrderOfNames(ways: readonly Alike[]): readonly Alike[] {
  if (ways.length <= mostWays.all) return ways;
  const same = ({ form, there }: Alike): number =>
    form.coordinates.filter(({ name }, k) => name === there.coordinates[k]!.name).length;
  return [...ways].sort((a, b) => same(b) - same(a)).slice(0, mostWays.named);
}

function workTogether(visits: readonly Visit[], there: ReadonlySet<string>): number {
  return workInWalk(visits.flatMap(computedAt), there) + writingAmong(visits);
}

/** A visit in the coordinates of a walk over the same points. */
function along(visit: Visit, own: Form, walk: Form, by: Replacements): Visit {
  const locals = new Map<Local, Local>();
  const cells =
    visit.cells &&
    new Set(own.coordinates.flatMap((v, k) => (visit.cells!.has(v) ? [walk.coordinates[k]!] : [])));
  const at = visit.at?.map((index) => instantiate(index, by));
  const moved = (v: Variable): Variable => walk.coordinates[own.coordinates.indexOf(v)] ?? v;
  const order = new Map([...visit.order].map(([v, isDown]) => [moved(v), isDown]));
  return {
    ...visit,
    cells,
    at,
    order,
    runs: visit.runs && moved(visit.runs),
    scalars: visit.scalars.map((scalar) => instantiate(scalar, by, locals)),
  };
}

/** Operations at a point that combine its values with those before it. What is combined for the cells along a coordinate is combined in the end for all of them. */
export function combiningIn(visits: readonly Visit[]): number {
  const isSame = (a: ReadonlySet<Variable>, b: ReadonlySet<Variable>): boolean =>
    a.size === b.size && [...a].every((v) => b.has(v));
  const valueOf = ({ scalars }: Visit): string => numberOf(scalars.at(-1)!);
  const isEndOf = (whole: Visit, run: Visit): boolean => {
    if (!run.runs || whole.runs || !whole.cells || whole.reduction !== run.reduction) return false;
    return (
      valueOf(whole) === valueOf(run) && isSame(new Set([...whole.cells, run.runs]), run.cells!)
    );
  };
  return visits
    .filter((visit) => !visits.some((other) => isEndOf(visit, other)))
    .reduce((total, { reduction }) => total + (reduction ? operationsOf(reduction) : 0), 0);
}

/** Operations for each element of a reduction: `logsumexp` compares, subtracts, exponentiates and adds. */
function operationsOf(reduction: ReductionName): number {
  return reduction === "logsumexp" ? 4 : 1;
}

/**
 * How many visits write a cell at each point. In an order of the coordinates, those have one sum for many points whose cells stand for its first ones: sets of
 * coordinates of which each has all those of the one before. As many as can be are of that kind; the cells of a recurrence, which come one after the other, are.
 */
export function writingAmong(visits: readonly Visit[]): number {
  if (visits.length < 2) return 0;
  const all = visits.flatMap(({ cells, isRecurrent }) => (cells ? [{ cells, isRecurrent }] : []));
  const sets = [...all].sort((a, b) => a.cells.size - b.cells.size);
  const isWithin = (a: ReadonlySet<Variable>, b: ReadonlySet<Variable>): boolean =>
    [...a].every((v) => b.has(v));
  const forced = sets.filter(({ isRecurrent }) => isRecurrent);
  const open = sets.filter((each) =>
    forced.every(({ cells }) => isWithin(cells, each.cells) || isWithin(each.cells, cells)),
  );
  const longest: number[] = [];
  for (const [k, { cells }] of open.entries())
    longest.push(
      1 + Math.max(0, ...longest.filter((_, at) => at < k && isWithin(open[at]!.cells, cells))),
    );
  return all.length - Math.max(0, ...longest);
}
