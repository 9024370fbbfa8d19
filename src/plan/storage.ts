// Decides how many cells of each definition are kept while a program runs, and which definitions
// are computed along with the loops of its recurrences.
//
// - every cell: a definition that is asked for by name, or that is read at a distance that only the
//   data or the position decides.
//
// - a window: a member of a recurrence that everything in its loop reads at most L steps back, and
//   everything else reads only at its last steps. A definition that feeds only such a loop, or only
//   riders of the loop, is computed step by step.
//
// - checkpoints: a recurrence under `checkpoint` that another loop reads back. Kept are its state
//   at every ⌈√T⌉-th step and the steps of one segment. The segment is computed again when the
//   other loop reaches it.

import {
  groupsOf,
  offsets,
  ridersOf,
  constantDifference,
  singlePositions,
  type Group,
  type Rider,
} from "./along.ts";
import { plus, zero } from "../affine/term.ts";
import { substitute } from "../affine/visit.ts";
import { accessesOf, isOpaque, newOpaque, termOf, type Opaque } from "../analyse/facts.ts";
import type { Clause, Definition, Program, Scalar } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import { rootsOf } from "../ir/roots.ts";
import { isFloat } from "../scalar/types.ts";
import { reachable, type Schedule } from "../analyse/schedule.ts";
import { tiesOf, usesAny } from "../analyse/ties.ts";

export interface Storage {
  readonly groups: readonly Group[];
  /**
   * The riders that are kept whole or summed up in a loop. A rider stands after the riders it
   * reads.
   */
  readonly driven: readonly Rider[];
  /** The definitions that are not kept whole. */
  readonly kept: ReadonlyMap<Definition, Kept>;
  /** For members of recurrences that are kept whole, the reasons. */
  readonly reasons: ReadonlyMap<Definition, Reasons>;
  /**
   * Sums of products that no step changes. They are computed for all steps at once, before the loop
   * that reads them, as one matrix product.
   */
  readonly apart: ReadonlySet<Definition>;
}

export type Kept =
  /**
   * The last steps of a member of a recurrence, or of a rider. `tail` of these steps are read after
   * the loop.
   */
  | {
      readonly kind: "window";
      readonly axis: number;
      readonly steps: number;
      readonly tail: number;
    }
  /** Steps that are computed when one of the loops asks for them. */
  | {
      readonly kind: "by step";
      readonly axis: number;
      readonly steps: number;
      readonly loops: ReadonlyMap<Group, Reach>;
    }
  /** Saved states and one segment; `steps` further steps are read at the same time. */
  | {
      readonly kind: "checkpoints";
      readonly axis: number;
      readonly steps: number;
      readonly readBack: ReadonlyMap<Group, Reach>;
    };

/** The range of steps that a loop reads, counted from its current step in its direction. */
export interface Reach {
  readonly oldest: number;
  readonly newest: number;
}

export interface Reasons {
  readonly observed: boolean;
  /** Definitions that read the member in other ways than at a constant distance in a loop. */
  readonly readers: readonly Definition[];
}

/**
 * What a run needs: `observed` is read by the host, `certain` is computed in any case, `needed` may
 * be computed.
 */
interface Wanted {
  readonly observed: ReadonlySet<Definition>;
  readonly certain: ReadonlySet<Definition>;
  readonly needed: ReadonlySet<Definition>;
}

/**
 * Observed are the values that are asked for, printed or asserted; needed is everything that they
 * read. What stands under a condition is not certain.
 */
export function wantedOf(
  program: Program,
  asked: readonly string[] = [...program.outputs.keys()],
): Wanted {
  const outputs = new Map([...program.outputs].filter(([name]) => asked.includes(name)));
  const observed = new Set(rootsOf({ ...program, outputs, scalars: new Map() }));
  const actions = program.actions.filter((action) => action.when.length === 0);
  const certain = rootsOf({ ...program, outputs, actions, scalars: new Map() });
  return {
    observed,
    certain: new Set(reachable(certain)),
    needed: new Set(reachable([...observed])),
  };
}

