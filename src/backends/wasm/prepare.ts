// Units made ready for kernels once sizes are numbers: which cells there are, how they lie, and the calls that compute them.

import { constant, type Variable } from "../../ir/affine/term.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Definition, Scalar } from "../../ir/program.ts";
import { isFloat } from "../../ir/scalar/types.ts";
import type { Schedule } from "../../ir/schedule.ts";
import { segmentsOf, type Storage } from "../../ir/storage.ts";
import { integerScalar } from "../../ir/substitute.ts";
import type { Fused } from "../../optimise/fuse.ts";
import { scalarsIn, scalarsInRegion, sized, type Sized, type Sizing } from "../../optimise/regions.ts";
import { contracted } from "../../optimise/contraction.ts";
import type { Operand } from "../../optimise/operand.ts";
import { inPhases } from "../../optimise/phases.ts";
import { became, concerning, noted } from "../../optimise/rules.ts";
import { scanned, stillRuns } from "../../optimise/scan.ts";
import { inBlocks } from "../../optimise/split.ts";
import { isUntied, scattered } from "../../optimise/scatter.ts";
import { withShares, type Shares } from "../../optimise/shares.ts";
import type { Machine } from "../interpret/machine.ts";
import { isRunning } from "../interpret/reduce.ts";
import { compileInteger, compileTerm } from "../interpret/scalars.ts";
import type { Unit } from "../order.ts";
import { clausesIn } from "./abilities.ts";
import { byStepCompanions, joined, riding, type Companion } from "./groups.ts";
import { Unsupported, widthOf } from "./kernel.ts";
import type { Layout } from "./kernels.ts";
import { makerOf } from "./maker.ts";
import type { LoopStep } from "./nests.ts";
import { whole, windowed } from "./places.ts";
import { readElsewhere } from "./strips.ts";
import { isSum, runningSum, type RunningSum } from "./sums.ts";
import {
  loopRunner,
  planLoop,
  planSteps,
  readsIn,
  runnerOf,
  workIn,
  type Kernels,
  type Runner,
  type StepRunner,
} from "./units.ts";

type GroupUnit = Extract<Unit, { kind: "group" }>;

/** What decides how units are compiled, beside sizes. */
export interface Setting {
  readonly machine: Machine;
  readonly storage: Storage;
  readonly fused: Fused;
  /** The place of a definition in the order of computation. */
  readonly indexOf: ReadonlyMap<Definition, number>;
  /** How something that is there lies in memory. */
  readonly layoutOf: (read: Definition) => Layout;
  /** How many bytes would have to be brought out if the oracle read something; no number is enough for a window. */
  readonly bytesInside: (read: Definition) => number;
  /** Units that do less are the oracle's. */
  readonly leastWork: number;
  /** Contractions with fewer products are reduced cell by cell. */
  readonly leastProducts: number;
}

/** A unit that is ready to be run, wherever its cells will be. */
export interface Prepared {
  readonly unit: Unit;
  /** The definitions that it computes, and how they lie. */
  readonly outputs: ReadonlyMap<Definition, Layout>;
  /** Cells that only the unit itself uses. */
  readonly scratch: ReadonlyMap<Definition, Layout>;
  readonly reads: ReadonlySet<Definition>;
  /** Whether a kernel may stop in the middle. */
  readonly mayFail: boolean;
  readonly work: PreparedCells | PreparedLoop;
}

export interface PreparedCells {
  readonly kind: "cells";
  readonly runner: Runner;
  /** What is read elsewhere than at the same row. */
  readonly elsewhere: ReadonlySet<Definition>;
  /** Operands in whose place the result can be written, cell by cell. */
  readonly inPlace: readonly Definition[];
}

export interface PreparedLoop {
  readonly kind: "loop";
  readonly unit: GroupUnit;
  readonly extent: number;
  /** All that runs in the loop, and the number of its first step. */
  readonly runner: StepRunner;
  readonly start: number;
  readonly sums: readonly RunningSum[];
  /** The recurrence again from a saved state, and what it asks for before. */
  readonly again?: Again;
}

export interface Again {
  readonly runner: StepRunner;
  readonly start: number;
  /** Steps before the first that what feeds the recurrence needs. */
  readonly early?: StepRunner;
}

// ── making ready ────────────────────────────────────────────────────────────────────────────────

