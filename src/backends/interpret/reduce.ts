// Reductions on the oracle. A reduction is gathered for one cell, or scattered: if its guards
// choose the cell of each term, one walk over the terms fills all cells.
//
//     let y[i] = sum[k](A[i, k]);                       // gathered
//     let s[p in 0..9] = sum[i](v[i] where at[i] == p); // scattered

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { ArithmeticFault, faultReasons } from "../../scalar/fault.ts";
import { reductionRow, type Accumulator } from "../../scalar/reductions.ts";
import { isInteger, type Scalar as Value } from "../../scalar/types.ts";
import { pinsOf } from "../../analyse/pins.ts";
import { conjuncts, tiesOf, usesAny, type Tie } from "../../analyse/ties.ts";
import { coordinates, inReduction } from "./blame.ts";
import type { Evaluate } from "./scalars/evaluators.ts";
import type { Machine, Store } from "./machine.ts";
import { compile, compileInteger, compileWhole, type EvaluateInteger } from "./scalars/scalars.ts";
import { watchedTotal } from "./wrapping.ts";

export type Reduction = Extract<Clause["body"], { kind: "reduce" }>;

/**
 * The guards that choose the cells of a reduction's terms. In a recurrence the cells come one at a
 * time, so each cell gathers its own terms.
 */
export function scatterTies({ loops, body }: Clause, recurrent: boolean): readonly Tie[] {
  return body.kind === "map" || recurrent ? [] : tiesOf(loops, body.loops, body.guards);
}

/**
 * The conditions of a scatter, with those on its cells. Conditions that do not need the tied
 * positions come first: they may protect the lookups that give those positions.
 */
export function aroundTies(
  clause: Clause,
  body: Reduction,
  tied: readonly Loop[],
): Record<"first" | "rest", readonly Scalar[]> {
  const conditions = [...clause.guards, ...body.guards].flatMap(conjuncts);
  const isTied = (each: Scalar): boolean => usesAny(each, tied);
  return { first: conditions.filter((each) => !isTied(each)), rest: conditions.filter(isTied) };
}

interface PreparedLoop {
  readonly slot: number;
  readonly from: EvaluateInteger;
  readonly to: EvaluateInteger;
  /** The one position that can count; `undefined` if it cannot be computed. */
  readonly only?: () => number | undefined;
}

export function prepareLoop(machine: Machine, loop: Loop): PreparedLoop {
  return {
    slot: machine.slotOf(loop.variable),
    from: compileInteger(machine, loop.from),
    to: compileInteger(machine, loop.to),
  };
}

/**
 * Calls `visit` at every position of the loops; the last loop is the innermost. The bounds of a
 * loop are computed for each position of the loops around it.
 */
export function walkLoops(
  machine: Machine,
  loops: readonly PreparedLoop[],
  visit: () => void,
): void {
  const { values } = machine;
  const descend = (depth: number): void => {
    const loop = loops[depth];
    if (!loop) return visit();
    const to = loop.to();
    const from = loop.from();
    const only = loop.only && from < to ? loop.only() : undefined;
    // If the position that counts is out of range, the first one is visited in its place, so that
    // the lookups in its guards still take place.
    const first = only !== undefined && only > from && only < to ? only : from;
    for (let at = first; at < (only === undefined ? to : first + 1); at++) {
      values[loop.slot] = at;
      machine.tick++;
      descend(depth + 1);
    }
  };
  descend(0);
}

/**
 * The loops of a reduction. A loop that a guard pins visits only the position that the guard
 * leaves.
 */
function pinnedLoops(machine: Machine, { loops, guards }: Reduction): readonly PreparedLoop[] {
  const pins = pinsOf(loops, guards);
  return loops.map((loop, k) => {
    const pin = pins[k] && compileInteger(machine, pins[k]);
    const prepared = prepareLoop(machine, loop);
    return pin ? { ...prepared, only: () => valueOrUndefined(pin) } : prepared;
  });
}

/** An integer that is asked for before the guards that may protect it; `undefined` if it fails. */
export function valueOrUndefined(evaluate: EvaluateInteger): number | undefined {
  try {
    return evaluate();
  } catch {
    return undefined;
  }
}

/** Makes accumulators that have met no term yet. */
function starterOf(machine: Machine, body: Reduction): () => Accumulator {
  const row = reductionRow(body.reduction);
  const type = machine.typeOf(body.value.type);
  if (machine.trap !== "overflow" || !isInteger(type)) return () => row.start(type);
  return () => watchedTotal(row.start(type), body, type, () => coordinates(machine, body.loops));
}

