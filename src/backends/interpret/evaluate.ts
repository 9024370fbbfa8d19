// Evaluates definitions. The last clause that has a cell decides its value; the schedule decides
// the order of the cells.
//
//     let h[t in 0..9] = 1.0;
//     let h[t in 1..9] = 0.5 * h[t - 1];   // wins in every cell but h[0]

import { atCall } from "../../diagnostics/at-call.ts";
import { error, Fault } from "../../diagnostics/diagnostic.ts";
import type { Clause, Definition } from "../../ir/program.ts";
import type { Schedule } from "../../analyse/schedule.ts";
import { allocateStore, literalStore, type Machine, type Store } from "./machine.ts";
import { inCell } from "./blame.ts";
import { cellsText, type Compute, type Computes } from "./cells.ts";
import { nameInSource } from "../../analyse/name-in-source.ts";
import type { Scalar as Value } from "../../scalar/types.ts";
import { isRunning, prepareLoop, prepareReduction, prepareScatter, scatterTies } from "./reduce.ts";
import { trapped, trappedLocal } from "./trap.ts";
import { isTrapped, TrappedLocal } from "./trap-values.ts";
import type { Evaluate } from "./scalars/evaluators.ts";
import { compile, compileTerm, compileWhole } from "./scalars/scalars.ts";

/** Computes the definitions of a schedule. Everything else that they read has been computed. */
export function evaluateSchedule(machine: Machine, schedule: Schedule): void {
  const stores = new Map<Definition, Store>();
  for (const definition of schedule.definitions)
    stores.set(definition, storeFor(machine, definition, schedule.recurrent));
  const cells = new Map<Definition, Cells>();
  for (const [definition, store] of stores) {
    const computes = computesOf(machine, definition, store, schedule.recurrent);
    cells.set(definition, { store, computes, position: store.shape.map(() => 0), absent: 0 });
  }
  stepsOf(machine, schedule, cells, new Map())();
  for (const [definition, store] of stores) if (!isRagged(definition)) delete store.done;
}

/** A definition that is ready to be computed, cell by cell. */
interface Cells {
  readonly store: Store;
  readonly computes: Computes;
  /** The position of the loops of the schedule, and of the walk over the other axes. */
  readonly position: number[];
  /** How many of the loops around stand beyond the end of an axis of this definition. */
  absent: number;
}

/** The axes of a definition that loops of the schedule hold. */
type Held = ReadonlyMap<Definition, ReadonlySet<number>>;

/** The steps of a schedule as one function. */
function stepsOf(
  machine: Machine,
  schedule: Schedule,
  cells: ReadonlyMap<Definition, Cells>,
  held: Held,
): () => void {
  const steps = schedule.steps.map((step) => {
    if (step.kind === "cells")
      return walkOf(machine, cells.get(step.definition)!, held.get(step.definition) ?? new Set());
    const own = [...step.axes].map(([definition, axis]) => ({
      axis,
      cells: cells.get(definition)!,
    }));
    const around = new Map(held);
    for (const [definition, axis] of step.axes)
      around.set(definition, new Set([...(held.get(definition) ?? []), axis]));
    return loopOf(own, step.reversed, stepsOf(machine, step.body, cells, around));
  });
  const [only] = steps;
  return steps.length === 1 ? only! : () => steps.forEach((step) => step());
}

function loopOf(
  own: readonly { readonly axis: number; readonly cells: Cells }[],
  reversed: boolean,
  body: () => void,
): () => void {
  const extents = own.map(({ axis, cells }) => cells.store.shape[axis]!);
  const extent = Math.max(0, ...extents);
  return () => {
    for (let count = 0; count < extent; count++) {
      const at = reversed ? extent - 1 - count : count;
      for (let k = 0; k < own.length; k++) {
        const { axis, cells } = own[k]!;
        cells.position[axis] = at;
        if (at >= extents[k]!) cells.absent++;
      }
      body();
      for (let k = 0; k < own.length; k++) if (at >= extents[k]!) own[k]!.cells.absent--;
    }
  };
}

