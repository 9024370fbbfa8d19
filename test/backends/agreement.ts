// Checks whether the cells that a backend computed satisfy the equations of their definitions.
//
// Every cell is computed again by plain evaluation of its own equation. The values that the
// equation reads are those of the backend, and a bound says how far the cell may be off
// (tolerance.ts). So errors do not accumulate from definition to definition, nor from step to step
// of a recurrence. Cells that the backend has not kept are evaluated, with their bounds, where they
// are read.

import {
  compile,
  compileInteger,
  compileTerm,
} from "../../src/backends/interpret/scalars/scalars.ts";
import type { Machine } from "../../src/backends/interpret/machine.ts";
import { prepareLoop, walkLoops } from "../../src/backends/interpret/reduce.ts";
import {
  boundCast,
  boundOperation,
  boundReduction,
  boundShare,
  boundStored,
  exact,
  isNear,
  spreadOf,
  spreadOfProduct,
  spreadOfQuotient,
  unknown,
  type Bounded,
  type Spread,
  type Term,
} from "../support/tolerance.ts";
import { showScalar } from "../../src/scalar/values/show.ts";
import { indicesOf, sizeOf, stridesOf } from "../../src/scalar/values/value.ts";
import { eachScalar, withoutLocals } from "../../src/ir/parts.ts";
import type { Clause, Definition, Local, Scalar } from "../../src/ir/program.ts";
import { readsOfFunction } from "../../src/ir/references.ts";
import { cast } from "../../src/scalar/casts.ts";
import { reductionRow } from "../../src/scalar/reductions.ts";
import { sumsByPlace } from "../../src/scalar/totals.ts";
import { isFloat, zeroOf, type Data, type Scalar as Value } from "../../src/scalar/types.ts";
import { isContraction, isOfProducts } from "../../src/plan/reductions/product.ts";

export interface Agreement {
  /** The number of compared cells, and of cells that cannot be compared. */
  readonly compared: number;
  readonly skipped: number;
  /** Descriptions of the first wrong cells. */
  readonly problems: readonly string[];
}

/** Compares the definitions whose cells a machine has with their equations. */
export function agreementOf(machine: Machine, definitions: readonly Definition[]): Agreement {
  const total = { compared: 0, skipped: 0, problems: [] as string[] };
  for (const definition of definitions) {
    if (
      definition.origin === "input" ||
      definition.origin === "literal" ||
      !machine.stores.has(definition)
    )
      continue;
    compareCells(machine, definition, total);
  }
  return total;
}

type Evaluate = () => Bounded;

interface World {
  readonly machine: Machine;
  readonly locals: Map<Local, Evaluate>;
  /** Cells that no store has, computed on request. */
  readonly unkept: Map<Definition, Unkept>;
}

interface Unkept {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly cellAt: (offset: number) => Bounded;
}

const mostProblems = 3;

function compareCells(
  machine: Machine,
  definition: Definition,
  total: { compared: number; skipped: number; problems: string[] },
): void {
  const world: World = { machine, locals: new Map(), unkept: new Map() };
  const { shape, get } = machine.stores.get(definition)!;
  const type = machine.typeOf(definition.element);
  const wanted = definition.axes.map((axis) => Math.max(0, compileTerm(machine, axis.extent)()));
  if (wanted.join() !== shape.join()) {
    total.problems.push(
      `${definition.name} has shape [${shape.join()}] instead of [${wanted.join()}]`,
    );
    return;
  }
  const clauses = definition.clauses.map((clause) => prepareClause(world, clause)).reverse();
  for (let offset = 0; offset < sizeOf(shape) && total.problems.length < mostProblems; offset++) {
    const position = indicesOf(shape, offset);
    const cell = boundStored(type, cellAt(world, clauses, position, zeroOf(type)));
    if (cell.error === unknown) {
      total.skipped++;
      continue;
    }
    total.compared++;
    const got = get(offset);
    if (type === "data" ? isSameData(got, cell.value) : isNear(got, cell)) continue;
    const [shown, right] = [got, cell.value].map((value) =>
      Object.is(value, -0) ? "-0" : showScalar(type, value),
    );
    total.problems.push(
      `${definition.name}[${position.join(", ")}] is ${shown}, ` +
        `and should be ${right}${cell.error > 0 ? ` ± ${cell.error}` : ""} (${type})`,
    );
  }
}

