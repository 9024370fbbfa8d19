// Finds definitions that can be computed inside the loop of a recurrence, one step at a time. We
// say that such a definition rides along with the loop, and call it a rider.
//
//   let h[t in 1..9] = 0.5 * h[t - 1];
//   let y[t] = h[t] ** 2;                 // y[t] can be computed in step t of h
//   let total = sum[t](y[t]);             // y[t] can be added to total in step t of h
//
// A definition may ride if each of its reads of the loop's tensors lies a constant number of steps
// away. A definition with an axis for the steps is computed step by step; a sum over the steps is
// added up step by step. The distance of the reads decides the lag of a rider: how many steps later
// the loop can compute a step of it.

import { holds, nonNegative, sameValue, type Fact } from "../affine/prove.ts";
import {
  constant,
  constantOf,
  negate,
  ofVariable,
  plus,
  subtract,
  type Term,
  type Variable,
} from "../affine/term.ts";
import { substitute, variablesOf } from "../affine/visit.ts";
import { accessesOf, isOpaque, termOf, type Access, type Opaque } from "../analyse/facts.ts";
import { eachScalar, scalarsOf } from "../ir/parts.ts";
import type { Clause, Definition, Loop } from "../ir/program.ts";
import { readsOf, readsOfFunction } from "../ir/references.ts";
import type { Schedule, Step } from "../analyse/schedule.ts";
import { tiesOf } from "../analyse/ties.ts";

type LoopStep = Extract<Step, { kind: "loop" }>;

/** A recurrence with its outermost loop. */
export interface Group {
  readonly schedule: Schedule;
  readonly loop: LoopStep;
  /**
   * For each member, how many steps back the recurrence reads it at most. `undefined` where the
   * distance is not constant.
   */
  readonly lookback: ReadonlyMap<Definition, number | undefined>;
}

/** A definition that is computed along with the loop of a group. */
export interface Rider {
  readonly definition: Definition;
  readonly group: Group;
  /**
   * Either the axis of the definition that is the step, or the summed coordinate that is the step.
   */
  readonly along:
    | { readonly kind: "axis"; readonly axis: number }
    | { readonly kind: "sum"; readonly loop: Loop };
  /** Step t of this definition can be computed in step t + lag of the loop. */
  readonly lag: number;
}

export function groupsOf(opaque: Opaque, schedules: readonly Schedule[]): readonly Group[] {
  return schedules.flatMap((schedule): readonly Group[] => {
    const loop = schedule.recurrent
      ? schedule.steps.find((step) => step.kind === "loop")
      : undefined;
    if (!loop) return [];
    const lookback = new Map<Definition, number | undefined>();
    for (const [definition, own] of loop.axes) {
      const found = [...loop.axes].flatMap(
        ([reader, axis]) =>
          offsets(opaque, reader, { kind: "axis", axis }, definition, own) ?? [undefined],
      );
      const back = found.map((offset) =>
        offset === undefined || loop.reversed ? offset : -offset,
      );
      const isConstant = back.every((steps) => steps !== undefined);
      lookback.set(definition, isConstant ? Math.max(0, ...back) : undefined);
    }
    return [{ schedule, loop, lookback }];
  });
}

/**
 * Finds the riders of each group. Goes from the first definition of the schedule to the last,
 * because a rider may read another rider. `mayRide` and `addsUp` are the conditions of the caller.
 */
export function ridersOf(
  opaque: Opaque,
  schedules: readonly Schedule[],
  groups: readonly Group[],
  mayRide: (definition: Definition) => boolean,
  addsUp: (rider: Rider) => boolean,
): ReadonlyMap<Definition, Rider> {
  const riders = new Map<Definition, Rider>();
  const after = new Map<Definition, ReadonlySet<Group>>();
  for (const schedule of schedules) {
    const own = groups.find((group) => group.schedule === schedule);
    const found = new Set<Group>(own ? [own] : []);
    for (const definition of schedule.definitions)
      for (const read of readsOf(definition))
        for (const group of after.get(read) ?? []) found.add(group);
    for (const definition of schedule.definitions) after.set(definition, found);
    const [only] = schedule.definitions;
    const group = groups.findLast((each) => found.has(each));
    if (schedule.recurrent || !group || !mayRide(only!)) continue;
    const rider = riderOf(opaque, only!, group, riders, (read) => after.get(read)!.has(group));
    if (rider && (rider.along.kind === "axis" || addsUp(rider))) riders.set(only!, rider);
  }
  return riders;
}

function riderOf(
  opaque: Opaque,
  definition: Definition,
  group: Group,
  riders: ReadonlyMap<Definition, Rider>,
  isAfter: (read: Definition) => boolean,
): Rider | undefined {
  if (definition.clauses.length === 0 || isScatter(definition)) return undefined;
  if ([...definition.needs].some(isAfter)) return undefined;
  const sources = [...readsOf(definition)].filter(isAfter);
  for (const along of stepCandidatesOf(definition)) {
    const lags = sources.map((source) =>
      lagBehind(opaque, definition, along, source, group, riders.get(source)),
    );
    if (lags.every((lag) => lag !== undefined))
      return { definition, group, along, lag: Math.max(0, ...lags) };
  }
  return undefined;
}

