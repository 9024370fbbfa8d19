// Emits scans. One coordinate is walked and totals go on from cell to cell: one total in a local,
// or a row of totals in memory.
//
//   y[i] = sum[k in 0..i + 1](d[k])   runs as
//   total = 0,  then for each i  total += d[i], y[i] = total

import type { Scalar } from "../../../ir/program.ts";
import { instantiate, integerScalar, coordinateScalar } from "../../../ir/substitute.ts";
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
import { emitOverSides } from "./sides.ts";
import { cellAsRead } from "../code/stores.ts";
import { emitGuarded, emitLoops, withBoundsKnown } from "./term-loops.ts";
import { emitExtreme } from "../code/terms.ts";
import { rewriteReduction } from "../../../plan/rewrite.ts";

/** The code that keeps the totals of a scan. */
interface Totalling {
  readonly begin: () => void;
  /**
   * `resume` loads the totals that an earlier call has left, and `leave` stores them for the next.
   */
  readonly resume: () => void;
  readonly leave: () => void;
  readonly add: (body: Reduction) => void;
  /** Binds the totals so that the current cell can read them. */
  readonly publish: () => void;
}

/**
 * Whether every cell adds exactly one position, so that a later call can continue where an earlier
 * one stopped.
 */
export function canRunInParts({ runs }: Scan): boolean {
  return runs.every(({ adds }) => adds !== undefined);
}

/**
 * Walks a region. At each position, the totals are updated before `cells` writes the cells along
 * the free sides that it is given.
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
  const after = scan.hasRowOfTotals ? free.filter((each) => sides.indexOf(each) > scan.axis) : [];
  const before = free.filter((each) => each !== side && !after.includes(each));
  for (const each of free) kernel.known.set(each.variable, { least: each.from, most: each.to - 1 });
  for (const { body } of scan.runs) rememberLoops(kernel, body.loops);
  emitOverSides(kernel, before, () => {
    const totals = scan.runs.map((run) =>
      scan.hasRowOfTotals ? totalsInMemory(kernel, run, after) : totalInLocal(kernel, run),
    );
    const walked = walkedPositions(kernel, scan, side, extent);
    const starts = (): void =>
      scan.runs.forEach((run, k) => {
        totals[k]!.begin();
        if (run.adds) emitEarlierTerms(kernel, run, scan, side, totals[k]!);
      });
    if (!walked.isFirst) starts();
    else
      branch(kernel.emitter, walked.isFirst, starts, () => totals.forEach((each) => each.resume()));
    const ends = scan.runs.map((run) => (run.adds ? undefined : emitMovingEndStart(kernel, run)));
    walked.each(() => {
      scan.runs.forEach((run, k) => emitNextTerms(kernel, run, totals[k]!, ends[k]));
      for (const each of totals) each.publish();
      cells(after);
    });
    if (walked.isFirst) totals.forEach((each) => each.leave());
  });
}

// ── the walk ────────────────────────────────────────────────────────────────────────────────────

interface Walk {
  readonly each: (inside: () => void) => void;
  /** Whether this call begins the walk; `undefined` if there is only one call. */
  readonly isFirst?: Slot;
}

/** All positions of a side, or the caller's part of them, counted in the direction of the walk. */
function walkedPositions(kernel: Kernel, { down }: Scan, side: Side, extent: number): Walk {
  const { emitter, part } = kernel;
  const isPart = part?.variable === side.variable;
  const [first, end] = down ? [extent - side.to, extent - side.from] : [side.from, side.to];
  const bound = (at: number): Slot =>
    valueAt(emitter, `i32:${at}`, "i32", 0, (code) => constI32(code, at));
  const from = isPart ? emitExtreme(kernel, "max", part.from, bound(first)) : bound(first);
  const to = isPart ? emitExtreme(kernel, "min", part.to, bound(end)) : bound(end);
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

/** Adds the terms of the first cell, except the last one, which the cell adds itself. */
function emitEarlierTerms(
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
  emitLoops(kernel, [range], () => totals.add(withoutLoop(body, moving)));
}

function plusOne(scalar: Scalar): Scalar {
  if (scalar.kind !== "integer") throw new Error("a bound of a scan is a term");
  return integerScalar({ ...scalar.term, constant: scalar.term.constant + 1 });
}

/** A reduction without one of its loops, for use inside of that loop. */
function withoutLoop(body: Reduction, loop: Reduction["loops"][number]): Reduction {
  return { ...body, loops: body.loops.filter((each) => each !== loop) };
}

/** The local that remembers how far the moving end has come. At first the range is empty. */
function emitMovingEndStart(kernel: Kernel, { moving, end }: Running): number {
  const local = newLocal(kernel.emitter, "i32");
  const start = emitValue(kernel, end === "to" ? moving.from : moving.to);
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, start);
  set(code, local);
  return local;
}

