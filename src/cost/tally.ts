// What one point costs: operations on values, and reads of cells. A common subexpression is
// computed and read once, whatever its names are: `sin(x[i]) * sin(x[i])` is a read, a sine and a
// product.
//
// Not counted are integers that address cells and bound loops, casts, and choices themselves. A
// choice counts with its condition and its dearer branch.

import type { Local, Scalar, ScalarFunction } from "../ir/program.ts";
import { isOfCoordinates, partsOf } from "../ir/parts.ts";
import { numberOf } from "../ir/keys.ts";
import { outcomeOf } from "../analyse/opposite.ts";
import { isFloat, type ElementType } from "../scalar/types.ts";
import { conjuncts } from "./points.ts";

export interface Tally {
  arithmetic: number;
  reads: number;
  bytes: number;
  readonly calls: ScalarFunction[];
  /** The tallies of both branches of conditions on coordinates. */
  readonly choices: Choice[];
}

interface Choice {
  readonly condition: Scalar;
  readonly then: Tally;
  readonly otherwise: Tally;
}

export function newTally(): Tally {
  return { arithmetic: 0, reads: 0, bytes: 0, calls: [], choices: [] };
}

export function addTo(tally: Tally, more: Tally): void {
  tally.arithmetic += more.arithmetic;
  tally.reads += more.reads;
  tally.bytes += more.bytes;
  for (const call of more.calls) tally.calls.push(call);
  for (const choice of more.choices) tally.choices.push(choice);
}

export const bytesOf: Readonly<Record<ElementType, number>> = {
  i8: 1,
  bool: 1,
  f16: 2,
  bf16: 2,
  i32: 4,
  f32: 4,
  i64: 8,
  f64: 8,
  str: 0,
  data: 0,
};

/** The parts of a guard that are tested. The parts on coordinates alone bound loops. */
export function dataGuards(guard: Scalar): readonly Scalar[] {
  return conjuncts(guard).filter((part) => !isOfCoordinates(part));
}

/** What is computed in a branch, to which the outcomes of some conditions lead. */
interface Branch {
  readonly computed: Set<string>;
  readonly seen: Set<Local | object>;
}

/** A set that grows, and the sets around it. */
interface Notes<T> {
  readonly own: Set<T>;
  readonly all: readonly ReadonlySet<T>[];
  readonly has: (one: T) => boolean;
  readonly add: (one: T) => void;
}

function notesOn<T>(before: readonly ReadonlySet<T>[]): Notes<T> {
  const own = new Set<T>();
  const all = [...new Set([...before, own])];
  return {
    own,
    all,
    has: (one) => all.some((each) => each.has(one)),
    add: (one) => void own.add(one),
  };
}

/**
 * The cost of some scalars at one point. A common subexpression is computed once, but each branch
 * computes what it needs. Inside a function, `group` are the functions that call one another in
 * turn: their calls are counted by number. Conditions inside a function test its arguments, not
 * coordinates.
 */