export function finish(accumulator: Accumulator, body: Reduction): Value {
  try {
    return accumulator.finish();
  } catch (fault) {
    if (!(fault instanceof ArithmeticFault)) throw fault;
    throw new Fault(
      error("E0903", fault.reason, body.span, {
        text: "no element passed",
        help: faultReasons[fault.reason],
      }),
    );
  }
}

/**
 * Compiles the term of a reduction. Under a trap, a term that is not finite shows in the result of
 * a sum, a product or a mean. Other reductions may pass it over, so their terms are watched.
 */
function compileElement(machine: Machine, { reduction, value }: Reduction): Evaluate {
  const shows = reduction === "sum" || reduction === "prod" || reduction === "mean";
  return shows ? compileWhole(machine, value) : compile(machine, value);
}

export function prepareReduction(machine: Machine, clause: Clause, body: Reduction): Evaluate {
  const { values } = machine;
  const start = starterOf(machine, body);
  const loops = body.loops.map((loop) => prepareLoop(machine, loop));
  const guards = body.guards.map((guard) => compile(machine, guard));
  const value = compileElement(machine, body);
  const position = loops[0]?.slot;
  const walkTerms = (accumulator: Accumulator, over: readonly PreparedLoop[]): void => {
    walkLoops(machine, over, () => {
      if (guards.every((guard) => guard()))
        accumulator.step(value(), position === undefined ? 0 : values[position]!);
    });
    machine.tick++;
  };
  const gather = (accumulator: Accumulator, over: readonly PreparedLoop[]): Value => {
    try {
      walkTerms(accumulator, over);
    } catch (fault) {
      throw inReduction(machine, fault, body.loops);
    }
    return finish(accumulator, body);
  };
  const fixed = runningOver(clause, body)?.map((loop) => machine.slotOf(loop.variable));
  if (!fixed) {
    const pinned = pinnedLoops(machine, body);
    if (!pinned.some((loop) => loop.only)) return () => gather(start(), loops);
    return () => {
      const accumulator = start();
      try {
        walkTerms(accumulator, pinned);
      } catch {
        // The walk over all positions finds the first position that fails.
        return gather(start(), loops);
      }
      return finish(accumulator, body);
    };
  }
  const [only] = loops;
  const running = new Map<string, Prefix>();
  return () => {
    const [from, to] = [only!.from(), only!.to()];
    const key = fixed.map((slot) => values[slot]).join();
    const known = running.get(key);
    const before = known && known.from === from && known.to <= to ? known : undefined;
    const accumulator = before?.accumulator ?? start();
    running.delete(key);
    const result = gather(accumulator, [
      { slot: only!.slot, from: () => before?.to ?? from, to: () => to },
    ]);
    running.set(key, { from, to: Math.max(from, to), accumulator });
    return result;
  };
}

/** Whether a clause is a running reduction: each cell goes on from the cell before it. */
export function isRunning(clause: Clause): boolean {
  return clause.body.kind === "reduce" && runningOver(clause, clause.body) !== undefined;
}

/** What has been accumulated over `from..to`. */
interface Prefix {
  readonly from: number;
  readonly to: number;
  readonly accumulator: Accumulator;
}

/**
 * Whether a reduction is running, as `sum[k in 0..i+1](d[k])`: some coordinates of the cell only
 * move its end, and its terms do not depend on them. Going on from the cell before gives the same
 * terms in the same order. The result has the coordinates on which the terms do depend.
 */
function runningOver({ loops }: Clause, body: Reduction): readonly Loop[] | undefined {
  const [reduced, ...others] = body.loops;
  if (!reduced || others.length > 0) return undefined;
  const terms = [reduced.from, body.value, ...body.guards];
  const fixed = loops.filter((loop) => terms.some((term) => usesAny(term, [loop])));
  const moving = loops.filter((loop) => !fixed.includes(loop) && usesAny(reduced.to, [loop]));
  return moving.length > 0 ? fixed : undefined;
}

/** Sums for every cell that are added up one position of a summed coordinate at a time. */
interface Accumulation {
  /** The range of the summed coordinate. */
  readonly from: number;
  readonly to: number;
  readonly at: (position: number) => void;
  readonly finish: () => void;
}