/** Visits every cell in row-major order; the held axes stay where they are. */
function walkOf(machine: Machine, cells: Cells, held: ReadonlySet<number>): () => void {
  const { store, position, computes } = cells;
  const free = store.shape.map((_, axis) => axis).filter((axis) => !held.has(axis));
  const isInRows = store.shape.length > 0 && free.at(-1) === store.shape.length - 1;
  const descend = (isInRows ? free.slice(0, -1) : free).reduceRight<() => void>(
    (inner, axis) => () => {
      for (let at = 0; at < store.shape[axis]!; at++) {
        position[axis] = at;
        inner();
      }
    },
    isInRows ? () => computes.row(position) : () => computes.cell(position),
  );
  return () => {
    if (cells.absent > 0) return;
    machine.held = held;
    descend();
  };
}

/** The extents of a definition. */
export function shapeInRun(machine: Machine, definition: Definition): readonly number[] {
  return definition.axes.map((axis) => Math.max(0, compileTerm(machine, axis.extent)()));
}

/** The store of a definition. The cells of a literal are in it already. */
function storeFor(machine: Machine, definition: Definition, recurrent: boolean): Store {
  const shape = shapeInRun(machine, definition);
  const isLiteral = definition.origin === "literal";
  const store = isLiteral
    ? literalStore(machine, definition, shape)
    : allocateStore(machine, definition, shape);
  if ((recurrent || isRagged(definition)) && !isLiteral)
    store.done = new Uint8Array(store.value.data.length);
  machine.stores.set(definition, store);
  return store;
}

function computesOf(
  machine: Machine,
  definition: Definition,
  store: Store,
  recurrent: boolean,
): Computes {
  if (definition.origin === "literal") return { cell: () => undefined, row: () => undefined };
  const never = (position: readonly number[]): never => {
    throw neverDefined(definition, position);
  };
  const closure = closureOf(machine, definition, store, recurrent);
  // A trap looks at the variables of the closures. Ragged rows and running reductions go on from
  // cell to cell.
  const needsClosures =
    machine.trap !== undefined || isRagged(definition) || definition.clauses.some(isRunning);
  if (needsClosures || workOfCells(machine, definition, store) < machine.written)
    return { cell: closure, row: cellByCell(closure, store) };
  const written = cellsText(machine, definition, store, recurrent, never);
  // A fault is reported by the closures: they know the coordinates, and they test guards in the
  // order in which they are written, so they also decide whether there is a fault at all.
  let isTrusted = true;
  const orClosure =
    <P extends readonly number[]>(
      compute: (position: P) => void,
      otherwise: (position: P) => void,
    ) =>
    (position: P): void => {
      if (!isTrusted) return otherwise(position);
      try {
        compute(position);
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
        isTrusted = false;
        otherwise(position);
      }
    };
  return {
    cell: orClosure(written.cell, closure),
    row: orClosure(written.row, cellByCell(closure, store)),
  };
}

function cellByCell(cell: Compute, { shape }: Store): Computes["row"] {
  const last = shape.length - 1;
  return (position) => {
    for (let at = 0; at < shape[last]!; at++) {
      position[last] = at;
      cell(position);
    }
  };
}

function closureOf(
  machine: Machine,
  definition: Definition,
  store: Store,
  recurrent: boolean,
): Compute {
  const settle = settler(machine, definition, store, recurrent);
  const { strides } = store;
  return (position) => {
    const offset = position.reduce((sum, p, axis) => sum + p * strides[axis]!, 0);
    const owner = settle(position, offset);
    if (store.done && (owner !== "nobody" || !isRagged(definition))) store.done[offset] = 1;
  };
}

/** Computes, and reports a fault inside the standard library at the call in the program. */
function atItsCall<P extends readonly unknown[], R>(
  { call }: Definition,
  compute: (...given: P) => R,
): (...given: P) => R {
  if (!call) return compute;
  return (...given) => {
    try {
      return compute(...given);
    } catch (fault) {
      throw fault instanceof Fault ? new Fault(atCall(fault.diagnostic, call), fault.at) : fault;
    }
  };
}

/**
 * What gives a cell its value: a clause; the `else` of the last clause whose range has the cell; 0
 * if that clause has no `else`; or nobody, if no range has the cell.
 */
type Owner = "clause" | "otherwise" | "zero" | "nobody";

/**
 * Computes a cell, stores its value if something gives it one other than 0, and says what gave it.
 */
