// Scans: one coordinate is walked, and totals go on from cell to cell: one in a local, or a row of
// them in memory.

import { ofVariable } from "../../../affine/term.ts";
import type { Scalar } from "../../../ir/program.ts";
import { instantiate, integerScalar, type Replacements } from "../../../ir/substitute.ts";
import { usesAny } from "../../../analyse/ties.ts";
import {
  loopsOfSides,
  type Reduction,
  type Region,
  type Side,
} from "../../../plan/regions/regions.ts";
import type { Running, Scan } from "../../../plan/reductions/scan.ts";
import { initialTotals, type Totals } from "../../../plan/reductions/totals.ts";
import {
  branch,
  codeAt,
  constI32,
  continueLoop,
  get,
  here,
  loop,
  memory,
  newLocal,
  op,
  set,
  valueAt,
  type Slot,
} from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import { emitMap, rememberLoops } from "../code/maps.ts";
import { newAccumulator, type Accumulator } from "./accumulators.ts";
import { emitReadAddress, emitValue, loadOf, storeOf } from "../code/scalars.ts";
import { emitAdditions } from "./scatters.ts";
import { overSides } from "./sides.ts";
import { target } from "../code/stores.ts";
import { guarded, walk, within } from "./term-loops.ts";
import { extremeOf } from "../code/terms.ts";

/** Where the totals of a scan are while it goes on. */
interface Totalling {
  readonly begin: () => void;
  /** Takes up what an earlier call left, and leaves what a later one takes up. */
  readonly resume: () => void;
  readonly leave: () => void;
  readonly add: (body: Reduction) => void;
  /** Makes the totals known to the cell at hand. */
  readonly publish: () => void;
}

/** Whether every cell adds one position, so that a later call can go on where another stopped. */
export function comesInParts({ runs }: Scan): boolean {
  return runs.every(({ adds }) => adds !== undefined);
}

/**
 * Walks a region, each cell after its totals. `cells` writes those at the walk's position, the
 * sides given being free.
 */
export function emitScan(
  kernel: Kernel,
  { sides }: Region,
  scan: Scan,
  extent: number,
  free: readonly Side[],
  cells: (free: readonly Side[]) => void,
): void {
  const side = sides[scan.axis]!;
  const after = scan.rows ? free.filter((each) => sides.indexOf(each) > scan.axis) : [];
  const before = free.filter((each) => each !== side && !after.includes(each));
  for (const each of free) kernel.known.set(each.variable, { least: each.from, most: each.to - 1 });
  for (const { body } of scan.runs) rememberLoops(kernel, body.loops);
  overSides(kernel, before, () => {
    const totals = scan.runs.map((run) =>
      scan.rows ? inMemory(kernel, run, after) : inLocal(kernel, run),
    );
    const walked = positions(kernel, scan, side, extent);
    const starts = (): void =>
      scan.runs.forEach((run, k) => {
        totals[k]!.begin();
        if (run.adds) earlier(kernel, run, scan, side, totals[k]!);
      });
    if (!walked.isFirst) starts();
    else
      branch(kernel.emitter, walked.isFirst, starts, () => totals.forEach((each) => each.resume()));
    const ends = scan.runs.map((run) => (run.adds ? undefined : movingEnd(kernel, run)));
    walked.each(() => {
      scan.runs.forEach((run, k) => addNext(kernel, run, totals[k]!, ends[k]));
      for (const each of totals) each.publish();
      cells(after);
    });
    if (walked.isFirst) totals.forEach((each) => each.leave());
  });
}

// ── the walk ────────────────────────────────────────────────────────────────────────────────────

interface Walk {
  readonly each: (inside: () => void) => void;
  /** Whether this call begins the walk, where it may be one of several. */
  readonly isFirst?: Slot;
}

/** All positions of a side, or the caller's part of them, counted in the direction of the walk. */
function positions(kernel: Kernel, { down }: Scan, side: Side, extent: number): Walk {
  const { emitter, part } = kernel;
  const isPart = part?.variable === side.variable;
  const [first, end] = down ? [extent - side.to, extent - side.from] : [side.from, side.to];
  const bound = (at: number): Slot =>
    valueAt(emitter, `i32:${at}`, "i32", 0, (code) => constI32(code, at));
  const from = isPart ? extremeOf(kernel, "max", part.from, bound(first)) : bound(first);
  const to = isPart ? extremeOf(kernel, "min", part.to, bound(end)) : bound(end);
  const each = (inside: () => void): void => {
    if (!down) {
      loop(emitter, side.variable, (code) => get(code, from), to, 1, inside);
      return;
    }
    const count = newLocal(emitter, "i32");
    continueLoop(
      emitter,
      undefined,
      count,
      (code) => get(code, from),
      to,
      1,
      () => {
        const level = here(emitter);
        const position = valueAt(emitter, `rev:l${count}`, "i32", level, (code) => {
          constI32(code, extent - 1);
          get(code, { local: count });
          op(code, "i32.sub");
        });
        emitter.coordinates.set(side.variable, position);
        inside();
        emitter.coordinates.delete(side.variable);
      },
    );
  };
  if (!isPart) return { each };
  const isFirst = valueAt(emitter, `l${from.local}==${first}`, "i32", from.level, (code) => {
    get(code, from);
    constI32(code, first);
    op(code, "i32.eq");
  });
  return { each, isFirst };
}