/**
 * How many steps after a step of the reader its source has computed the cells that the reader
 * reads.
 */
function lagBehind(
  opaque: Opaque,
  reader: Definition,
  along: Rider["along"],
  source: Definition,
  group: Group,
  rider: Rider | undefined,
): number | undefined {
  const axis =
    group.loop.axes.get(source) ??
    (rider?.group === group && rider.along.kind === "axis" ? rider.along.axis : undefined);
  const found = axis === undefined ? undefined : offsets(opaque, reader, along, source, axis);
  if (!found || !found.every((offset) => offset !== undefined)) return undefined;
  const ahead = found.map((offset) => (group.loop.reversed ? -offset : offset));
  return Math.max(...ahead) + (rider?.lag ?? 0);
}

/**
 * What could be the step of a definition: each of its axes, and each coordinate that it sums over
 * if one clause defines all its cells.
 */
function stepCandidatesOf(definition: Definition): readonly Rider["along"][] {
  const axes = definition.axes.map((_, axis) => ({ kind: "axis", axis }) as const);
  const [clause, ...others] = definition.clauses;
  if (!clause || others.length > 0 || clause.guards.length > 0 || clause.otherwise) return axes;
  const { body } = clause;
  if (body.kind !== "reduce" || (body.reduction !== "sum" && body.reduction !== "mean"))
    return axes;
  const bound = new Set([...clause.loops, ...body.loops].map((loop) => loop.variable));
  const isFree = ({ from, to }: Loop): boolean =>
    [from, to].every(
      (end) => end.kind === "integer" && ![...variablesOf(end.term)].some((v) => bound.has(v)),
    );
  return [...axes, ...body.loops.filter(isFree).map((loop) => ({ kind: "sum", loop }) as const)];
}

/**
 * A scatter walks its own coordinates once. Computed step by step, it would walk all of them again
 * for each step.
 */
function isScatter({ clauses }: Definition): boolean {
  return clauses.some(
    ({ body, loops }) =>
      body.kind === "reduce" && tiesOf(loops, body.loops, body.guards).length > 0,
  );
}

/**
 * How many steps from its own step a reader reads the source, along an axis of the source. Gives
 * one number for each read, or `undefined` for a read at a distance that is not constant. The whole
 * result is `undefined` where the reader calls a function that reads the source, because such a
 * read may be at any step.
 */
export function offsets(
  opaque: Opaque,
  reader: Definition,
  along: Rider["along"],
  source: Definition,
  axis: number,
): readonly (number | undefined)[] | undefined {
  if (readInFunctions(reader).has(source)) return undefined;
  return reader.clauses.flatMap((clause) => {
    const single = singlePositions(clause);
    const step = along.kind === "axis" ? clause.loops[along.axis]!.variable : along.loop.variable;
    const here = substitute(ofVariable(step), single);
    return accessesIn(opaque, clause).flatMap(({ read, facts }) => {
      if (read.definition !== source) return [];
      const index = substitute(termOf(opaque, read.indices[axis]!, facts), single);
      return [isOpaque(opaque, index) ? undefined : constantDifference(index, here, facts)];
    });
  });
}

const accessesByClause = new WeakMap<Opaque, Map<Clause, readonly Access[]>>();

function accessesIn(opaque: Opaque, clause: Clause): readonly Access[] {
  let known = accessesByClause.get(opaque);
  if (!known) accessesByClause.set(opaque, (known = new Map()));
  let found = known.get(clause);
  if (!found) known.set(clause, (found = accessesOf(opaque, clause, [])));
  return found;
}

/** The definitions that are read by the functions that a definition calls. */
function readInFunctions(definition: Definition): ReadonlySet<Definition> {
  const found = new Set<Definition>();
  for (const scalar of definition.clauses.flatMap(scalarsOf))
    eachScalar(scalar, (part) => {
      if (part.kind === "call")
        for (const read of readsOfFunction(part.invocation.function)) found.add(read);
    });
  return found;
}

/**
 * The differences that are tried where a term does not simplify to a number. For example
 * `max(n, 1) - n` is 0 for a positive n.
 */
const triedDifferences = [0, 1, -1, 2, -2, 3, -3, 4, -4];
const largestTried = 4;

export function constantDifference(a: Term, b: Term, known: readonly Fact[]): number | undefined {
  const term = subtract(a, b);
  const fixed = constantOf(term);
  if (fixed !== undefined) return fixed;
  const facts = [...known, nonNegative(a)];
  // If the facts do not bound the difference by `largestTried`, no tried number can be proved.
  if (!holds(nonNegative(plus(term, largestTried)), facts)) return undefined;
  if (!holds(nonNegative(plus(negate(term), largestTried)), facts)) return undefined;
  return triedDifferences.find((distance) => holds(sameValue(term, constant(distance)), facts));
}

/**
 * The coordinates whose range is a single position, with this position: those of fixed slots, as in
 * `h[0]`.
 */
export function singlePositions(clause: Clause): ReadonlyMap<Variable, Term> {
  const found = new Map<Variable, Term>();
  for (const { variable, from, to } of clause.loops) {
    if (from.kind !== "integer" || to.kind !== "integer") continue;
    if (constantOf(subtract(to.term, from.term)) === 1) found.set(variable, from.term);
  }
  return found;
}