/** What an engine can compute along with a loop, one step at a time. */
export interface Abilities {
  readonly steps: (definition: Definition) => boolean;
  readonly sums: (rider: Rider) => boolean;
  /**
   * Whether the engine computes one sum of products over all steps much faster than a sum of
   * products for each step.
   */
  readonly multiplies?: true;
}

const allAbilities: Abilities = { steps: () => true, sums: () => true };

export function storageOf(
  schedules: readonly Schedule[],
  wanted: Wanted,
  can: Abilities = allAbilities,
): Storage {
  const found = keptBy(schedules, wanted, can);
  const after = can.multiplies ? multipliedAfter(found) : new Set();
  if (after.size === 0) return found;
  return keptBy(schedules, wanted, {
    ...can,
    sums: (rider) => !after.has(rider.definition) && can.sums(rider),
  });
}

/**
 * Finds matrix products that a loop could add up step by step, but that are faster as one product
 * after the loop. The product after the loop needs all steps of its factors. That is acceptable
 * where the loop reads another recurrence that is kept whole anyway, because memory stays of the
 * same order.
 */
function multipliedAfter({ groups, driven, kept, reasons }: Storage): ReadonlySet<Definition> {
  const found = new Set<Definition>();
  for (const { definition, group, along } of driven) {
    if (along.kind !== "sum" || !isMatrixProductOfFactors(definition) || isCheckpointed(group))
      continue;
    const isInLoop = (read: Definition): boolean => {
      const own = kept.get(read);
      return group.loop.axes.has(read) || (own?.kind === "by step" && own.loops.has(group));
    };
    const axes = [...readsOf(definition)].filter(isInLoop).map((read) => read.axes.length);
    const others = groups
      .filter((other) => other !== group)
      .flatMap(({ loop }) => [...loop.axes.keys()]);
    const readBack = others.filter((each) =>
      reasons.get(each)?.readers.some((reader) => group.loop.axes.has(reader)),
    );
    if (readBack.some((each) => axes.every((count) => each.axes.length >= count)))
      found.add(definition);
  }
  return found;
}

function isSumOfProducts({ clauses: [clause, ...others] }: Definition): boolean {
  if (others.length > 0 || clause?.body.kind !== "reduce" || clause.body.reduction !== "sum")
    return false;
  const { value } = clause.body;
  return isFloat(value.type) && value.kind === "apply" && value.operation === "multiply";
}

/**
 * Whether a definition is a sum of products in which each factor has a coordinate of the result
 * that the other factor lacks: `sum[k](A[i, k] * B[k, j])`.
 */
function isMatrixProductOfFactors(definition: Definition): boolean {
  if (!isSumOfProducts(definition)) return false;
  const [{ loops, body }] = definition.clauses as readonly [Clause];
  const [left, right] = (body.value as Extract<Scalar, { kind: "apply" }>).operands.map((factor) =>
    loops.filter((loop) => usesAny(factor, [loop])),
  );
  return (
    left!.some((loop) => !right!.includes(loop)) && right!.some((loop) => !left!.includes(loop))
  );
}