/** A recurrence whose steps are looked up by data may ask for one that is not there yet: only the oracle keeps account of them. */
function refuseLookups(schedule: Schedule, members: ReadonlyMap<Definition, Sized>): void {
  const axes = steppedAxes(schedule);
  for (const { regions } of members.values()) {
    for (const scalar of regions.flatMap(scalarsInRegion)) {
      eachScalar(scalar, (part) => {
        if (part.kind !== "read" || !members.has(part.definition)) return;
        const stepped = axes.get(part.definition);
        if (part.indices.some((index, axis) => index.kind !== "integer" && stepped?.has(axis)))
          throw new Unsupported("steps looked up by data");
      });
    }
  }
}

/** The axes of each definition that loops of a schedule walk. */
function steppedAxes({ steps }: Schedule, found = new Map<Definition, Set<number>>()): typeof found {
  for (const step of steps) {
    if (step.kind === "cells") continue;
    for (const [definition, axis] of step.axes)
      found.set(definition, new Set([...(found.get(definition) ?? []), axis]));
    steppedAxes(step.body, found);
  }
  return found;
}

/** What stands for the integers of a unit: numbers, or reads of the scalars that have them. */
export interface GivenIntegers {
  readonly fixed: ReadonlyMap<Variable, number>;
  readonly read: ReadonlyMap<Variable, Definition>;
}

/** Kernels for a unit; nothing where it is too small to be worth them. */
export function prepare(setting: Setting, unit: Unit, { fixed, read }: GivenIntegers): Prepared | undefined {
  const { machine, fused } = setting;
  const known = new Map<Variable, Scalar>();
  for (const [v, value] of fixed) known.set(v, integerScalar(constant(value)));
  for (const [v, definition] of read)
    known.set(v, { kind: "read", type: "i32", definition, indices: [], span: definition.span });
  const sizing: Sizing = { known, typeOf: machine.typeOf, clausesOf: fused.clausesOf, merged: fused.merged };
  switch (unit.kind) {
    case "by step":
      return undefined;
    case "schedule":
      return prepareSchedule(setting, unit, unit.schedule, sizing);
    case "group":
      return prepareGroup(setting, unit, sizing);
    default:
      return unit satisfies never;
  }
}

function shapeOf({ machine }: Setting, definition: Definition): readonly number[] {
  return definition.axes.map((axis) => Math.max(0, compileTerm(machine, axis.extent)()));
}

/** The members of a schedule that have cells of their own. */
function membersOf(setting: Setting, schedule: Schedule, sizing: Sizing): Map<Definition, Sized> {
  const { merged } = setting.fused;
  const members = new Map<Definition, Sized>();
  const stepped = steppedAxes(schedule);
  for (const definition of schedule.definitions) {
    const reader = merged.get(definition);
    if (schedule.recurrent && reader !== undefined && schedule.definitions.includes(reader)) continue;
    members.set(definition, memberOf(setting, schedule, stepped, definition, sizing));
  }
  return members;
}

/** A definition with its scatters and running reductions apart. */
function memberOf(
  setting: Setting,
  { recurrent }: Schedule,
  stepped: ReadonlyMap<Definition, ReadonlySet<number>>,
  definition: Definition,
  sizing: Sizing,
): Sized {
  const products = recurrent ? undefined : withProducts(setting, definition, sizing);
  if (products) return became(products);
  // Where a loop holds coordinates, cells come in its order.
  const divide = recurrent ? undefined : inPhases;
  const steps = recurrent ? (stepped.get(definition) ?? new Set<number>()) : undefined;
  const own = scanned(scattered(sized(definition, shapeOf(setting, definition), sizing, divide), steps), steps);
  if (stillRuns(own) && clausesIn(setting.fused, definition).some(isRunning))
    throw new Unsupported("a running reduction");
  if (!recurrent && !isUntied(own)) throw new Unsupported("a scatter whose totals need more than a cell");
  if (recurrent) return became(own);
  const along = setting.fused.sharesOf.get(definition);
  return became(along ? withShares(own, sharesIn(setting, along)) : inBlocks(own));
}

function sharesIn(setting: Setting, definition: Definition): Shares {
  return { definition, element: setting.machine.typeOf(definition.element), shape: shapeOf(setting, definition) };
}

