// Evaluating definitions: what a cell is follows from its clauses, last one first; the order of cells from the schedule.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import type { Clause, Definition, Loop } from "../../ir/program.ts";
import type { Schedule } from "../../ir/schedule.ts";
import { ArithmeticFault, faultReasons } from "../../ir/scalar/fault.ts";
import { reductionRow } from "../../ir/scalar/reductions.ts";
import { fromScalars } from "../../host/value.ts";
import type { Scalar as Value } from "../../ir/scalar/types.ts";
import { allocateStore, storeOf, type Machine, type Store } from "./machine.ts";
import { compile, compileInteger, compileTerm, type Evaluate, type EvaluateInteger } from "./scalars.ts";

/** Computes the definitions of a schedule, all of whose other reads are there already. */
export function evaluateSchedule(machine: Machine, schedule: Schedule): void {
  const cells = new Map<Definition, Cells>();
  for (const definition of schedule.definitions)
    cells.set(definition, prepare(machine, definition, schedule.recurrent));
  run(schedule, cells, new Map());
  for (const { store } of cells.values()) delete store.done;
}

interface Cells {
  readonly store: Store;
  readonly compute: (position: readonly number[]) => void;
}

/** The positions at which enclosing loops of the schedule hold some axes of a definition. */
type Held = ReadonlyMap<Definition, ReadonlyMap<number, number>>;

function run(schedule: Schedule, cells: ReadonlyMap<Definition, Cells>, held: Held): void {
  for (const step of schedule.steps) {
    if (step.kind === "cells") {
      walk(cells.get(step.definition)!, held.get(step.definition) ?? new Map());
      continue;
    }
    let extent = 0;
    for (const [definition, axis] of step.axes) extent = Math.max(extent, cells.get(definition)!.store.shape[axis]!);
    for (let count = 0; count < extent; count++) {
      const position = step.reversed ? extent - 1 - count : count;
      const inside = new Map(held);
      const present = new Set<Definition>();
      for (const [definition, axis] of step.axes) {
        if (position >= cells.get(definition)!.store.shape[axis]!) continue;
        present.add(definition);
        inside.set(definition, new Map([...(held.get(definition) ?? []), [axis, position]]));
      }
      run(present.size === step.axes.size ? step.body : only(step.body, present), cells, inside);
    }
  }
}

/** The part of a schedule that concerns some definitions. */
function only(schedule: Schedule, present: ReadonlySet<Definition>): Schedule {
  const steps = schedule.steps.flatMap((step): Schedule["steps"] => {
    if (step.kind === "cells") return present.has(step.definition) ? [step] : [];
    const axes = new Map([...step.axes].filter(([definition]) => present.has(definition)));
    return axes.size === 0 ? [] : [{ ...step, axes, body: only(step.body, present) }];
  });
  return { ...schedule, steps };
}

/** Every cell with the held axes fixed, row-major. */
function walk(cells: Cells, held: ReadonlyMap<number, number>): void {
  const { shape } = cells.store;
  const position = shape.map((_, axis) => held.get(axis) ?? 0);
  if (shape.some((extent, axis) => !held.has(axis) && extent === 0)) return;
  for (;;) {
    cells.compute(position);
    let axis = shape.length - 1;
    for (; axis >= 0; axis--) {
      if (held.has(axis)) continue;
      position[axis]!++;
      if (position[axis]! < shape[axis]!) break;
      position[axis] = 0;
    }
    if (axis < 0) return;
  }
}

function prepare(machine: Machine, definition: Definition, recurrent: boolean): Cells {
  const shape = definition.axes.map((axis) => Math.max(0, compileTerm(machine, axis.extent)()));
  if (definition.origin === "literal") {
    const type = machine.typeOf(definition.element);
    const store = storeOf(fromScalars(type, shape, definition.cells!));
    machine.stores.set(definition, store);
    return { store, compute: () => undefined };
  }
  const store = allocateStore(machine, definition, shape);
  if (recurrent) store.done = new Uint8Array(store.value.data.length);
  machine.stores.set(definition, store);
  const clauses = definition.clauses.map((clause) => prepareClause(machine, definition, clause)).reverse();
  const { strides } = store;
  const offsetOf = (position: readonly number[]): number =>
    position.reduce((sum, p, axis) => sum + p * strides[axis]!, 0);
  const compute = (position: readonly number[]): void => {
    const offset = offsetOf(position);
    let fallback: PreparedClause | undefined;
    for (const clause of clauses) {
      machine.tick++;
      if (!clause.holds(position)) continue;
      if (clause.owns()) {
        store.set(offset, clause.value());
        if (store.done) store.done[offset] = 1;
        return;
      }
      fallback ??= clause;
    }
    if (!fallback && definition.origin === "declared") throw neverDefined(definition, position);
    if (fallback?.otherwise) {
      fallback.holds(position);
      store.set(offset, fallback.otherwise());
    }
    if (store.done) store.done[offset] = 1;
  };
  return { store, compute };
}

function neverDefined(definition: Definition, position: readonly number[]): Fault {
  return new Fault(
    error("E0601", `the cell \`${definition.name}[${position.join(", ")}]\` is never defined`, definition.span, {
      help: "add a clause whose range holds it",
    }),
  );
}

interface PreparedClause {
  /** Moves the clause's coordinates to the position; whether its ranges hold it. */
  readonly holds: (position: readonly number[]) => boolean;
  readonly owns: () => boolean;
  readonly value: Evaluate;
  readonly otherwise?: Evaluate;
}

function prepareClause(machine: Machine, definition: Definition, clause: Clause): PreparedClause {
  const { values } = machine;
  const loops = clause.loops.map((loop) => prepareLoop(machine, loop));
  const guards = clause.guards.map((guard) => compile(machine, guard));
  return {
    holds(position) {
      for (const [axis, loop] of loops.entries()) {
        const at = position[axis]!;
        if (at < loop.from() || at >= loop.to()) return false;
        values[loop.slot] = at;
      }
      return true;
    },
    owns: () => guards.every((guard) => guard()),
    value:
      clause.body.kind === "map"
        ? compile(machine, clause.body.value)
        : prepareReduction(machine, definition, clause.body),
    ...(clause.otherwise ? { otherwise: compile(machine, clause.otherwise) } : {}),
  };
}

interface PreparedLoop {
  readonly slot: number;
  readonly from: EvaluateInteger;
  readonly to: EvaluateInteger;
}

function prepareLoop(machine: Machine, loop: Loop): PreparedLoop {
  return {
    slot: machine.slotOf(loop.variable),
    from: compileInteger(machine, loop.from),
    to: compileInteger(machine, loop.to),
  };
}

function prepareReduction(
  machine: Machine,
  definition: Definition,
  body: Extract<Clause["body"], { kind: "reduce" }>,
): Evaluate {
  const { values } = machine;
  const row = reductionRow(body.reduction);
  const type = machine.typeOf(body.value.type);
  const loops = body.loops.map((loop) => prepareLoop(machine, loop));
  const guards = body.guards.map((guard) => compile(machine, guard));
  const value = compile(machine, body.value);
  const position = loops[0] ? loops[0].slot : -1;
  return (): Value => {
    const accumulator = row.start(type);
    const descend = (depth: number): void => {
      const loop = loops[depth];
      if (!loop) {
        machine.tick++;
        if (guards.every((guard) => guard())) accumulator.step(value(), position < 0 ? 0 : values[position]!);
        return;
      }
      const to = loop.to();
      for (let at = loop.from(); at < to; at++) {
        values[loop.slot] = at;
        descend(depth + 1);
      }
    };
    descend(0);
    machine.tick++;
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
  };
}