function keptBy(schedules: readonly Schedule[], wanted: Wanted, can: Abilities): Storage {
  const opaque = newOpaque();
  const used = schedules.filter((schedule) =>
    schedule.definitions.some((each) => wanted.needed.has(each)),
  );
  const groups = groupsOf(opaque, used);
  if (groups.length === 0)
    return { groups, driven: [], kept: new Map(), reasons: new Map(), apart: new Set() };
  const mayRide = (definition: Definition): boolean =>
    wanted.certain.has(definition) && can.steps(definition);
  const riders = ridersOf(opaque, used, groups, mayRide, can.sums);
  const plan: Plan = {
    opaque,
    wanted,
    groups,
    riders,
    readers: readersIn(wanted.needed),
    bySteps: new Map(),
  };
  // Goes from the last readers to the first, because a definition is computed by the step only if
  // its readers are.
  for (const schedule of used.toReversed()) {
    const [only] = schedule.definitions;
    if (schedule.recurrent || !wanted.needed.has(only!) || !can.steps(only!)) continue;
    const found = computedByStep(plan, only!);
    if (found) plan.bySteps.set(only!, found);
  }
  const apart = new Set(
    [...plan.bySteps.keys()].filter((definition) => isBetterBeforeLoop(plan, definition)),
  );
  for (const definition of apart) plan.bySteps.delete(definition);
  const kept = new Map<Definition, Kept>();
  const reasons = new Map<Definition, Reasons>();
  for (const [definition, { axis, loops }] of plan.bySteps) {
    const steps = Math.max(...[...loops.values()].map(({ oldest, newest }) => newest - oldest + 1));
    kept.set(definition, { kind: "by step", axis, steps, loops });
  }
  for (const group of groups) {
    for (const definition of group.loop.axes.keys()) {
      if (!wanted.needed.has(definition)) continue;
      const found = keptOfMember(plan, group, definition);
      if ("kind" in found) kept.set(definition, found);
      else reasons.set(definition, found);
    }
  }
  const driven = [...riders.values()].filter(({ definition }) => !plan.bySteps.has(definition));
  for (const rider of driven) {
    const last = wanted.observed.has(rider.definition) ? undefined : lastStepsOf(plan, rider);
    if (last && rider.along.kind === "axis")
      kept.set(rider.definition, { kind: "window", axis: rider.along.axis, ...last });
  }
  return {
    groups,
    driven: driven.filter(ridersThatSaveMemory(plan, kept, driven)),
    kept,
    reasons,
    apart,
  };
}

/**
 * Whether a definition that a loop could compute step by step is better computed before the loop.
 * This holds for a sum of products of tensors that exist before the loop, if a member of the
 * recurrence with as many axes is kept whole anyway: then memory stays of the same order.
 */
function isBetterBeforeLoop(plan: Plan, definition: Definition): boolean {
  if (!isSumOfProducts(definition)) return false;
  const isBefore = (read: Definition): boolean =>
    !plan.riders.has(read) && seatsOfDefinition(plan, read).length === 0;
  if (![...readsOf(definition)].every(isBefore)) return false;
  return [...plan.bySteps.get(definition)!.loops.keys()].every(
    (group) =>
      !isCheckpointed(group) &&
      [...group.loop.axes.keys()].some(
        (member) =>
          member.axes.length >= definition.axes.length &&
          !("kind" in keptOfMember(plan, group, member)),
      ),
  );
}

/**
 * Selects the riders that are worth computing in the loop. A rider may as well be computed after
 * the loop, all at once, if it reads only whole histories, is whole itself and feeds nothing in the
 * loop.
 */
function ridersThatSaveMemory(
  plan: Plan,
  kept: ReadonlyMap<Definition, Kept>,
  driven: readonly Rider[],
): (rider: Rider) => boolean {
  const useful = new Set<Definition>();
  for (const { definition, group } of driven.toReversed()) {
    const isPartial =
      kept.has(definition) || [...readsOf(definition)].some((read) => kept.has(read));
    const isInLoop = (reader: Definition): boolean =>
      useful.has(reader) || plan.bySteps.get(reader)?.loops.has(group) === true;
    if (isPartial || (plan.readers.get(definition) ?? []).some(isInLoop)) useful.add(definition);
  }
  return ({ definition }) => useful.has(definition);
}

interface Plan {
  readonly opaque: Opaque;
  readonly wanted: Wanted;
  readonly groups: readonly Group[];
  readonly riders: ReadonlyMap<Definition, Rider>;
  readonly readers: ReadonlyMap<Definition, readonly Definition[]>;
  readonly bySteps: Map<Definition, ByStep>;
}

/** The steps of a definition that loops ask for. */
interface ByStep {
  readonly axis: number;
  readonly loops: ReadonlyMap<Group, Reach>;
}

/** Extends a reach by the steps `from` to `to`. */
function reachWith(reach: Reach | undefined, from: number, to: number): Reach {
  return reach
    ? { oldest: Math.min(reach.oldest, from), newest: Math.max(reach.newest, to) }
    : { oldest: from, newest: to };
}

function readersIn(
  needed: ReadonlySet<Definition>,
): ReadonlyMap<Definition, readonly Definition[]> {
  const found = new Map<Definition, Definition[]>();
  for (const reader of needed)
    for (const read of readsOf(reader)) found.set(read, [...(found.get(read) ?? []), reader]);
  return found;
}