/** A definition whose contractions can be multiplied out as their operands lie. */
function withProducts(setting: Setting, definition: Definition, sizing: Sizing): Sized | undefined {
  if (setting.storage.kept.has(definition) || clausesIn(setting.fused, definition).some(isRunning)) return undefined;
  const found = concerning(definition, () => contracted(definition, shapeOf(setting, definition), sizing, setting.leastProducts)); // prettier-ignore
  const isAsItLies = ({ read, made }: Operand): boolean => {
    if (made) return true;
    const { element, window } = setting.layoutOf(read.definition);
    return element === read.type && !window;
  };
  const all = found?.contractions!.all;
  if (!all?.every(({ left, right }) => isAsItLies(left) && isAsItLies(right))) return undefined;
  for (const { depth, left, right } of all) {
    noted("multiply", () => `over ${depth.map(({ variable }) => variable.name).join(", ")}`, definition);
    for (const { made } of [left, right])
      if (made) noted("operand", () => `of ${made.shape.join(" × ")} cells`, definition);
  }
  return found;
}

/** Where members add up reductions, beside their own cells. */
function totalsIn(members: ReadonlyMap<Definition, Sized>): ReadonlyMap<Definition, Layout> {
  const all = [...members.values()].flatMap(({ scratch = [] }) => scratch);
  return new Map(
    all.map(({ definition, element, shape, heldAt }) => [
      definition,
      heldAt === undefined ? whole(element, shape) : windowed(element, shape, heldAt, 1),
    ]),
  );
}

function layoutIn({ machine, storage }: Setting, definition: Definition, shape: readonly number[]): Layout {
  const element = machine.typeOf(definition.element);
  const kept = storage.kept.get(definition);
  if (!kept) return whole(element, shape);
  return windowed(element, shape, kept.axis, kept.steps);
}

/** What some definitions read of others. */
function readsBeside(members: ReadonlyMap<Definition, Sized>): ReadonlySet<Definition> {
  const reads = new Set([...members.values()].flatMap((each) => [...readsIn(each)]));
  for (const definition of [...members.keys(), ...totalsIn(members).keys()]) reads.delete(definition);
  return reads;
}

function totalWork(members: ReadonlyMap<Definition, Sized>): number {
  return [...members.values()].reduce((total, each) => total + workIn(each), 0);
}

function prepareSchedule(setting: Setting, unit: Unit, schedule: Schedule, sizing: Sizing): Prepared | undefined {
  const members = membersOf(setting, schedule, sizing);
  const reads = readsBeside(members);
  if (isTooSmall(setting, members, reads)) return undefined;
  if (schedule.recurrent) refuseLookups(schedule, members);
  const along = [...members.values()].flatMap(({ shares }) => shares ?? []);
  const own = [...members.values(), ...along];
  const outputs = new Map(own.map(({ definition, shape }) => [definition, layoutIn(setting, definition, shape)]));
  const scratch = totalsIn(members);
  const kernels = makerOf(setting, members, new Map([...outputs, ...scratch]), reads);
  const planned = planSteps(schedule.steps, members, kernels);
  const [only] = members.values();
  const single = members.size === 1 && !schedule.recurrent ? only : undefined;
  const mayFail = kernels.mayFail();
  const inPlace = single && !mayFail ? overwritable(setting, single, outputs.get(single.definition)!, reads) : [];
  const elsewhere = single ? readElsewhere(single) : reads;
  const work = { kind: "cells", runner: runnerOf(planned), elsewhere, inPlace } as const;
  return {
    unit,
    outputs,
    scratch: new Map([...scratch, ...kernels.workspaces]),
    reads,
    mayFail,
    work,
  };
}

/** More than this is not brought out for the oracle, however little it does with it. */
const mostBroughtOut = 1 << 14;

function isTooSmall(
  { leastWork, bytesInside }: Setting,
  members: ReadonlyMap<Definition, Sized>,
  reads: ReadonlySet<Definition>,
): boolean {
  if (totalWork(members) >= leastWork) return false;
  return [...reads].reduce((total, read) => total + bytesInside(read), 0) <= mostBroughtOut;
}

/** Operands that lie as the result does and of which each cell is read for the same cell of the result alone. */
function overwritable(
  { layoutOf }: Setting,
  { regions, contractions }: Sized,
  own: Layout,
  reads: ReadonlySet<Definition>,
): readonly Definition[] {
  const isMap = regions.every(
    ({ cases, scatters, scan }) => !scatters && !scan && cases.every(({ reductions }) => reductions.length === 0),
  );
  if (!isMap || contractions) return [];
  return [...reads].filter((read) => {
    const layout = layoutOf(read);
    const isAlike =
      !layout.window &&
      widthOf(layout.element) === widthOf(own.element) &&
      layout.shape.length === own.shape.length &&
      layout.shape.every((extent, axis) => extent === own.shape[axis]);
    return isAlike && regions.every((region) => readsOwnCell(region, read));
  });
}

