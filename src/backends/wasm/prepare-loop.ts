// Prepares recurrences: the loop with everything that runs along with it, and what is needed to
// compute its steps again from saved states.

import type { Definition } from "../../ir/program.ts";
import { isFloat } from "../../scalar/types.ts";
import { segmentsOf } from "../../plan/storage.ts";
import { sized, type Sized, type Sizing } from "../../plan/regions/regions.ts";
import { noted } from "../../plan/rules.ts";
import { shapeInRun } from "../interpret/evaluate.ts";
import { compileInteger } from "../interpret/scalars/scalars.ts";
import { byStepCompanions, joinLoops, riderCompanion, type Companion } from "./groups.ts";
import { bytesOfCell } from "./code/kernel.ts";
import type { Layout } from "./code/kernels.ts";
import { makerOf } from "./memory/maker.ts";
import type { LoopStep } from "./loops/nests.ts";
import { whole, windowed } from "./memory/places.ts";
import { isSum, runningSum, type RunningSum } from "./loops/sums.ts";
import { loopRunner } from "./runners.ts";
import { threadCount } from "./threads/threads.ts";
import { tracksOf, widerWindows } from "./rows/tracks.ts";
import { isWorthCalls, planLoop, type Kernels } from "./units.ts";
import type { GroupUnit, Setting, Prepared, PreparedLoop, Again } from "./prepared.ts";
import { layoutIn, sizedMembers, readsBeside, refuseLookups, totalsIn } from "./members.ts";
import { isTooSmall } from "./small.ts";
import { Unsupported } from "./unsupported.ts";

export function prepareGroup(
  setting: Setting,
  unit: GroupUnit,
  sizing: Sizing,
): Prepared | undefined {
  const { storage, fused, machine } = setting;
  const { group } = unit;
  const isFused = (definition: Definition): boolean =>
    fused.inlined.has(definition) || fused.merged.has(definition);
  const members = sizedMembers(setting, group.schedule, sizing);
  const own = [...members.keys()];
  const extent = Math.max(
    0,
    ...own.map((each) => members.get(each)!.shape[group.loop.axes.get(each)!]!),
  );
  const outputs = new Map(
    [...members].map(([each, { shape }]) => [
      each,
      memberLayout(setting, unit, each, shape, extent),
    ]),
  );
  const scratch = new Map<Definition, Layout>();
  const companions: Companion[] = [];
  const byStep = byStepCompanions(storage, group, isFused);
  for (const companion of byStep) {
    const { definition } = companion;
    const shape = shapeInRun(setting.machine, definition);
    members.set(definition, sized(definition, shape, sizing));
    scratch.set(
      definition,
      windowed(machine.typeOf(definition.element), shape, companion.axis, companion.early + 1),
    );
    companions.push(companion);
  }
  const sums: RunningSum[] = [];
  const indexIn = new Map<Definition, number>(
    companions.map(({ definition }) => [definition, setting.indexOf.get(definition)!]),
  );
  for (const rider of storage.driven) {
    if (rider.group !== group || isFused(rider.definition)) continue;
    const { definition, along, lag } = rider;
    const shape = shapeInRun(setting.machine, definition);
    if (along.kind === "axis") {
      members.set(definition, sized(definition, shape, sizing));
      outputs.set(definition, layoutIn(setting, definition, shape));
      companions.push(riderCompanion(rider, definition, along.axis, shape[along.axis]!));
      indexIn.set(definition, setting.indexOf.get(definition)!);
      continue;
    }
    if (!isSum(rider)) continue;
    const sum = runningSum(rider, shape, sizing, (scalar) => compileInteger(machine, scalar)());
    if (sum.divisor === 0) throw new Unsupported("a mean of nothing");
    sums.push(sum);
    members.set(sum.running, sum.sized);
    outputs.set(definition, whole(sum.element, shape));
    // Step t is added to the running sum at position t + 1.
    companions.push({
      definition: sum.running,
      axis: 0,
      ahead: -lag + (group.loop.reversed ? -1 : 1),
      range: { from: sum.from + 1, to: sum.to + 1 },
      early: 0,
    });
    indexIn.set(sum.running, setting.indexOf.get(definition)!);
    if (isFloat(sum.element)) scratch.set(sum.running, sum.layout);
  }
  const reads = readsBeside(members);
  if (isTooSmall(setting, members, reads)) return undefined;
  noteLoop(setting, unit, reads);
  refuseLookups(group.schedule, members);
  for (const [definition, layout] of totalsIn(members)) scratch.set(definition, layout);
  const ownIndex = setting.indexOf.get(group.schedule.definitions[0]!)!;
  const sorted = companions.toSorted(
    (a, b) => indexIn.get(a.definition)! - indexIn.get(b.definition)!,
  );
  const isBefore = ({ definition }: Companion): boolean => indexIn.get(definition)! < ownIndex;
  const before = sorted.filter(isBefore);
  const joint = joinLoops(
    group,
    extent,
    before,
    sorted.filter((each) => !isBefore(each)),
  );
  const isSaved = own.some((each) => storage.kept.get(each)?.kind === "checkpoints");
  const narrow = new Map([
    ...outputs,
    ...scratch,
    ...sums.map((sum) => [sum.running, sum.layout] as const),
  ]);
  const isShared = threadCount() > 1 && !isSaved && isWorthCalls(joint.step, members);
  const tracks = isShared ? tracksOf(joint.step, members) : undefined;
  const wider = tracks && widerWindows(tracks, narrow);
  for (const [definition, layout] of wider ?? [])
    (outputs.has(definition) ? outputs : scratch).set(definition, layout);
  const kernels = makerOf(setting, members, new Map([...narrow, ...(wider ?? [])]), reads, narrow);
  const planned = planLoop(joint.step, members, kernels);
  const runner = loopRunner(
    wider && planned.kind === "loop" ? { ...planned, tracks: tracks.all } : planned,
  );
  const again = isSaved ? prepareAgain(unit, extent, before, members, kernels) : undefined;
  for (const [definition, layout] of kernels.workspaces) scratch.set(definition, layout);
  if (isSaved) scratch.set(statesOf(unit), statesLayout(unit, outputs, extent));
  const work: PreparedLoop = {
    kind: "loop",
    unit,
    extent,
    runner,
    start: joint.start,
    sums,
    ...(again ? { again } : {}),
  };
  return { unit, outputs, scratch, reads, mayFail: kernels.mayFail(), work };
}

