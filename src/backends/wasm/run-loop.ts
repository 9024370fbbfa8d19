// Runs the loop of a recurrence in stretches. Between two stretches it saves states, and computes
// steps of other recurrences again that the next stretch reads back.
//
//     checkpoint let h[t in 1..900] = tanh(h[t - 1]);   // saves every 30th state
//     let d_h[t in rev(0..899)] = …                     // reads `h` back, one segment at a time

import type { Group } from "../../plan/along.ts";
import type { Definition } from "../../ir/program.ts";
import { isFloat } from "../../scalar/types.ts";
import { segmentsOf, type Reach, type Storage } from "../../plan/storage.ts";
import type { Tracker } from "../progress.ts";
import { bytesOfCell } from "./code/kernel.ts";
import type { Layout } from "./code/kernels.ts";
import { savedRows, statesOf } from "./prepare-loop.ts";
import type { PreparedLoop } from "./prepared.ts";
import { move } from "./memory/moves.ts";
import type { RunningSum } from "./loops/sums.ts";
import type { AddressOf, StepRunner } from "./runners.ts";
import { Unsupported } from "./unsupported.ts";

/** A loop in this run. */
export interface LoopRun {
  readonly work: PreparedLoop;
  readonly addressOf: AddressOf;
  /**
   * The recurrences that it reads back, with the steps that it reads of each, relative to its own
   * step.
   */
  readonly readBack: readonly {
    readonly member: Definition;
    readonly saved: SavedLoop;
    readonly reach: Reach;
  }[];
}

/** A loop whose steps can be computed again. */
export interface SavedLoop {
  readonly run: LoopRun;
  readonly outputs: ReadonlyMap<Definition, Layout>;
  /** For every place of a member's window, the step that lies there, counted from 1; 0 for none. */
  readonly held: ReadonlyMap<Definition, Int32Array>;
}

/** What a loop reads back of the loops that have run so far. */
export function readBackBy(
  { kept }: Storage,
  group: Group,
  savedOf: (member: Definition) => SavedLoop | undefined,
): LoopRun["readBack"] {
  return [...kept].flatMap(([member, how]) => {
    const reach = how.kind === "checkpoints" ? how.readBack.get(group) : undefined;
    const saved = reach && savedOf(member);
    return reach && saved ? [{ member, saved, reach }] : [];
  });
}

/** How often a loop reports its progress. */
const reports = 200;

/**
 * Runs all steps. If steps will be asked for again, `saved` gets the states from which to compute
 * them.
 */
export function runLoop(run: LoopRun, saved: SavedLoop | undefined, progress?: Tracker): void {
  const { work } = run;
  for (const steps of saved?.held.values() ?? []) steps.fill(0);
  for (const sum of work.sums) beginSum(run, sum);
  const { steps } = work.runner;
  const segment = segmentsOf(work.extent).length;
  const reported = progress ? Math.max(1, Math.ceil(steps / reports)) : steps;
  for (let from = 0; from < steps;) {
    const count = from + work.start;
    let to = Math.min(steps, from + reported);
    if (saved) {
      if (count >= 0 && count < work.extent && count % segment === 0) save(saved, count);
      const next = count < 0 ? 0 : (Math.floor(count / segment) + 1) * segment;
      if (next < work.extent) to = Math.min(to, next - work.start);
    }
    to = readable(run, from, to, work.start);
    work.runner.runSteps(from, to);
    if (saved) mark(saved, count, to + work.start);
    progress?.step(to, steps);
    from = to;
  }
  for (const sum of work.sums) endSum(run, sum);
}

// ── sums ────────────────────────────────────────────────────────────────────────────────────────

function beginSum({ addressOf }: LoopRun, { running, totals, cells }: RunningSum): void {
  move({ kind: "zero", address: addressOf(running), bytes: cells * bytesOfCell(totals) });
}

function endSum(
  { addressOf }: LoopRun,
  { rider, element, running, cells, divisor }: RunningSum,
): void {
  if (!isFloat(element)) return;
  const sums = addressOf(rider.definition);
  move({ kind: "finish", element, sums, totals: addressOf(running), cells, divisor });
}

// ── states ──────────────────────────────────────────────────────────────────────────────────────

/** The record of a loop's saved states, in which no step is there yet. */
export function savedBy(run: LoopRun, outputs: ReadonlyMap<Definition, Layout>): SavedLoop {
  const held = new Map<Definition, Int32Array>();
  for (const { member, layout } of savedRows(run.work.unit, outputs))
    held.set(member, new Int32Array(layout.window!.steps));
  return { run, outputs, held };
}

function positionOfStep({ work }: LoopRun, count: number): number {
  return work.unit.group.loop.reversed ? work.extent - 1 - count : count;
}