export function prepareAccumulation(
  machine: Machine,
  definition: Definition,
  store: Store,
  loop: Loop,
): Accumulation {
  const { values } = machine;
  const [clause] = definition.clauses;
  const body = clause!.body as Reduction;
  const start = starterOf(machine, body);
  const own = prepareLoop(machine, loop);
  const cells = clause!.loops.map((each) => prepareLoop(machine, each));
  const rest = body.loops.filter((each) => each !== loop).map((each) => prepareLoop(machine, each));
  const guards = body.guards.map((guard) => compile(machine, guard));
  const value = compileElement(machine, body);
  const size = store.value.data.length;
  const sums = Array.from({ length: size }, () => start());
  const offset = (): number =>
    cells.reduce((at, cell, axis) => at + values[cell.slot]! * store.strides[axis]!, 0);
  return {
    from: own.from(),
    to: own.to(),
    at(position) {
      values[own.slot] = position;
      walkLoops(machine, cells, () => {
        const sum = sums[offset()]!;
        walkLoops(machine, rest, () => {
          if (guards.every((guard) => guard())) sum.step(value(), position);
        });
        machine.tick++;
      });
    },
    finish() {
      for (const [k, sum] of sums.entries()) store.set(k, finish(sum, body));
    },
  };
}

/** The position of a cell: a text, or the number itself if there is one axis. */
type Key = string | number;

/**
 * Computes all cells of a scatter when the first one is asked for. The untied axes and the reduced
 * coordinates are walked in the order in which a gather would meet the terms; each term goes to the
 * positions that its ties give.
 */
export function prepareScatter(
  machine: Machine,
  clause: Clause,
  body: Reduction,
  ties: readonly Tie[],
): Evaluate {
  const { values } = machine;
  const start = starterOf(machine, body);
  const axes = clause.loops.map((loop) => prepareLoop(machine, loop));
  const tiedLoops = ties.map((tie) => clause.loops[tie.axis]!);
  const outer = axes.filter((_, axis) => !ties.some((tie) => tie.axis === axis));
  const reduced = body.loops.map((loop) => prepareLoop(machine, loop));
  const compileAll = (guards: readonly Scalar[]): readonly Evaluate[] =>
    guards.map((guard) => compile(machine, guard));
  const conditions = aroundTies(clause, body, tiedLoops);
  const [first, rest] = [compileAll(conditions.first), compileAll(conditions.rest)];
  const all = compileAll([...clause.guards, ...body.guards]);
  const tied = ties.map((tie): PreparedLoop => {
    const own = axes[tie.axis]!;
    const [from, to] = [compileInteger(machine, tie.from), compileInteger(machine, tie.to)];
    return {
      slot: own.slot,
      from: () => Math.max(own.from(), from()),
      to: () => Math.min(own.to(), to()),
    };
  });
  const everywhere = ties.map((tie) => axes[tie.axis]!);
  const value = compileElement(machine, body);
  const position = reduced[0]?.slot;
  const [only] = axes;
  const keyOfCell = (): Key =>
    axes.length === 1 ? values[only!.slot]! : axes.map((axis) => values[axis.slot]).join();

  let cells: Map<Key, Accumulator> | undefined;
  const fill = (): Map<Key, Accumulator> => {
    const filled = new Map<Key, Accumulator>();
    const held = axes.map((axis) => values[axis.slot]!);
    const add = (): void => {
      const key = keyOfCell();
      let accumulator = filled.get(key);
      if (!accumulator) filled.set(key, (accumulator = start()));
      accumulator.step(value(), position === undefined ? 0 : values[position]!);
    };
    const send = (): void => {
      let isPlaced = false;
      try {
        if (first.every((guard) => guard()))
          walkLoops(machine, tied, () => {
            isPlaced = true;
            if (rest.every((guard) => guard())) add();
          });
      } catch (fault) {
        if (isPlaced) throw fault;
        // A guard that stands before a lookup may forbid it. The lookup was tried too early, so
        // every cell tests all guards in the order in which they are written.
        walkLoops(machine, everywhere, () => {
          if (all.every((guard) => guard())) add();
        });
      }
    };
    try {
      walkLoops(machine, outer, () => walkLoops(machine, reduced, send));
    } catch (fault) {
      throw inReduction(machine, fault, body.loops);
    }
    for (const [axis, at] of held.entries()) values[axes[axis]!.slot] = at;
    machine.tick++;
    return filled;
  };
  return () => {
    cells ??= fill();
    return finish(cells.get(keyOfCell()) ?? start(), body);
  };
}