/** Whether two references lead to equal scalars, at any depth. */
function isSameData(left: Value, right: Value): boolean {
  const waiting: [Value | undefined, Value | undefined][] = [[left, right]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [a, b] = next;
    if (typeof a !== "object" || typeof b !== "object") {
      if (!Object.is(a, b)) return false;
    } else if (a !== b) {
      // For lists, and for totals by position, only the numbers at each position count.
      const [ours, theirs] = [partsOf(a), partsOf(b)] as readonly [
        readonly Value[],
        readonly Value[],
      ];
      if (ours.length !== theirs.length) return false;
      ours.forEach((part, k) => waiting.push([part, theirs[k]]));
    }
  }
  return true;
}

function partsOf(value: object): readonly unknown[] {
  return (Array.isArray(value) ? sumsByPlace(value as Data) : undefined) ?? Object.values(value);
}

/** The cells of a definition that the backend computed at their reads. */
function unkeptCells(world: World, definition: Definition): Unkept {
  const known = world.unkept.get(definition);
  if (known) return known;
  const { machine } = world;
  const type = machine.typeOf(definition.element);
  const shape = definition.axes.map((axis) => Math.max(0, compileTerm(machine, axis.extent)()));
  const cells = new Map<number, Bounded>();
  let clauses: readonly Prepared[] | undefined;
  const found: Unkept = {
    shape,
    strides: stridesOf(shape),
    cellAt(offset) {
      let cell = cells.get(offset);
      if (cell) return cell;
      clauses ??= definition.clauses.map((clause) => prepareClause(world, clause)).reverse();
      // The cell that asks keeps its coordinates in `values`; they are restored afterwards.
      const held = [...machine.values];
      cell = boundStored(type, cellAt(world, clauses, indicesOf(shape, offset), zeroOf(type)));
      for (const [slot, value] of held.entries()) machine.values[slot] = value;
      machine.tick++;
      cells.set(offset, cell);
      return cell;
    },
  };
  world.unkept.set(definition, found);
  return found;
}

function cellAt(
  world: World,
  clauses: readonly Prepared[],
  position: readonly number[],
  zero: Value,
): Bounded {
  let fallback: Prepared | undefined;
  for (const clause of clauses) {
    world.machine.tick++;
    if (!clause.holds(position)) continue;
    const owned = clause.owns();
    if (owned === undefined) return { value: zero, error: unknown };
    if (owned) return clause.value();
    fallback ??= clause;
  }
  if (!fallback?.otherwise) return exact(zero);
  world.machine.tick++;
  fallback.holds(position);
  return fallback.otherwise();
}

interface Prepared {
  readonly holds: (position: readonly number[]) => boolean;
  /** `undefined` if the guards cannot be decided. */
  readonly owns: () => boolean | undefined;
  readonly value: Evaluate;
  readonly otherwise?: Evaluate;
}

function prepareClause(world: World, clause: Clause): Prepared {
  const { machine } = world;
  const loops = clause.loops.map((loop) => prepareLoop(machine, loop));
  const owns = passes(world, clause.guards);
  return {
    holds(position) {
      for (const [axis, loop] of loops.entries()) {
        if (position[axis]! < loop.from() || position[axis]! >= loop.to()) return false;
        machine.values[loop.slot] = position[axis]!;
      }
      return true;
    },
    owns,
    value: prepareBody(world, clause),
    ...(clause.otherwise ? { otherwise: prepare(world, clause.otherwise) } : {}),
  };
}

/**
 * Whether all guards hold. `undefined` if a guard cannot be decided and no other guard is false.
 */