/**
 * A position in a loop from which a definition reads. It stands `oldest` to `newest` steps from the
 * loop's current step.
 */
interface Seat {
  readonly group: Group;
  readonly along: Rider["along"];
  readonly oldest: number;
  readonly newest: number;
}

/**
 * The seats of a definition in loops; none for a definition that is computed before or after the
 * loops.
 */
function seatsOfDefinition(plan: Plan, definition: Definition): readonly Seat[] {
  const own = plan.groups.find((group) => group.loop.axes.has(definition));
  if (own)
    return [
      {
        group: own,
        along: { kind: "axis", axis: own.loop.axes.get(definition)! },
        oldest: 0,
        newest: 0,
      },
    ];
  const steps = plan.bySteps.get(definition);
  if (steps) {
    const along = { kind: "axis", axis: steps.axis } as const;
    return [...steps.loops].map(([group, { oldest, newest }]) => ({
      group,
      along,
      oldest,
      newest,
    }));
  }
  const rider = plan.riders.get(definition);
  return rider
    ? [{ group: rider.group, along: rider.along, oldest: -rider.lag, newest: -rider.lag }]
    : [];
}

/**
 * How many steps ahead of the loop's current step the reads lie along an axis; `undefined` where
 * the distance is not constant.
 */
function stepsAhead(
  plan: Plan,
  reader: Definition,
  seat: Seat,
  source: Definition,
  axis: number,
): readonly number[] | undefined {
  const found = offsets(plan.opaque, reader, seat.along, source, axis);
  if (!found || !found.every((offset) => offset !== undefined)) return undefined;
  return found.map((offset) => (seat.group.loop.reversed ? -offset : offset));
}

/**
 * Decides whether a definition can be computed by the step, which needs that all its readers run in
 * loops.
 */
function computedByStep(plan: Plan, definition: Definition): ByStep | undefined {
  const readers = plan.readers.get(definition) ?? [];
  if (
    plan.wanted.observed.has(definition) ||
    readers.length === 0 ||
    definition.clauses.length === 0
  )
    return undefined;
  const walksAll = definition.clauses.some(
    ({ body, loops }) =>
      body.kind === "reduce" && tiesOf(loops, body.loops, body.guards).length > 0,
  );
  const seats = readers.map((reader) => seatsOfDefinition(plan, reader));
  if (walksAll || seats.some((each) => each.length === 0)) return undefined;
  const loops = new Set(seats.flat().map((seat) => seat.group));
  // Two loops would compute every step twice. That is accepted only if one of the loops is meant to
  // be computed again.
  if (loops.size > 1 && ![...loops].some(isCheckpointed)) return undefined;
  const rider = plan.riders.get(definition);
  const axes = rider
    ? rider.along.kind === "axis"
      ? [rider.along.axis]
      : []
    : [...definition.axes.keys()];
  for (const axis of axes) {
    const asked = new Map<Group, Reach>();
    const isConstant = readers.every((reader, k) =>
      seats[k]!.every((seat) => {
        const found = stepsAhead(plan, reader, seat, definition, axis);
        for (const ahead of found ?? [])
          asked.set(
            seat.group,
            reachWith(asked.get(seat.group), seat.oldest + ahead, seat.newest + ahead),
          );
        return found !== undefined;
      }),
    );
    if (isConstant) return { axis, loops: asked };
  }
  return undefined;
}

function isCheckpointed(group: Group): boolean {
  const isConstant = [...group.lookback.values()].every((steps) => steps !== undefined);
  return (
    isConstant && [...group.loop.axes.keys()].some((definition) => definition.checkpoint === true)
  );
}