/**
 * Tells listeners which steps the loop of a recurrence keeps, and what is computed before the loop.
 */
function noteLoop(
  { storage }: Setting,
  { group }: GroupUnit,
  reads: ReadonlySet<Definition>,
): void {
  const [first] = group.schedule.definitions;
  for (const member of group.loop.axes.keys()) {
    const kept = storage.kept.get(member);
    if (kept?.kind === "window") noted("rolling", () => `buffer of ${kept.steps}`, member);
    if (kept?.kind === "checkpoints")
      noted("checkpoints", () => "saved states, and a segment of steps", member);
  }
  for (const read of reads) {
    if (storage.apart.has(read))
      noted("apart", (names) => `computed before the loop of ${names.definition(first!)}`, read);
  }
}

/** The recurrence without the companions that run after its step: enough to compute steps again. */
function prepareAgain(
  { group }: GroupUnit,
  extent: number,
  before: readonly Companion[],
  members: ReadonlyMap<Definition, Sized>,
  kernels: Kernels,
): Again {
  const feeding = before.map(({ definition, axis, ahead, early }) => ({
    definition,
    axis,
    ahead,
    early,
  }));
  const { step, start } = joinLoops(group, extent, feeding, []);
  const runner = loopRunner(planLoop(step, members, kernels));
  if (!feeding.some(({ early }) => early > 0)) return { runner, start };
  const alone: LoopStep = {
    ...step,
    axes: new Map(feeding.map(({ definition, axis }) => [definition, axis])),
    body: { ...step.body, steps: feeding.map(({ definition }) => ({ kind: "cells", definition })) },
  };
  return { runner, start, early: loopRunner(planLoop(alone, members, kernels)) };
}

/**
 * The cells of a member. A recurrence that is read back keeps the steps of a segment, those of the
 * state before the segment, and as many as are read at once.
 */
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

/** A name for cells that belong to no definition of the program. */
function aliasIn(names: WeakMap<Definition, Definition>, definition: Definition): Definition {
  let found = names.get(definition);
  if (!found) names.set(definition, (found = { ...definition }));
  return found;
}

const states = new WeakMap<Definition, Definition>();

/** The definition under which the saved states of a recurrence lie in memory. */
export function statesOf({ group }: GroupUnit): Definition {
  return aliasIn(states, group.schedule.definitions[0]!);
}

function statesLayout(
  unit: GroupUnit,
  outputs: ReadonlyMap<Definition, Layout>,
  extent: number,
): Layout {
  const bytes = savedRows(unit, outputs).reduce(
    (total, { lookback, rowBytes }) => total + lookback * rowBytes,
    0,
  );
  return { element: "bool", shape: [segmentsOf(extent).count * bytes], strides: [1] };
}

/**
 * The rows of a saved state: for each member that keeps a window, how many steps and of which size.
 */
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
    const rowBytes = layout.strides[layout.window.axis]! * bytesOfCell(layout.element);
    return [{ member, layout, lookback: group.lookback.get(member)!, rowBytes }];
  });
}