/** The terms of the first cell but the one that it adds itself. */
function earlier(
  kernel: Kernel,
  { body, moving, end, adds }: Running,
  { down }: Scan,
  side: Side,
  totals: Totalling,
): void {
  const at = new Map([
    [side.variable, integerScalar({ constant: down ? side.to - 1 : side.from, parts: [] })],
  ]);
  const first = instantiate(integerScalar(adds!), at);
  const range = end === "to" ? { ...moving, to: first } : { ...moving, from: plusOne(first) };
  walk(kernel, [range], () => totals.add(without(body, moving)));
}

function plusOne(scalar: Scalar): Scalar {
  if (scalar.kind !== "integer") throw new Error("a bound of a scan is a term");
  return integerScalar({ ...scalar.term, constant: scalar.term.constant + 1 });
}

/** A reduction inside one of its loops. */
function without(body: Reduction, loop: Reduction["loops"][number]): Reduction {
  return { ...body, loops: body.loops.filter((each) => each !== loop) };
}

/** Where the end that moves has come to; at first nothing is inside. */
function movingEnd(kernel: Kernel, { moving, end }: Running): number {
  const local = newLocal(kernel.emitter, "i32");
  const start = emitValue(kernel, end === "to" ? moving.from : moving.to);
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, start);
  set(code, local);
  return local;
}

/** What the cell at hand adds to the totals. */
function addNext(
  kernel: Kernel,
  run: Running,
  totals: Totalling,
  reached: number | undefined,
): void {
  const { body, moving, end, adds } = run;
  if (adds)
    return totals.add(
      moved(without(body, moving), new Map([[moving.variable, integerScalar(adds)]])),
    );
  const { emitter } = kernel;
  const goal = emitValue(kernel, moving[end]);
  within(kernel, moving, 1, () => {
    if (end === "to") {
      continueLoop(
        emitter,
        moving.variable,
        reached!,
        (code) => get(code, { local: reached! }),
        goal,
        1,
        () => totals.add(without(body, moving)),
      );
      return;
    }
    // Downward: the positions before the one reached, as far as the goal.
    const count = newLocal(emitter, "i32");
    continueLoop(
      emitter,
      undefined,
      count,
      (code) => get(code, goal),
      { local: reached!, type: "i32", level: here(emitter) },
      1,
      () => {
        const level = here(emitter);
        const position = valueAt(emitter, `down:l${reached!},l${count}`, "i32", level, (code) => {
          get(code, goal);
          get(code, { local: reached! });
          op(code, "i32.add");
          constI32(code, 1);
          op(code, "i32.sub");
          get(code, { local: count });
          op(code, "i32.sub");
        });
        emitter.coordinates.set(moving.variable, position);
        totals.add(without(body, moving));
        emitter.coordinates.delete(moving.variable);
      },
    );
    const code = codeAt(emitter, here(emitter));
    const least = extremeOf(
      kernel,
      "min",
      { ...goal, level: here(emitter) },
      { local: reached!, type: "i32", level: here(emitter) },
    );
    get(code, least);
    set(code, reached!);
  });
}

function moved(body: Reduction, by: Replacements): Reduction {
  return {
    ...body,
    loops: body.loops.map((each) => ({
      ...each,
      from: instantiate(each.from, by),
      to: instantiate(each.to, by),
    })),
    guards: body.guards.map((guard) => instantiate(guard, by)),
    value: instantiate(body.value, by),
  };
}

// ── totals ──────────────────────────────────────────────────────────────────────────────────────

/** One total, which the cells read by the reduction's name. */
function inLocal(kernel: Kernel, { name, body, totals }: Running): Totalling {
  const accumulator = newAccumulator(kernel, body);
  return {
    begin: accumulator.begin,
    resume: () => cell(kernel, totals, accumulator, "load"),
    leave: () => cell(kernel, totals, accumulator, "store"),
    publish: () => void kernel.bound.set(name, accumulator.result()),
    add: ({ loops, guards, value }) =>
      walk(kernel, loops, () => guarded(kernel, guards, () => accumulator.add(value))),
  };
}

/** The cell of memory in which a total waits for the next call. */
function cell(
  kernel: Kernel,
  { definition, element }: Totals,
  { local }: Accumulator,
  what: "load" | "store",
): void {
  const { pointer, offset } = emitReadAddress(kernel, target(definition, element, []));
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, pointer);
  if (what === "store") get(code, { local });
  memory(code, what === "load" ? loadOf(element) : storeOf(element), offset);
  if (what === "load") set(code, local);
}

/** A total for each cell behind the walked axis; they stay in memory from call to call. */
function inMemory(kernel: Kernel, { totals }: Running, after: readonly Side[]): Totalling {
  const start = initialTotals(totals, after);
  const indices = after.map((side) => integerScalar(ofVariable(side.variable)));
  return {
    begin: () =>
      emitMap(kernel, { sized: start, indices, only: start.regions[0]!.cases[0]! }, after),
    resume: () => undefined,
    leave: () => undefined,
    publish: () => undefined,
    add({ loops, guards, ...body }) {
      const inside = guards.filter((guard) => usesAny(guard, loopsOfSides(after)));
      const outside = guards.filter((guard) => !inside.includes(guard));
      walk(kernel, loops, () =>
        guarded(kernel, outside, () =>
          emitAdditions(kernel, totals, after, { ...body, loops: [], guards: [] }, inside, after),
        ),
      );
    },
  };
}