function keptOfMember(plan: Plan, group: Group, definition: Definition): Kept | Reasons {
  const axis = group.loop.axes.get(definition)!;
  const observed = plan.wanted.observed.has(definition);
  const readers: Definition[] = [];
  let back = 0;
  let tail = 0;
  let elsewhere = 0;
  const readBack = new Map<Group, Reach>();
  for (const reader of plan.readers.get(definition) ?? []) {
    const seats = seatsOfDefinition(plan, reader);
    const reaches = seats.map((seat) => ({
      seat,
      ahead: stepsAhead(plan, reader, seat, definition, axis),
    }));
    // The steps of a checkpointed recurrence exist only for a while, so that a reader in a loop
    // must tell which steps it reads.
    const isInLoop = seats.some((seat) => seat.group === group || isCheckpointed(group));
    const last = isInLoop
      ? undefined
      : distanceFromLastStep(plan.opaque, group, reader, definition, axis);
    if (last !== undefined) tail = Math.max(tail, last + 1);
    else if (reaches.length === 0 || reaches.some(({ ahead }) => ahead === undefined))
      readers.push(reader);
    else {
      for (const { seat, ahead } of reaches) {
        const [first, final] = [
          Math.min(...ahead!) + seat.oldest,
          Math.max(...ahead!) + seat.newest,
        ];
        if (seat.group === group) back = Math.max(back, -first);
        else if (isCheckpointed(group)) {
          const reach = reachWith(readBack.get(seat.group), first, final);
          readBack.set(seat.group, reach);
          elsewhere = Math.max(elsewhere, reach.newest - reach.oldest);
        } else if (!readers.includes(reader)) readers.push(reader);
      }
    }
  }
  if (observed || readers.length > 0) return { observed, readers };
  const steps = Math.max(back + 1, tail);
  if (readBack.size > 0)
    return { kind: "checkpoints", axis, steps: Math.max(steps, elsewhere + 1), readBack };
  return { kind: "window", axis, steps, tail };
}

/**
 * How many of its last steps a rider must keep: `steps` during the loop, `tail` after the loop.
 * `undefined` where it must keep all.
 */
function lastStepsOf(
  plan: Plan,
  { definition, group, along, lag }: Rider,
): { readonly steps: number; readonly tail: number } | undefined {
  if (along.kind !== "axis") return undefined;
  let back = 0;
  let tail = 0;
  for (const reader of plan.readers.get(definition) ?? []) {
    const seats = seatsOfDefinition(plan, reader);
    const reaches = seats.map((seat) =>
      seat.group === group ? stepsAhead(plan, reader, seat, definition, along.axis) : undefined,
    );
    const isInside = reaches.length > 0 && reaches.every((ahead) => ahead !== undefined);
    if (isInside) {
      back = Math.max(
        back,
        ...seats.map((seat, k) => -lag - seat.oldest - Math.min(...reaches[k]!)),
      );
      continue;
    }
    const last = distanceFromLastStep(plan.opaque, group, reader, definition, along.axis);
    if (last === undefined) return undefined;
    tail = Math.max(tail, last + 1);
  }
  return { steps: Math.max(back + 1, tail), tail };
}

/**
 * How many steps before the last step a reader reads a definition; `undefined` where it may also
 * read other steps.
 */
function distanceFromLastStep(
  opaque: Opaque,
  { loop }: Group,
  reader: Definition,
  definition: Definition,
  axis: number,
): number | undefined {
  const last = loop.reversed ? zero : plus(definition.axes[axis]!.extent, -1);
  let found: number | undefined = 0;
  let count = 0;
  for (const clause of reader.clauses) {
    const single = singlePositions(clause);
    for (const { read, facts } of accessesOf(opaque, clause, [])) {
      if (read.definition !== definition) continue;
      count++;
      const index = substitute(termOf(opaque, read.indices[axis]!, facts), single);
      const back = isOpaque(opaque, index) ? undefined : constantDifference(index, last, facts);
      const steps: number | undefined =
        back === undefined ? undefined : loop.reversed ? back : -back;
      found =
        found === undefined || steps === undefined || steps < 0
          ? undefined
          : Math.max(found, steps);
    }
  }
  return count === 0 ? undefined : found;
}

/** The segments of a checkpointed recurrence: `length` steps in each, `count` segments. */
export function segmentsOf(steps: number): { readonly length: number; readonly count: number } {
  const length = Math.max(1, Math.ceil(Math.sqrt(steps)));
  return { length, count: Math.ceil(steps / length) };
}