function readsOwnCell({ sides, cases, cells }: Sized["regions"][number], read: Definition): boolean {
  let fine = cells === undefined;
  for (const scalar of cases.flatMap(scalarsIn)) {
    eachScalar(scalar, (part) => {
      if (part.kind !== "read" || part.definition !== read) return;
      fine &&= part.indices.every((index, axis) => {
        if (index.kind !== "integer" || index.term.constant !== 0) return false;
        const [only, ...more] = index.term.parts;
        if (!only || more.length > 0 || only.coefficient !== 1) return false;
        const [atom, ...others] = only.factors;
        return others.length === 0 && atom?.kind === "variable" && atom.variable === sides[axis]!.variable;
      });
    });
  }
  return fine;
}

// ── recurrences ─────────────────────────────────────────────────────────────────────────────────

function prepareGroup(setting: Setting, unit: GroupUnit, sizing: Sizing): Prepared | undefined {
  const { storage, fused, machine } = setting;
  const { group } = unit;
  const isFused = (definition: Definition): boolean => fused.inlined.has(definition) || fused.merged.has(definition);
  const members = membersOf(setting, group.schedule, sizing);
  const own = [...members.keys()];
  const extent = Math.max(0, ...own.map((each) => members.get(each)!.shape[group.loop.axes.get(each)!]!));
  const outputs = new Map(
    [...members].map(([each, { shape }]) => [each, memberLayout(setting, unit, each, shape, extent)]),
  );
  const scratch = new Map<Definition, Layout>();
  const companions: Companion[] = [];
  const asked = byStepCompanions(storage, group, isFused);
  for (const companion of asked) {
    const { definition } = companion;
    const shape = shapeOf(setting, definition);
    members.set(definition, sized(definition, shape, sizing));
    scratch.set(definition, windowed(machine.typeOf(definition.element), shape, companion.axis, companion.early + 1));
    companions.push(companion);
  }
  const sums: RunningSum[] = [];
  const placeIn = new Map<Definition, number>(
    companions.map(({ definition }) => [definition, setting.indexOf.get(definition)!]),
  );
  for (const rider of storage.driven) {
    if (rider.group !== group || isFused(rider.definition)) continue;
    const { definition, along, lag } = rider;
    const shape = shapeOf(setting, definition);
    if (along.kind === "axis") {
      members.set(definition, sized(definition, shape, sizing));
      outputs.set(definition, layoutIn(setting, definition, shape));
      companions.push(riding(rider, definition, along.axis, 0, shape[along.axis]!));
      placeIn.set(definition, setting.indexOf.get(definition)!);
      continue;
    }
    if (!isSum(rider)) continue;
    const sum = runningSum(rider, shape, sizing, (scalar) => compileInteger(machine, scalar)());
    if (sum.divisor === 0) throw new Unsupported("a mean of nothing");
    sums.push(sum);
    members.set(sum.running, sum.sized);
    outputs.set(definition, whole(sum.element, shape));
    // The step t is added at the position t + 1.
    companions.push({
      definition: sum.running,
      axis: 0,
      ahead: -lag + (group.loop.reversed ? -1 : 1),
      range: { from: sum.from + 1, to: sum.to + 1 },
      early: 0,
    });
    placeIn.set(sum.running, setting.indexOf.get(definition)!);
    if (isFloat(sum.element)) scratch.set(totalsOf(sum), totalsLayout(sum));
  }
  const reads = readsBeside(members);
  if (isTooSmall(setting, members, reads)) return undefined;
  tellOfLoop(setting, unit, reads);
  refuseLookups(group.schedule, members);
  for (const [definition, layout] of totalsIn(members)) scratch.set(definition, layout);
  const layouts = new Map([...outputs, ...scratch, ...sums.map((sum) => [sum.running, sum.layout] as const)]);
  const kernels = makerOf(setting, members, layouts, reads);
  const at = setting.indexOf.get(group.schedule.definitions[0]!)!;
  const sorted = companions.toSorted((a, b) => placeIn.get(a.definition)! - placeIn.get(b.definition)!);
  const isBefore = ({ definition }: Companion): boolean => placeIn.get(definition)! < at;
  const before = sorted.filter(isBefore);
  const all = joined(group, extent, before, sorted.filter((each) => !isBefore(each))); // prettier-ignore
  const runner = loopRunner(planLoop(all.step, members, kernels));
  const isSaved = own.some((each) => storage.kept.get(each)?.kind === "checkpoints");
  const again = isSaved ? prepareAgain(unit, extent, before, members, kernels) : undefined;
  for (const [definition, layout] of kernels.workspaces) scratch.set(definition, layout);
  if (isSaved) scratch.set(statesOf(unit), statesLayout(unit, outputs, extent));
  const work: PreparedLoop = {
    kind: "loop",
    unit,
    extent,
    runner,
    start: all.start,
    sums,
    ...(again ? { again } : {}),
  };
  return { unit, outputs, scratch, reads, mayFail: kernels.mayFail(), work };
}