function passes(world: World, guards: readonly Scalar[]): () => boolean | undefined {
  const prepared = guards.map((guard) => prepare(world, guard));
  return () => {
    for (const guard of prepared) {
      const { value, error } = guard();
      if (error === unknown) return undefined;
      if (!value) return false;
    }
    return true;
  };
}

/**
 * Whether a sum may be computed in f32: as a contraction, or as a product of matrices if its cells
 * have rows and columns.
 */
function mayBeMultiplied({ loops, body }: Clause): boolean {
  if (body.kind === "map") return false;
  return isContraction(body) || (loops.length > 1 && isOfProducts(body));
}

function prepareBody(world: World, clause: Clause): Evaluate {
  const { body } = clause;
  if (body.kind === "map") return prepare(world, body.value);
  const isMultiplied = mayBeMultiplied(clause);
  const { machine } = world;
  const { values } = machine;
  const type = machine.typeOf(body.value.type);
  const loops = body.loops.map((loop) => prepareLoop(machine, loop));
  const owns = passes(world, body.guards);
  const value = prepare(world, body.value);
  const spread = prepareSpread(world, body.value);
  const row = reductionRow(body.reduction);
  return () => {
    const accumulator = row.start(type);
    const terms: Term[] = [];
    walkLoops(machine, loops, () => {
      const counts = owns();
      if (counts === false) return;
      const term = counts === undefined ? { value: zeroOf(type), error: unknown } : value();
      terms.push(spread ? { ...term, spread: spread() } : term);
      accumulator.step(term.value, loops.length === 0 ? 0 : values[loops[0]!.slot]!);
    });
    machine.tick++;
    return boundReduction(body.reduction, type, accumulator.finish(), terms, isMultiplied);
  };
}

/** The spread of a term made of products, quotients and choices. `undefined` for other terms. */
function prepareSpread(world: World, scalar: Scalar): (() => Spread) | undefined {
  const inside = (part: Scalar): (() => Spread) => {
    const within = prepareSpread(world, part);
    if (within) return within;
    const value = prepare(world, part);
    return () => spreadOf(value());
  };
  switch (scalar.kind) {
    case "apply": {
      if (!isFloat(world.machine.typeOf(scalar.within))) return undefined;
      const [a, b] = scalar.operands;
      if (scalar.operation === "negate") return prepareSpread(world, a!);
      const together = { multiply: spreadOfProduct, divide: spreadOfQuotient }[
        scalar.operation as string
      ];
      if (!together) return undefined;
      const [left, right] = [inside(a!), inside(b!)];
      return () => together(left(), right());
    }
    case "local":
      return prepareSpread(world, scalar.local.value);
    case "cast":
      return prepareSpread(world, scalar.operand);
    case "select": {
      const sides = [prepareSpread(world, scalar.then), prepareSpread(world, scalar.otherwise)];
      if (!sides[0] && !sides[1]) return undefined;
      const [condition, then, otherwise] = [
        prepare(world, scalar.condition),
        inside(scalar.then),
        inside(scalar.otherwise),
      ];
      return () => (condition().value ? then() : otherwise());
    }
    default:
      return undefined;
  }
}

/** The logsumexp on the right side of a difference. */
function logsumexpIn(difference: Scalar): Scalar | undefined {
  const value = withoutLocals(difference);
  if (value.kind !== "apply" || value.operation !== "subtract") return undefined;
  const total = withoutLocals(value.operands[1]!);
  if (total.kind !== "read") return undefined;
  const [only] = total.definition.clauses;
  return only?.body.kind === "reduce" && only.body.reduction === "logsumexp" ? total : undefined;
}

/** The definitions that a scalar reads, including reads in the functions that it calls. */
function readsIn(scalar: Scalar): readonly Definition[] {
  const found = new Set<Definition>();
  eachScalar(scalar, (part) => {
    if (part.kind === "read") found.add(part.definition);
    if (part.kind === "call")
      for (const read of readsOfFunction(part.invocation.function)) found.add(read);
  });
  return [...found];
}

