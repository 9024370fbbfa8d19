// Finds the ranges from which integer inputs are drawn, so that a program runs with them. An
// integer that indexes axes must fit into the shortest of these axes. An integer that bounds a
// range must leave it some positions.
//
//    let y[i] = x[at[i]];   `at` is drawn from 0..extent(n), where n is the axis of x

import { beforeKeeping } from "../../autodiff/sweep/formulas.ts";
import type { DeclaredInput } from "../../lower/declared-input.ts";
import type { TensorValue } from "../../scalar/values/value.ts";
import { constant, constantOf, ofVariable, subtract, type Variable } from "../../affine/term.ts";
import { atMost, holds, lessThan, sameValue, type Fact } from "../../affine/prove.ts";
import { agreeing, asVariable, knownOfSizes } from "../../affine/agreeing.ts";
import { accessesOf, newOpaque, termOf, type Access, type Opaque } from "../../analyse/facts.ts";
import { integerOf } from "../../ir/integers.ts";
import { eachScalar, scalarsOf, scalarsOfFunction, allLoops } from "../../ir/parts.ts";
import type {
  Clause,
  Definition,
  Loop,
  Program,
  Scalar,
  ScalarFunction,
} from "../../ir/program.ts";
import { functionsFrom } from "../../ir/references.ts";
import { rootsOf } from "../../ir/roots.ts";
import { isInteger } from "../../scalar/types.ts";
import { reachable } from "../../analyse/schedule.ts";
import { bothWays, conjuncts, isCoordinate } from "../../analyse/ties.ts";
import type { Interval } from "../../plan/regions/intervals.ts";
import {
  anything,
  newNarrowing,
  drawnRange,
  usual,
  type Narrowing,
  type Placed,
} from "./narrowing.ts";

/** The range from which the integers of an input are drawn. */
export interface IntegerRange extends Interval {
  /**
   * The axis along which the integers grow: a cell is the start of a row, and the next cell its
   * end.
   */
  readonly ascending?: number;
}

/** Ranges that depend on one another settle in a few rounds. */
const rounds = 4;

/** A range for each integer input that is not given. `declared` has the sizes of the inputs. */
export function integerRanges(
  program: Program,
  declared: readonly DeclaredInput[],
  given: ReadonlyMap<string, TensorValue>,
): ReadonlyMap<string, IntegerRange> {
  const open = program.inputs.filter(({ name, element }) => isInteger(element) && !given.has(name));
  if (open.length === 0) return new Map();
  const sizes = sizesOf(program, declared);
  const definitions = reachable(rootsOf(program));
  // Clauses in which calls keep their frames are seen as they were before.
  const clauses = definitions.flatMap((definition) => definition.clauses).map(beforeKeeping);
  const calls = callsIn(clauses);
  const narrowing = newNarrowing(program, given, {
    sizeOf: (v) => sizes.get(v),
    argumentsFor: (v) => calls.passed.get(v) ?? [],
  });
  const ascending = new Map(clauses.flatMap(allLoops).flatMap(ascendingBounds));
  const accesses = [
    ...accessesTo(program, clauses, sizes, narrowing),
    ...accessesIn(calls.functions, narrowing),
  ];
  for (let round = 0; round < rounds; round++) {
    const last = new Map(narrowing.ranges);
    // Accesses that always happen come before accesses that depend on a condition on data.
    for (const { index, wanted, loops } of accesses.toSorted(
      (a, b) => Number(b.exact) - Number(a.exact),
    ))
      narrowing.demand(index, wanted(), loops);
    for (const definition of definitions) demandCells(narrowing, definition);
    for (const clause of clauses) demandComparedPositions(narrowing, clause);
    for (const clause of clauses) demandPositions(narrowing, clause, ascending);
    if (
      [...narrowing.ranges].every(([definition, range]) =>
        isSameInterval(range, last.get(definition)),
      )
    )
      break;
  }
  return new Map(
    open.map((definition) => {
      const axis = ascending.get(definition);
      return [
        definition.name,
        {
          ...drawnRange(narrowing.ranges.get(definition)),
          ...(axis === undefined ? {} : { ascending: axis }),
        },
      ];
    }),
  );
}

