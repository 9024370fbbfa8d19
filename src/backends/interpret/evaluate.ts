// Evaluating definitions: what a cell is follows from its clauses, last one first; the order of cells from the schedule.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import type { Clause, Definition } from "../../ir/program.ts";
import type { Schedule } from "../../ir/schedule.ts";
import { fromScalars } from "../../host/value.ts";
import { allocateStore, storeOf, type Machine, type Store } from "./machine.ts";
import { tiesOf } from "../../ir/ties.ts";
import { prepareLoop, prepareReduction, prepareScatter } from "./reduce.ts";
import { nameInSource } from "../../ir/name-in-source.ts";
import { inCell } from "./blame.ts";
import type { Scalar as Value } from "../../ir/scalar/types.ts";
import { isTrapped, trapped } from "./trap.ts";
import { compile, compileTerm, type Evaluate } from "./scalars.ts";

/** Computes the definitions of a schedule, all of whose other reads are there already. */
export function evaluateSchedule(machine: Machine, schedule: Schedule): void {
  const cells = new Map<Definition, Cells>();
  for (const definition of schedule.definitions)
    cells.set(definition, prepare(machine, definition, schedule.recurrent));
  run(machine, schedule, cells, new Map());
  for (const [definition, { store }] of cells) if (!isRagged(definition)) delete store.done;
}

interface Cells {
  readonly store: Store;
  readonly compute: (position: readonly number[]) => void;
}

/** The positions at which enclosing loops of the schedule hold some axes of a definition. */
type Held = ReadonlyMap<Definition, ReadonlyMap<number, number>>;

function run(machine: Machine, schedule: Schedule, cells: ReadonlyMap<Definition, Cells>, held: Held): void {
  for (const step of schedule.steps) {
    if (step.kind === "cells") {
      machine.held = held.get(step.definition) ?? new Map();
      walk(cells.get(step.definition)!, machine.held);
      continue;
    }
    let extent = 0;
    for (const [definition, axis] of step.axes) extent = Math.max(extent, cells.get(definition)!.store.shape[axis]!);
    const inside = new Map(held);
    const own = [...step.axes].map(([definition, axis]) => {
      const at = new Map(held.get(definition));
      inside.set(definition, at);
      return { definition, axis, at, shape: cells.get(definition)!.store.shape[axis]! };
    });
    for (let count = 0; count < extent; count++) {
      const position = step.reversed ? extent - 1 - count : count;
      for (const { axis, at } of own) at.set(axis, position);
      const isShort = own.some(({ shape }) => position >= shape);
      const present = (): ReadonlySet<Definition> =>
        new Set(own.filter(({ shape }) => position < shape).map(({ definition }) => definition));
      run(machine, isShort ? only(step.body, present()) : step.body, cells, inside);
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
  if (recurrent || isRagged(definition)) store.done = new Uint8Array(store.value.data.length);
  machine.stores.set(definition, store);
  const clauses = definition.clauses.map((clause) => prepareClause(machine, definition, clause, recurrent)).reverse();
  const { strides } = store;
  const offsetOf = (position: readonly number[]): number =>
    position.reduce((sum, p, axis) => sum + p * strides[axis]!, 0);
  const compute = (position: readonly number[]): void => {
    const offset = offsetOf(position);
    let fallback: PreparedClause | undefined;
    for (const clause of clauses) {
      machine.tick++;
      if (!clause.holds(position)) continue;
      const value = clause.owned(position);
      if (value !== undefined) {
        if (machine.trap && isTrapped(value)) throw trapped(machine, definition, clause.clause, position, value);
        store.set(offset, value);
        if (store.done) store.done[offset] = 1;
        return;
      }
      fallback ??= clause;
    }
    if (!fallback && definition.origin === "declared" && definition.outer === 0)
      throw neverDefined(definition, position);
    if (fallback?.otherwise) {
      fallback.holds(position);
      store.set(offset, fallback.otherwise());
    }
    if (store.done && (fallback || !isRagged(definition))) store.done[offset] = 1;
  };
  return { store, compute };
}

/** Rows of different lengths: what is behind the end of one is no cell, and stays marked so. */
function isRagged({ axes }: Definition): boolean {
  return axes.some((axis) => axis.ragged);
}

function neverDefined(definition: Definition, position: readonly number[]): Fault {
  return new Fault(
    error(
      "E0601",
      `the cell \`${nameInSource(definition)}[${position.join(", ")}]\` is never defined`,
      definition.span,
      {
        help: "add a clause whose range holds it",
      },
    ),
  );
}

interface PreparedClause {
  readonly clause: Clause;
  /** Moves the clause's coordinates to the position; whether its ranges hold it. */
  readonly holds: (position: readonly number[]) => boolean;
  /** The value of the cell, where the guards give it to this clause. */
  readonly owned: (position: readonly number[]) => Value | undefined;
  readonly otherwise?: Evaluate;
}

/** A scatter walks its own loops once; inside a recurrence its cells come one at a time, and each gathers its terms. */
function prepareBody(machine: Machine, clause: Clause, recurrent: boolean): Evaluate {
  const { body } = clause;
  if (body.kind === "map") return compile(machine, body.value);
  const ties = recurrent ? [] : tiesOf(clause.loops, body.loops, body.guards);
  return ties.length > 0 ? prepareScatter(machine, clause, body, ties) : prepareReduction(machine, clause, body);
}

function prepareClause(machine: Machine, definition: Definition, clause: Clause, recurrent: boolean): PreparedClause {
  const { values } = machine;
  const loops = clause.loops.map((loop) => prepareLoop(machine, loop));
  const guards = clause.guards.map((guard) => compile(machine, guard));
  const value = prepareBody(machine, clause, recurrent);
  return {
    clause,
    holds(position) {
      for (const [axis, loop] of loops.entries()) {
        const at = position[axis]!;
        if (at < loop.from() || at >= loop.to()) return false;
        values[loop.slot] = at;
      }
      return true;
    },
    owned(position) {
      try {
        return guards.every((guard) => guard()) ? value() : undefined;
      } catch (fault) {
        throw inCell(machine, fault, definition, clause, position);
      }
    },
    ...(clause.otherwise ? { otherwise: compile(machine, clause.otherwise) } : {}),
  };
}