/** Notes which steps lie in the windows. */
function mark({ run, held, outputs }: SavedLoop, from: number, to: number): void {
  for (const [member, steps] of held) {
    const { shape, window } = outputs.get(member)!;
    const length = shape[window!.axis]!;
    for (let count = Math.max(0, from); count < Math.min(to, run.work.extent); count++) {
      const step = positionOfStep(run, count);
      if (step < length) steps[step % steps.length] = step + 1;
    }
  }
}

/** Visits the rows of a saved state, with their address among the states and in their window. */
function eachRow(
  { run, outputs, held }: SavedLoop,
  count: number,
  visit: (saved: number, row: number, bytes: number, held: () => void) => void,
): void {
  const { work, addressOf } = run;
  const rows = savedRows(work.unit, outputs);
  const stateBytes = rows.reduce((total, { lookback, rowBytes }) => total + lookback * rowBytes, 0);
  let address =
    addressOf(statesOf(work.unit)) + (count / segmentsOf(work.extent).length) * stateBytes;
  for (const { member, layout, lookback, rowBytes } of rows) {
    const { axis, steps } = layout.window!;
    for (let back = 1; back <= lookback; back++, address += rowBytes) {
      const step = positionOfStep(run, count - back);
      if (count < back || step >= layout.shape[axis]!) continue;
      const note = (): void => void (held.get(member)![step % steps] = step + 1);
      visit(address, addressOf(member) + (step % steps) * rowBytes, rowBytes, note);
    }
  }
}

/** Saves what step `count` reads of the steps before it. */
function save(saved: SavedLoop, count: number): void {
  eachRow(saved, count, (address, row, bytes) =>
    move({ kind: "copy", from: row, to: address, bytes }),
  );
}

/** Computes the segment of a step again from the state that was saved before it. */
function restore(saved: SavedLoop, step: number): void {
  const { run } = saved;
  const { work } = run;
  const { runner, early, start } = work.again!;
  const { length } = segmentsOf(work.extent);
  const first = Math.floor(positionOfStep(run, step) / length) * length;
  const end = Math.min(first + length, work.extent);
  eachRow(saved, first, (address, row, bytes, note) => {
    move({ kind: "copy", from: address, to: row, bytes });
    note();
  });
  runner.bind(run.addressOf);
  early?.bind(run.addressOf);
  // The companions that feed the recurrence have to be some steps ahead of it.
  if (early) runStretches(run, early, first, first - start, start);
  runStretches(run, runner, first - start, end - start, start);
  mark(saved, first, end);
}

/** Computes the last steps of a member again where the window holds other steps. */
export function restoreLast(saved: SavedLoop, member: Definition, steps: number): void {
  const { run, outputs, held } = saved;
  const places = held.get(member)!;
  const { shape, window } = outputs.get(member)!;
  const extent = shape[window!.axis]!;
  for (let back = 0; back < Math.min(steps, extent); back++) {
    const step = run.work.unit.group.loop.reversed ? back : extent - 1 - back;
    if (places[step % places.length] !== step + 1) restore(saved, step);
  }
}

/** Runs steps of a loop, each once the steps that it reads back are there. */
function runStretches(
  run: LoopRun,
  runner: StepRunner,
  from: number,
  to: number,
  start: number,
): void {
  for (let step = from; step < to;) {
    const end = readable(run, step, to, start);
    runner.runSteps(step, end);
    step = end;
  }
}

/**
 * How often steps that are read back may be computed again before all of them are there at once.
 */
const mostAttempts = 8;

/**
 * The first step that cannot run yet because a step that it reads back is missing. The steps that
 * step `from` reads back are computed again first, so that at least one step can run.
 */
function readable(run: LoopRun, from: number, to: number, start: number): number {
  if (run.readBack.length === 0) return to;
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    let end = from;
    let missing: { readonly saved: SavedLoop; readonly step: number } | undefined;
    while (end < to && !(missing = missingAt(run, end + start))) end++;
    if (end > from || !missing) return end;
    restore(missing.saved, missing.step);
  }
  throw new Unsupported("more steps are read back at once than are kept");
}

/** A step that step `count` of the loop reads back and that is not in its window. */
function missingAt(
  run: LoopRun,
  count: number,
): { readonly saved: SavedLoop; readonly step: number } | undefined {
  const position = positionOfStep(run, count);
  const { reversed } = run.work.unit.group.loop;
  for (const { member, saved, reach } of run.readBack) {
    const held = saved.held.get(member);
    if (!held) continue;
    const { shape, window } = saved.outputs.get(member)!;
    const [from, to] = reversed
      ? [position - reach.newest, position - reach.oldest]
      : [position + reach.oldest, position + reach.newest];
    for (let step = Math.max(0, from); step <= Math.min(to, shape[window!.axis]! - 1); step++)
      if (held[step % held.length] !== step + 1) return { saved, step };
  }
  return undefined;
}