function isSameInterval(a: Interval, b: Interval | undefined): boolean {
  return a.least === b?.least && a.most === b.most;
}

/** The extents that follow from the sizes of the inputs. */
function sizesOf(
  { inputs, agreements, dimensions }: Program,
  declared: readonly DeclaredInput[],
): ReadonlyMap<Variable, number> {
  const leader = agreeing(agreements);
  const shapes = new Map(declared.map(({ name, shape = [] }) => [name, shape]));
  const axes = inputs.flatMap(({ name, axes: own }) =>
    own.map(({ extent }, k) => ({ extent, size: shapes.get(name)?.[k] })),
  );
  const sizes = new Map<Variable, number>();
  for (const { extent, size } of axes) {
    const v = asVariable(extent);
    if (v && typeof size === "number") sizes.set(leader(v), size);
  }
  const all = [...dimensions.values(), ...axes.flatMap(({ extent }) => asVariable(extent) ?? [])];
  return new Map(
    all.flatMap((v) => (sizes.has(leader(v)) ? [[v, sizes.get(leader(v))!] as const] : [])),
  );
}

/** An index that depends on a drawn integer, and the interval in which it must lie. */
interface OpenAccess {
  readonly index: Scalar;
  readonly wanted: () => Interval;
  readonly loops: readonly Loop[];
  readonly exact: boolean;
}

function accessesTo(
  program: Program,
  clauses: readonly Clause[],
  sizes: ReadonlyMap<Variable, number>,
  narrowing: Narrowing,
): readonly OpenAccess[] {
  const opaque = newOpaque();
  const pinned = [...sizes].map(([v, size]) => sameValue(ofVariable(v), constant(size)));
  const known: readonly Fact[] = [...pinned, ...knownOfSizes(program, sizes.keys())];
  return clauses.flatMap((clause) =>
    accessesOf(opaque, clause, known).flatMap((access) =>
      access.read.indices.flatMap((_, axis) => openAccess(opaque, access, axis, narrowing)),
    ),
  );
}

/** Gives nothing if the conditions around the access keep the index inside the axis. */
function openAccess(
  opaque: Opaque,
  access: Access,
  axis: number,
  narrowing: Narrowing,
): readonly OpenAccess[] {
  const { read, facts, loops, exact } = access;
  const { origin, axes, outer } = read.definition;
  const index = read.indices[axis]!;
  const own = axes[axis];
  // The compiler reads its own definitions only inside their bounds.
  if (!own || own.ragged || own.rows || (origin === "helper" && (!read.written || axis < outer)))
    return [];
  if (!narrowing.isOpen(index, loops)) return [];
  const term = termOf(opaque, index, facts);
  const isLow = holds(atMost(constant(0), term), facts);
  const isHigh = holds(lessThan(term, own.extent), facts);
  if (isLow && isHigh) return [];
  const wanted = (): Interval => ({
    least: isLow ? -Infinity : 0,
    most: isHigh ? Infinity : narrowing.valuesOfTerm(own.extent, []).least - 1,
  });
  return [{ index, loops, exact, wanted }];
}

/** Accesses of functions. Whether they happen depends on the arguments. */
function accessesIn(
  functions: ReadonlySet<ScalarFunction>,
  narrowing: Narrowing,
): readonly OpenAccess[] {
  const found: OpenAccess[] = [];
  for (const result of [...functions].flatMap(scalarsOfFunction))
    eachScalar(result, (part) => {
      if (part.kind !== "read") return;
      part.definition.axes.forEach(({ extent, ragged, rows }, axis) => {
        const index = part.indices[axis]!;
        if (ragged || rows || !narrowing.isOpen(index, [])) return;
        const wanted = (): Interval => ({
          least: 0,
          most: narrowing.valuesOfTerm(extent, []).least - 1,
        });
        found.push({ index, loops: [], exact: false, wanted });
      });
    });
  return found;
}

