// Reductions on the oracle: gathered for one cell, or scattered over all of them at once where guards say where terms go.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import type { Clause, Definition, Loop } from "../../ir/program.ts";
import { ArithmeticFault, faultReasons } from "../../ir/scalar/fault.ts";
import { reductionRow, type Accumulator } from "../../ir/scalar/reductions.ts";
import type { Scalar as Value } from "../../ir/scalar/types.ts";
import { tiesOf, usesAny, type Tie } from "../../ir/ties.ts";
import type { Machine, Store } from "./machine.ts";
import { compile, compileInteger, type Evaluate, type EvaluateInteger } from "./scalars.ts";

export type Reduction = Extract<Clause["body"], { kind: "reduce" }>;

/** Where the terms of a reduction go, if its guards say so; in a recurrence the cells come one at a time, and each gathers its terms. */
export function scatterTies({ loops, body }: Clause, recurrent: boolean): readonly Tie[] {
  return body.kind === "map" || recurrent ? [] : tiesOf(loops, body.loops, body.guards);
}

export interface PreparedLoop {
  readonly slot: number;
  readonly from: EvaluateInteger;
  readonly to: EvaluateInteger;
}

export function prepareLoop(machine: Machine, loop: Loop): PreparedLoop {
  return {
    slot: machine.slotOf(loop.variable),
    from: compileInteger(machine, loop.from),
    to: compileInteger(machine, loop.to),
  };
}

/** Runs `visit` for every position of the loops, the last one innermost. */
function walkLoops(values: number[], loops: readonly PreparedLoop[], visit: () => void): void {
  const descend = (depth: number): void => {
    const loop = loops[depth];
    if (!loop) return visit();
    const to = loop.to();
    for (let at = loop.from(); at < to; at++) {
      values[loop.slot] = at;
      descend(depth + 1);
    }
  };
  descend(0);
}

export function finish(accumulator: Accumulator, definition: Definition, body: Reduction): Value {
  try {
    return accumulator.finish();
  } catch (fault) {
    if (!(fault instanceof ArithmeticFault)) throw fault;
    throw new Fault(
      error("E0903", `${fault.reason}, in a cell of \`${definition.name}\``, body.span, {
        help: faultReasons[fault.reason],
      }),
    );
  }
}

export function prepareReduction(machine: Machine, definition: Definition, body: Reduction): Evaluate {
  const { values } = machine;
  const row = reductionRow(body.reduction);
  const type = machine.typeOf(body.value.type);
  const loops = body.loops.map((loop) => prepareLoop(machine, loop));
  const guards = body.guards.map((guard) => compile(machine, guard));
  const value = compile(machine, body.value);
  const position = loops[0]?.slot;
  return () => {
    const accumulator = row.start(type);
    walkLoops(values, loops, () => {
      machine.tick++;
      if (guards.every((guard) => guard())) accumulator.step(value(), position === undefined ? 0 : values[position]!);
    });
    machine.tick++;
    return finish(accumulator, definition, body);
  };
}

/** A sum for every cell that is added up one position of a summed coordinate at a time. */
export interface Accumulation {
  /** The range of that coordinate. */
  readonly from: number;
  readonly to: number;
  readonly at: (position: number) => void;
  readonly finish: () => void;
}

export function prepareAccumulation(machine: Machine, definition: Definition, store: Store, loop: Loop): Accumulation {
  const { values } = machine;
  const [clause] = definition.clauses;
  const body = clause!.body as Reduction;
  const row = reductionRow(body.reduction);
  const type = machine.typeOf(body.value.type);
  const own = prepareLoop(machine, loop);
  const cells = clause!.loops.map((each) => prepareLoop(machine, each));
  const rest = body.loops.filter((each) => each !== loop).map((each) => prepareLoop(machine, each));
  const guards = body.guards.map((guard) => compile(machine, guard));
  const value = compile(machine, body.value);
  const size = store.value.data.length;
  const sums = Array.from({ length: size }, () => row.start(type));
  const offset = (): number => cells.reduce((at, cell, axis) => at + values[cell.slot]! * store.strides[axis]!, 0);
  return {
    from: own.from(),
    to: own.to(),
    at(position) {
      values[own.slot] = position;
      walkLoops(values, cells, () => {
        const sum = sums[offset()]!;
        walkLoops(values, rest, () => {
          machine.tick++;
          if (guards.every((guard) => guard())) sum.step(value(), position);
        });
        machine.tick++;
      });
    },
    finish() {
      for (const [k, sum] of sums.entries()) store.set(k, finish(sum, definition, body));
    },
  };
}

/** The position of a cell: text, or the number itself where there is one axis. */
type Key = string | number;

/**
 * All cells of a scatter, filled on first use. For each position of the untied axes and of the reduced coordinates, in the
 * order in which a gather would meet them, the term goes to the positions that the ties give.
 */
export function prepareScatter(
  machine: Machine,
  definition: Definition,
  clause: Clause,
  body: Reduction,
  ties: readonly Tie[],
): Evaluate {
  const { values } = machine;
  const row = reductionRow(body.reduction);
  const type = machine.typeOf(body.value.type);
  const axes = clause.loops.map((loop) => prepareLoop(machine, loop));
  const tiedLoops = ties.map((tie) => clause.loops[tie.axis]!);
  const outer = axes.filter((_, axis) => !ties.some((tie) => tie.axis === axis));
  const reduced = body.loops.map((loop) => prepareLoop(machine, loop));
  // Guards that do not need the tied positions come first: they may protect the lookups that give them.
  const first = body.guards.filter((guard) => !usesAny(guard, tiedLoops)).map((guard) => compile(machine, guard));
  const rest = body.guards.filter((guard) => usesAny(guard, tiedLoops)).map((guard) => compile(machine, guard));
  const tied = ties.map((tie): PreparedLoop => {
    const own = axes[tie.axis]!;
    const [from, to] = [compileInteger(machine, tie.from), compileInteger(machine, tie.to)];
    return { slot: own.slot, from: () => Math.max(own.from(), from()), to: () => Math.min(own.to(), to()) };
  });
  const value = compile(machine, body.value);
  const position = reduced[0]?.slot;
  const [only] = axes;
  const keyOf = (): Key => (axes.length === 1 ? values[only!.slot]! : axes.map((axis) => values[axis.slot]).join());

  let cells: Map<Key, Accumulator> | undefined;
  const fill = (): Map<Key, Accumulator> => {
    const filled = new Map<Key, Accumulator>();
    const held = axes.map((axis) => values[axis.slot]!);
    walkLoops(values, [...outer, ...reduced], () => {
      machine.tick++;
      if (!first.every((guard) => guard())) return;
      walkLoops(values, tied, () => {
        machine.tick++;
        if (!rest.every((guard) => guard())) return;
        const key = keyOf();
        let accumulator = filled.get(key);
        if (!accumulator) filled.set(key, (accumulator = row.start(type)));
        accumulator.step(value(), position === undefined ? 0 : values[position]!);
      });
    });
    for (const [axis, at] of held.entries()) values[axes[axis]!.slot] = at;
    machine.tick++;
    return filled;
  };
  return () => {
    cells ??= fill();
    return finish(cells.get(keyOf()) ?? row.start(type), definition, body);
  };
}