export function settler(
  machine: Machine,
  definition: Definition,
  store: Store,
  byCell: boolean,
): (position: readonly number[], offset: number) => Owner {
  const clauses = definition.clauses
    .map((clause) => prepareClause(machine, definition, clause, byCell))
    .reverse();
  const mustBeOwned = definition.origin === "declared" && definition.outer === 0;
  return atItsCall(definition, (position, offset) => {
    let fallback: PreparedClause | undefined;
    for (const clause of clauses) {
      machine.tick++;
      if (!clause.holds(position)) continue;
      const value = clause.owned(position);
      if (value !== undefined) {
        store.set(offset, value);
        return "clause";
      }
      fallback ??= clause;
    }
    if (!fallback && mustBeOwned) throw neverDefined(definition, position);
    if (!fallback) return "nobody";
    if (!fallback.otherwise) return "zero";
    fallback.holds(position);
    store.set(offset, fallback.otherwise(position)!);
    return "otherwise";
  });
}

/** How many cells a definition has, times the number of terms of each sum whose range is known. */
function workOfCells(machine: Machine, definition: Definition, store: Store): number {
  const terms = definition.clauses.map(({ body }) => {
    if (body.kind === "map") return 1;
    return body.loops.reduce((product, { from, to }) => {
      if (from.kind !== "integer" || to.kind !== "integer") return product;
      const length = compileTerm(machine, to.term)() - compileTerm(machine, from.term)();
      return product * (length > 1 ? length : 1);
    }, 1);
  });
  return store.value.data.length * Math.max(1, ...terms);
}

/**
 * Whether a definition has rows of different lengths. Positions behind the end of a row are no
 * cells, and stay marked as absent.
 */
export function isRagged({ axes }: Definition): boolean {
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
  /**
   * Sets the clause's coordinates to a position, and says whether the clause's ranges contain it.
   */
  readonly holds: (position: readonly number[]) => boolean;
  /** The value of the cell, or `undefined` if a guard of the clause does not hold. */
  readonly owned: ValueAt;
  /** The value of the cell if no guard of any clause holds. */
  readonly otherwise?: ValueAt;
}

type ValueAt = (position: readonly number[]) => Value | undefined;

/**
 * The value that a clause computes. A scatter walks its own loops once for all cells. If cells come
 * one at a time, each cell gathers its own terms.
 */
function prepareBody(machine: Machine, clause: Clause, byCell: boolean): Evaluate {
  const { body } = clause;
  if (body.kind === "map") return compileWhole(machine, body.value);
  const ties = scatterTies(clause, byCell);
  return ties.length > 0
    ? prepareScatter(machine, clause, body, ties)
    : prepareReduction(machine, clause, body);
}

function prepareClause(
  machine: Machine,
  definition: Definition,
  clause: Clause,
  byCell: boolean,
): PreparedClause {
  const { values } = machine;
  const loops = clause.loops.map((loop) => prepareLoop(machine, loop));
  const guards = clause.guards.map((guard) => compile(machine, guard));
  const value = prepareBody(machine, clause, byCell);
  const otherwise = elseOf(clause);
  return {
    holds(position) {
      for (const [axis, loop] of loops.entries()) {
        const at = position[axis]!;
        if (at < loop.from() || at >= loop.to()) return false;
        values[loop.slot] = at;
      }
      return true;
    },
    owned: withBlame(machine, definition, clause, () =>
      guards.every((guard) => guard()) ? value() : undefined,
    ),
    ...(otherwise
      ? {
          otherwise: withBlame(
            machine,
            definition,
            otherwise,
            prepareBody(machine, otherwise, byCell),
          ),
        }
      : {}),
  };
}

/** The `else` of a clause, as a clause with that value. */
function elseOf(clause: Clause): Clause | undefined {
  return clause.otherwise && { ...clause, body: { kind: "map", value: clause.otherwise } };
}

/** Computes the value of a clause. A fault gets a message that names the cell. */
function withBlame(
  machine: Machine,
  definition: Definition,
  clause: Clause,
  evaluate: () => Value | undefined,
): ValueAt {
  const valueAt: ValueAt = (position) => {
    try {
      return evaluate();
    } catch (fault) {
      if (fault instanceof TrappedLocal)
        throw trappedLocal(machine, definition, clause, position, fault);
      throw inCell(machine, fault, definition, clause, position);
    }
  };
  if (machine.trap !== "nan") return valueAt;
  return (position) => {
    const value = valueAt(position);
    if (value !== undefined && isTrapped(value))
      throw trapped(machine, definition, clause, position, value);
    return value;
  };
}