/** Adds the terms that the current cell adds to the totals. */
function emitNextTerms(
  kernel: Kernel,
  run: Running,
  totals: Totalling,
  reached: number | undefined,
): void {
  const { body, moving, end, adds } = run;
  if (adds)
    return totals.add(
      rewriteReduction(withoutLoop(body, moving), (scalar) =>
        instantiate(scalar, new Map([[moving.variable, integerScalar(adds)]])),
      ),
    );
  const { emitter } = kernel;
  const goal = emitValue(kernel, moving[end]);
  withBoundsKnown(kernel, moving, 1, () => {
    if (end === "to") {
      continueLoop(
        emitter,
        moving.variable,
        reached!,
        (code) => get(code, { local: reached! }),
        goal,
        1,
        () => totals.add(withoutLoop(body, moving)),
      );
      return;
    }
    // The range grows downward: adds the positions from the goal up to just before the last end.
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
        totals.add(withoutLoop(body, moving));
        emitter.coordinates.delete(moving.variable);
      },
    );
    const code = codeAt(emitter, here(emitter));
    const least = emitExtreme(
      kernel,
      "min",
      { ...goal, level: here(emitter) },
      { local: reached!, type: "i32", level: here(emitter) },
    );
    get(code, least);
    set(code, reached!);
  });
}

// ── totals ──────────────────────────────────────────────────────────────────────────────────────

/** A single total in a local variable, which the cells read by the name of the reduction. */
function totalInLocal(kernel: Kernel, { name, body, totals }: Running): Totalling {
  const accumulator = newAccumulator(kernel, body);
  return {
    begin: accumulator.begin,
    resume: () => emitTransferTotal(kernel, totals, accumulator, "load"),
    leave: () => emitTransferTotal(kernel, totals, accumulator, "store"),
    publish: () => void kernel.bound.set(name, accumulator.result()),
    add: ({ loops, guards, value }) =>
      emitLoops(kernel, loops, () => emitGuarded(kernel, guards, () => accumulator.add(value))),
  };
}

/** Loads or stores the memory cell in which a total waits for the next call. */
function emitTransferTotal(
  kernel: Kernel,
  { definition, element }: Totals,
  { local }: Accumulator,
  what: "load" | "store",
): void {
  const { pointer, offset } = emitReadAddress(kernel, cellAsRead(definition, element, []));
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, pointer);
  if (what === "store") get(code, { local });
  memory(code, what === "load" ? loadOf(element) : storeOf(element), offset);
  if (what === "load") set(code, local);
}

/**
 * A total for each cell along the axes after the walked one. These totals stay in memory between
 * calls.
 */
function totalsInMemory(kernel: Kernel, { totals }: Running, after: readonly Side[]): Totalling {
  const start = initialTotals(totals, after);
  const indices = after.map(coordinateScalar);
  return {
    begin: () =>
      emitMap(kernel, { sized: start, indices, only: start.regions[0]!.cases[0]! }, after),
    resume: () => undefined,
    leave: () => undefined,
    publish: () => undefined,
    add({ loops, guards, ...body }) {
      const inside = guards.filter((guard) => usesAny(guard, loopsOfSides(after)));
      const outside = guards.filter((guard) => !inside.includes(guard));
      emitLoops(kernel, loops, () =>
        emitGuarded(kernel, outside, () =>
          emitAdditions(kernel, totals, after, { ...body, loops: [], guards: [] }, inside, after),
        ),
      );
    },
  };
}