export function tallyOf(scalars: readonly Scalar[], group?: ReadonlySet<ScalarFunction>): Tally {
  const isInFunction = group !== undefined;
  let seen = notesOn<Local | object>([]);
  let computed = notesOn<string>([]);
  let tally = newTally();
  let path: readonly string[] = [];
  let waiting: Select[] = [];
  const branches = new Map<string, Branch>();
  /**
   * A value that only a branch computes is not known behind the branch. It is known in other
   * branches that the same conditions lead to.
   */
  const branch = (scalars: readonly Scalar[], outcome: string): Tally => {
    const [outerTally, outerComputed, outerPath, outerWaiting, outerSeen] = [
      tally,
      computed,
      path,
      waiting,
      seen,
    ];
    path = [...path, outcome];
    const key = path.toSorted().join();
    const knownBranch = branches.get(key);
    [tally, waiting] = [newTally(), []];
    computed = notesOn([...outerComputed.all, ...(knownBranch ? [knownBranch.computed] : [])]);
    seen = notesOn([...outerSeen.all, ...(knownBranch ? [knownBranch.seen] : [])]);
    scalars.forEach(visit);
    choose();
    const branchTally = tally;
    if (knownBranch) for (const one of computed.own) knownBranch.computed.add(one);
    if (knownBranch) for (const one of seen.own) knownBranch.seen.add(one);
    else branches.set(key, { computed: computed.own, seen: seen.own });
    [tally, computed, path, waiting, seen] = [
      outerTally,
      outerComputed,
      outerPath,
      outerWaiting,
      outerSeen,
    ];
    return branchTally;
  };
  /**
   * Branches are visited last, because they may use all values that are computed anyway. All
   * choices by one condition have the same outcome.
   */
  const choose = (): void => {
    const choices = new Map<string, Select[]>();
    for (const select of waiting.splice(0)) {
      const key = `${numberOf(select.condition)}${
        !isInFunction && isNarrowing(select) ? " narrow" : ""
      }`;
      choices.set(key, [...(choices.get(key) ?? []), select]);
    }
    for (const alike of choices.values()) {
      const [first] = alike as [Select];
      const condition = numberOf(first.condition);
      const decided = path.includes(pathBy(condition, true))
        ? "then"
        : path.includes(pathBy(condition, false))
          ? "otherwise"
          : undefined;
      if (decided) {
        for (const select of alike) visit(select[decided]);
        choose();
        continue;
      }
      const then = branch(
        alike.map((select) => select.then),
        pathBy(condition, true),
      );
      const otherwise = branch(
        alike.map((select) => select.otherwise),
        pathBy(condition, false),
      );
      if (!isInFunction && isNarrowing(first)) {
        const { condition } = first;
        tally.choices.push({ condition, then, otherwise });
        continue;
      }
      addTo(tally, weightOf(then, group) > weightOf(otherwise, group) ? then : otherwise);
    }
  };
  const visit = (scalar: Scalar): void => {
    if (scalar.kind === "read" || scalar.kind === "apply" || scalar.kind === "select") {
      const key = numberOf(scalar);
      if (computed.has(key)) return;
      computed.add(key);
    }
    switch (scalar.kind) {
      case "constant":
      case "integer":
      case "parameter":
        return;
      case "read":
        scalar.indices.forEach(visit);
        if (scalar.type !== "data") tally.reads++;
        tally.bytes += bytesOf[scalar.type];
        return;
      case "apply": {
        const term = isInFunction ? undefined : termLeftOut(scalar);
        if (term) {
          // Where a guard leaves the term out, the addition is left out too. So only the term is
          // added behind the other operands.
          [...scalar.operands.filter((operand) => operand !== term), term.condition].forEach(visit);
          waiting.push({ ...term, then: { ...scalar, operands: [term.then] } });
          return;
        }
        scalar.operands.forEach(visit);
        if (!isAddress(scalar)) tally.arithmetic += elementaryIn(scalar);
        return;
      }
      case "text":
        scalar.operands.forEach(visit);
        tally.arithmetic++;
        return;
      case "data":
        scalar.operands.forEach(visit);
        if (scalar.function !== "part" || !onlyAddresses(scalar.type)) tally.arithmetic++;
        return;
      case "cast":
        return visit(scalar.operand);
      case "select":
        visit(outcomeOf(scalar.condition).value);
        waiting.push(scalar);
        return;
      case "local":
        if (seen.has(scalar.local)) return;
        seen.add(scalar.local);
        return visit(scalar.local.value);
      case "call":
        if (seen.has(scalar.invocation)) return;
        seen.add(scalar.invocation);
        scalar.invocation.arguments.forEach(visit);
        tally.calls.push(scalar.invocation.function);
        return;
      default:
        scalar satisfies never;
    }
  };
  scalars.forEach(visit);
  choose();
  return tally;
}

/**
 * Whether a part of data is only used to find other cells, or to choose: references, integers and
 * conditions.
 */