function prepare(world: World, scalar: Scalar): Evaluate {
  const { machine } = world;
  switch (scalar.kind) {
    case "constant":
    case "integer":
    case "text":
    case "data":
    case "call": {
      // The oracle computes functions and strings on every backend. If nobody kept their values,
      // they cannot be compared.
      const evaluate = compile(machine, scalar);
      const reads = readsIn(scalar);
      const zero = zeroOf(machine.typeOf(scalar.type));
      return () =>
        reads.every((read) => machine.stores.has(read))
          ? exact(evaluate())
          : { value: zero, error: unknown };
    }
    case "read":
      return prepareRead(world, scalar);
    case "apply": {
      const operands = scalar.operands.map((operand) => prepare(world, operand));
      const within = machine.typeOf(scalar.within);
      const [a, b] = operands;
      if (scalar.operation === "and" || scalar.operation === "or") {
        const decides = scalar.operation === "or";
        return () => {
          const first = a!();
          return first.error === 0 && first.value === decides
            ? first
            : boundOperation(scalar.operation, within, [first, b!()]);
        };
      }
      const total = scalar.operation === "exp" ? logsumexpIn(scalar.operands[0]!) : undefined;
      if (total && isFloat(within)) {
        const whole = prepare(world, total);
        return () => boundOperation("exp", within, [boundShare(within, a!(), whole())]);
      }
      return () =>
        boundOperation(
          scalar.operation,
          within,
          operands.map((operand) => operand()),
        );
    }
    case "cast": {
      const operand = prepare(world, scalar.operand);
      const [from, to] = [machine.typeOf(scalar.operand.type), machine.typeOf(scalar.type)];
      return from === to
        ? operand
        : () => boundCast(operand(), to, (value) => cast(from, to, value));
    }
    case "select": {
      const [condition, then, otherwise] = [scalar.condition, scalar.then, scalar.otherwise].map(
        (part) => prepare(world, part),
      );
      return () => {
        const { value, error } = condition!();
        if (error === unknown) return { value: zeroOf(scalar.type), error: unknown };
        return value ? then!() : otherwise!();
      };
    }
    case "local":
      return prepareLocal(world, scalar.local);
    case "parameter":
      throw new Error(`the parameter ${scalar.parameter.name} stands outside of its function`);
    default:
      return scalar satisfies never;
  }
}

function prepareLocal(world: World, local: Local): Evaluate {
  const known = world.locals.get(local);
  if (known) return known;
  const value = prepare(world, local.value);
  let tick = -1;
  let held = exact(0);
  const evaluate = (): Bounded => {
    if (tick !== world.machine.tick) {
      held = value();
      tick = world.machine.tick;
    }
    return held;
  };
  world.locals.set(local, evaluate);
  return evaluate;
}

function prepareRead(world: World, scalar: Extract<Scalar, { kind: "read" }>): Evaluate {
  const { machine } = world;
  const { definition } = scalar;
  const indices = scalar.indices.map((index): (() => number | undefined) => {
    if (index.kind === "integer") return compileInteger(machine, index);
    const evaluate = prepare(world, index);
    return () => {
      const { value, error } = evaluate();
      return error === unknown ? undefined : Number(value);
    };
  });
  const zero = zeroOf(machine.typeOf(scalar.type));
  return () => {
    const store = machine.stores.get(definition);
    const { shape, strides } = store ?? unkeptCells(world, definition);
    let offset = 0;
    for (const [axis, index] of indices.entries()) {
      const at = index();
      if (at === undefined) return { value: zero, error: unknown };
      if (!(at >= 0 && at < shape[axis]!))
        throw new Error(`index ${at} on axis ${axis} of ${definition.name}`);
      offset += at * strides[axis]!;
    }
    return store ? exact(store.get(offset)) : unkeptCells(world, definition).cellAt(offset);
  };
}

/** Whether two tensors have the same bits. All NaNs count as equal. */
export function isSame(a: ArrayLike<Value>, b: ArrayLike<Value>): boolean {
  return a.length === b.length && Array.from(a).every((x, k) => Object.is(x, b[k]));
}