/** What the loop of a recurrence does not keep, and what it does not compute. */
function tellOfLoop({ storage }: Setting, { group }: GroupUnit, reads: ReadonlySet<Definition>): void {
  const [first] = group.schedule.definitions;
  for (const member of group.loop.axes.keys()) {
    const kept = storage.kept.get(member);
    if (kept?.kind === "window") noted("rolling", () => `buffer of ${kept.steps}`, member);
    if (kept?.kind === "checkpoints") noted("checkpoints", () => "saved states, and a segment of steps", member);
  }
  for (const read of reads) {
    if (storage.apart.has(read)) noted("apart", (names) => `computed before the loop of ${names.definition(first!)}`, read); // prettier-ignore
  }
}

/** The recurrence without what comes after its step. */
function prepareAgain(
  { group }: GroupUnit,
  extent: number,
  before: readonly Companion[],
  members: ReadonlyMap<Definition, Sized>,
  kernels: Kernels,
): Again {
  const feeding = before.map(({ definition, axis, ahead, early }) => ({ definition, axis, ahead, early }));
  const { step, start } = joined(group, extent, feeding, []);
  const runner = loopRunner(planLoop(step, members, kernels));
  if (!feeding.some(({ early }) => early > 0)) return { runner, start };
  const alone: LoopStep = {
    ...step,
    axes: new Map(feeding.map(({ definition, axis }) => [definition, axis])),
    body: { ...step.body, steps: feeding.map(({ definition }) => ({ kind: "cells", definition })) },
  };
  return { runner, start, early: loopRunner(planLoop(alone, members, kernels)) };
}

/** A recurrence that is read back keeps the steps of a segment, of the state before it, and of what is read at once. */
function memberLayout(
  setting: Setting,
  { group }: GroupUnit,
  member: Definition,
  shape: readonly number[],
  extent: number,
): Layout {
  const kept = setting.storage.kept.get(member);
  if (kept?.kind !== "checkpoints") return layoutIn(setting, member, shape);
  const places = segmentsOf(extent).length + kept.steps + group.lookback.get(member)!;
  return windowed(setting.machine.typeOf(member.element), shape, kept.axis, places);
}

const totals = new WeakMap<Definition, Definition>();

/** Names for cells that no definition of the program has. */
function beside(names: WeakMap<Definition, Definition>, definition: Definition): Definition {
  let found = names.get(definition);
  if (!found) names.set(definition, (found = { ...definition }));
  return found;
}

/** Under what the f64 totals of a sum lie. */
export function totalsOf({ running }: RunningSum): Definition {
  return beside(totals, running);
}

function totalsLayout({ cells }: RunningSum): Layout {
  return { element: "f64", shape: [cells], strides: [1] };
}

const states = new WeakMap<Definition, Definition>();

/** Under what the saved states of a recurrence lie. */
export function statesOf({ group }: GroupUnit): Definition {
  return beside(states, group.schedule.definitions[0]!);
}

function statesLayout(unit: GroupUnit, outputs: ReadonlyMap<Definition, Layout>, extent: number): Layout {
  const bytes = savedRows(unit, outputs).reduce((total, { lookback, rowBytes }) => total + lookback * rowBytes, 0);
  return { element: "bool", shape: [segmentsOf(extent).count * bytes], strides: [1] };
}

/** What a saved state has of each member of which not every step is kept. */
export function savedRows(
  { group }: GroupUnit,
  outputs: ReadonlyMap<Definition, Layout>,
): readonly {
  readonly member: Definition;
  readonly layout: Layout;
  readonly lookback: number;
  readonly rowBytes: number;
}[] {
  return [...group.loop.axes.keys()].flatMap((member) => {
    const layout = outputs.get(member);
    if (!layout?.window) return [];
    const rowBytes = layout.strides[layout.window.axis]! * widthOf(layout.element);
    return [{ member, layout, lookback: group.lookback.get(member)!, rowBytes }];
  });
}