function onlyAddresses(type: ElementType): boolean {
  return type === "data" || type === "i32" || type === "i64" || type === "bool";
}

/** One outcome on the path into a branch. */
function pathBy(condition: string, holds: boolean): string {
  return `${condition}${holds ? "+" : "-"}`;
}

/**
 * Arithmetic and reads of some scalars at one point. Both branches of a condition on coordinates
 * count.
 */
export function workAtPoint(scalars: readonly Scalar[]): number {
  return weightOf(tallyOf(scalars));
}

type Select = Extract<Scalar, { kind: "select" }>;

/**
 * Whether few points pass a condition, as with an equation or a strip of coordinates, or whether
 * nothing is computed where it fails.
 */
function isNarrowing({ condition, otherwise }: Select): boolean {
  const parts = conjuncts(condition);
  if (
    parts.some(
      (part) => part.kind === "apply" && part.operation === "equal" && part.within === "i32",
    )
  )
    return true;
  return (parts.length > 1 || otherwise.kind === "constant") && dataGuards(condition).length === 0;
}

/** A term of a sum that conditions on coordinates leave out. */
function termLeftOut({
  operation,
  operands,
  within,
}: Extract<Scalar, { kind: "apply" }>): Select | undefined {
  if ((operation !== "add" && operation !== "subtract") || !isFloat(within)) return undefined;
  const isLeftOut = (operand: Scalar): operand is Select =>
    operand.kind === "select" &&
    operand.otherwise.kind === "constant" &&
    operand.otherwise.value === 0 &&
    isNarrowing(operand);
  return operands.findLast(isLeftOut);
}

/**
 * The weight of a tally. Calls are dear. Among functions that call one another in turn, a branch
 * with one such call is taken as often as there are calls. If a branch has several, about as many
 * calls end as continue, so the dearer branch counts for both.
 */
function weightOf(
  { arithmetic, reads, calls, choices }: Tally,
  inTurn: ReadonlySet<ScalarFunction> = new Set(),
): number {
  const inside = choices
    .flatMap(({ then, otherwise }) => [then, otherwise])
    .reduce((total, tally) => total + weightOf(tally, inTurn), 0);
  const others = calls.filter((called) => !inTurn.has(called));
  const own = calls.length - others.length;
  return arithmetic + reads + 100 * (others.length + (own === 1 ? 1 : 0)) + inside;
}

/**
 * How many elementary operations an operation stands for: `x ** y` is `exp(y * log(x))`, unless one
 * of the operands is a number, and `clamp` is a `max` and a `min`.
 */
function elementaryIn({ operation, operands, within }: Extract<Scalar, { kind: "apply" }>): number {
  if (operation === "clamp") return 2;
  if (operation !== "power" || !isFloat(within)) return 1;
  const [base, exponent] = operands as [Scalar, Scalar];
  return isOfNumbersAlone(exponent) ? 1 : isOfNumbersAlone(base) ? 2 : 3;
}

/** Whether a scalar consists of numbers alone. */
function isOfNumbersAlone(scalar: Scalar): boolean {
  return scalar.kind === "apply" || scalar.kind === "cast"
    ? partsOf(scalar).every(isOfNumbersAlone)
    : scalar.kind === "constant";
}

/**
 * Whether an operation computes an integer or a condition from coordinates, extents and integers.
 */
function isAddress({ within, operands }: Extract<Scalar, { kind: "apply" }>): boolean {
  return (within === "i32" || within === "bool") && operands.every(isNumberOfAddress);
}

/** An integer that was kept in data is an integer again. */
function isNumberOfAddress(scalar: Scalar): boolean {
  switch (scalar.kind) {
    case "integer":
    case "constant":
      return true;
    case "apply":
      return isAddress(scalar);
    case "local":
      return isNumberOfAddress(scalar.local.value);
    case "data":
      return scalar.function === "part" && scalar.type === "i32";
    default:
      return false;
  }
}