interface Calls {
  readonly functions: ReadonlySet<ScalarFunction>;
  /**
   * The arguments for each parameter. Inside a function, an argument may be a parameter of the
   * caller.
   */
  readonly passed: ReadonlyMap<Variable, readonly Placed[]>;
}

function callsIn(clauses: readonly Clause[]): Calls {
  const functions = new Set<ScalarFunction>();
  const passed = new Map<Variable, Placed[]>();
  const look = (part: Scalar, loops: readonly Loop[]): void => {
    if (part.kind !== "call") return;
    const { function: called, arguments: given } = part.invocation;
    for (const each of functionsFrom(called)) functions.add(each);
    for (const [k, { variable }] of called.parameters.entries())
      passed.set(variable, [...(passed.get(variable) ?? []), { scalar: given[k]!, loops }]);
  };
  for (const clause of clauses)
    for (const scalar of scalarsOf(clause))
      eachScalar(scalar, (part) => look(part, allLoops(clause)));
  return { functions, passed };
}

/**
 * A size that is drawn should be larger than the usual integers, so that sizes differ from indices.
 * It should at least not be 0.
 */
function demandCells(narrowing: Narrowing, { origin, axes }: Definition): void {
  if (origin === "input") return;
  for (const { extent } of axes) {
    const size: Scalar = { kind: "integer", type: "i32", term: extent };
    if (!narrowing.isOpen(size, [])) continue;
    narrowing.demand(size, { least: usual.most + 1, most: 2 * usual.most + 1 }, []);
    narrowing.demand(size, { ...anything, least: 1 }, []);
  }
}

/**
 * In `where idx[i] == p`, the integers of `idx` should take positions of p. Otherwise no term would
 * be sent anywhere, and the check would say little.
 */
function demandComparedPositions(narrowing: Narrowing, clause: Clause): void {
  const { guards, body } = clause;
  const all = allLoops(clause);
  const conditions = [...guards, ...(body.kind === "reduce" ? body.guards : [])].flatMap(conjuncts);
  for (const condition of conditions) {
    if (condition.kind !== "apply" || condition.operation !== "equal") continue;
    for (const [own, other] of bothWays(condition.operands)) {
      const loop = all.find(({ variable }) => isCoordinate(own, variable));
      if (!loop || !narrowing.isOpen(other, all) || narrowing.isOpen(own, all)) continue;
      narrowing.demand(other, narrowing.valuesOf(own, all), all);
    }
  }
}

/** A range with a bound that is data should have positions: it begins before it ends. */
function demandPositions(
  narrowing: Narrowing,
  clause: Clause,
  ascending: ReadonlyMap<Definition, number>,
): void {
  const loops = allLoops(clause);
  for (const [k, { from, to }] of loops.entries()) {
    const around = loops.slice(0, k);
    if (![from, to].some((bound) => narrowing.isOpen(bound, around))) continue;
    if (from.kind === "read" && ascending.has(from.definition)) continue;
    const [first, end] = [narrowing.valuesOf(from, around), narrowing.valuesOf(to, around)];
    if (first.most < end.least) continue;
    const middle = Math.min(
      Math.max(Math.floor((first.least + end.most) / 2), first.least),
      first.most,
    );
    if (!Number.isFinite(middle)) continue;
    narrowing.demand(from, { ...anything, most: middle }, around);
    narrowing.demand(to, { ...anything, least: middle + 1 }, around);
  }
}

/**
 * The input and the axis of a loop from one cell to the next, such as `k in start[r]..start[r +
 * 1]`.
 */
function ascendingBounds({ from, to }: Loop): readonly (readonly [Definition, number])[] {
  if (from.kind !== "read" || to.kind !== "read" || from.definition !== to.definition) return [];
  if (from.definition.origin !== "input") return [];
  const steps = from.indices.map((index, axis) => {
    const [own, next] = [integerOf(index), integerOf(to.indices[axis]!)];
    return own && next ? constantOf(subtract(next, own)) : undefined;
  });
  const axis = steps.indexOf(1);
  return axis >= 0 && steps.every((step, k) => step === (k === axis ? 1 : 0))
    ? [[from.definition, axis]]
    : [];
}
