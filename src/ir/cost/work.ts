// The work of a program, counted from its IR: arithmetic, reads and cells written, as polynomials in the extents.
//
// Counted are operations on values, reads of cells and cells written, for every point that is visited; a combining step of a
// reduction is one operation, and what a point needs twice is computed and read once. Not counted are the integers that address cells and bound loops, casts, and choices themselves (their
// condition and the dearer branch are). A cell that is only filled because nothing owns it is counted apart. A call of a recursive function writes its
// results; making data, taking it apart and changing it is an operation, and a reference to data is an address.

import { equal, ofVariable } from "../affine/term.ts";
import type { Clause, Definition, Local, Loop, Scalar, ScalarFunction } from "../program.ts";
import { eachScalar } from "../parts.ts";
import { functionsFrom, readsOf } from "../references.ts";
import { keyOf } from "../keys.ts";
import { reachable } from "../schedule.ts";
import type { ReductionName } from "../scalar/reductions.ts";
import type { ElementType } from "../scalar/types.ts";
import { nothing, plus, scaled, times, unknown, type Polynomial } from "./polynomial.ts";
import { conjuncts, pointsOf } from "./points.ts";
import { runningNest } from "./running.ts";

export interface Work {
  readonly arithmetic: Polynomial;
  readonly reads: Polynomial;
  readonly cells: Polynomial;
  /** Cells of results that are filled with what stands where no clause owns a cell. */
  readonly filled: Polynomial;
  /** Bytes read and written. */
  readonly bytes: Polynomial;
}

export const noWork: Work = { arithmetic: nothing, reads: nothing, cells: nothing, filled: nothing, bytes: nothing };

export function sumOfWork(parts: readonly Work[]): Work {
  return {
    arithmetic: plus(...parts.map((part) => part.arithmetic)),
    reads: plus(...parts.map((part) => part.reads)),
    cells: plus(...parts.map((part) => part.cells)),
    filled: plus(...parts.map((part) => part.filled)),
    bytes: plus(...parts.map((part) => part.bytes)),
  };
}

/** Arithmetic, reads and cells written: what one number for the work of a program means. */
export function totalWork({ arithmetic, reads, cells }: Work): Polynomial {
  return plus(arithmetic, reads, cells);
}

/** The work of one definition; what it reads is not counted with it. Another name for all cells of a tensor is no work. */
export function workOf(definition: Definition): Work {
  if (isAlias(definition)) return noWork;
  return sumOfWork(definition.clauses.map((clause) => workOfClause(definition, clause)));
}

function isAlias(definition: Definition): boolean {
  const [clause, another] = definition.clauses;
  if (!clause || another || clause.body.kind !== "map" || clause.guards.length > 0) return false;
  const { value } = clause.body;
  return (
    value.kind === "read" &&
    value.definition.axes.length === clause.loops.length &&
    value.definition.axes.every((axis, k) => equal(axis.extent, definition.axes[k]!.extent)) &&
    value.indices.every(
      (index, k) => index.kind === "integer" && equal(index.term, ofVariable(clause.loops[k]!.variable)),
    )
  );
}

const bytesOf: Readonly<Record<ElementType, number>> = {
  i8: 1, bool: 1, f16: 2, bf16: 2, i32: 4, f32: 4, i64: 8, f64: 8, str: 0, data: 0,
}; // prettier-ignore

function workOfClause(definition: Definition, clause: Clause): Work {
  const { loops, guards, body, otherwise } = clause;
  const width = bytesOf[definition.element];
  const box = pointsOf(loops, []).count;
  const cells: Count = (under) => pointsOf(loops, [...guards, ...under]).count;
  const filling = otherwise ? workAt((under) => pointsOf(loops, under).count, tallyOf([otherwise])) : noWork;
  const written = (count: Polynomial): Work => ({ ...noWork, cells: count, bytes: scaled(count, width) });
  if (body.kind === "map") {
    const own = pointsOf(loops, guards);
    const filled: Work = own.narrowed ? { ...noWork, filled: box } : noWork;
    const each = tallyOf([...guards.flatMap(dataGuards), body.value]);
    return sumOfWork([workAt(cells, each), written(own.count), filled, filling]);
  }
  const [nest, conditions] = [
    [...loops, ...body.loops],
    [...guards, ...body.guards],
  ];
  const all = pointsOf(nest, conditions);
  const each = tallyOf([...body.guards.flatMap(dataGuards), body.value]);
  const combined: Tally = { ...each, arithmetic: each.arithmetic + combining(body.reduction) };
  const around = tallyOf([...guards.flatMap(dataGuards), ...body.loops.flatMap(boundsOf)]);
  const isScatter = loops.some((loop) => all.determined.has(loop.variable));
  const running = isScatter || isRecurrent(definition) ? undefined : runningNest(clause, body);
  const terms: Count = running
    ? (under) => pointsOf(running.loops, [...running.guards, ...under]).count
    : (under) => pointsOf(nest, [...conditions, ...under]).count;
  const results: Work = isScatter
    ? { ...written(all.count), filled: box }
    : sumOfWork([written(cells([])), workAt(cells, around)]);
  return sumOfWork([workAt(terms, combined), results, filling]);
}

/** Cells that come one at a time gather their own terms. */
function isRecurrent(definition: Definition): boolean {
  return reachable([...readsOf(definition)]).includes(definition);
}

/** Operations for each element of a reduction: `logsumexp` compares, subtracts, exponentiates and adds. */
function combining(reduction: ReductionName): number {
  return reduction === "logsumexp" ? 4 : 1;
}

/** Bounds that data decide are read once for each cell. */
function boundsOf(loop: Loop): readonly Scalar[] {
  return [loop.from, loop.to].filter((bound) => bound.kind !== "integer");
}

/** Guards on coordinates alone bound loops; the others are tested. */
function dataGuards(guard: Scalar): readonly Scalar[] {
  return conjuncts(guard).filter((part) => {
    let reads = false;
    eachScalar(part, (inner) => void (reads ||= inner.kind === "read" || inner.kind === "call"));
    return reads;
  });
}

// ── one point ───────────────────────────────────────────────────────────────────────────────────

interface Tally {
  arithmetic: number;
  reads: number;
  bytes: number;
  readonly calls: ScalarFunction[];
  /** What is only computed where a condition on coordinates holds. */
  readonly under: { readonly condition: Scalar; readonly tally: Tally }[];
}

function newTally(): Tally {
  return { arithmetic: 0, reads: 0, bytes: 0, calls: [], under: [] };
}

function addTo(tally: Tally, more: Tally): void {
  tally.arithmetic += more.arithmetic;
  tally.reads += more.reads;
  tally.bytes += more.bytes;
  for (const call of more.calls) tally.calls.push(call);
  for (const inside of more.under) tally.under.push(inside);
}

/** At how many points further conditions on coordinates hold. */
type Count = (under: readonly Scalar[]) => Polynomial;

function workAt(count: Count, tally: Tally): Work {
  const here = count([]);
  const calls = [...new Set(tally.calls)].map((called) => {
    const often = tally.calls.filter((other) => other === called).length;
    if (!isRecursive(called)) return workAt((under) => scaled(count(under), often), tallyInside(called));
    const { rounds } = called;
    const calls = rounds ? pointsOf(rounds.loops, rounds.guards).count : unknown(`calls of ${calledName(called)}`);
    const made = times(here, scaled(calls, often));
    return sumOfWork([workAt(() => made, insideOf(called)), { ...noWork, cells: scaled(made, resultsOf(called)) }]);
  });
  const own: Work = {
    ...noWork,
    arithmetic: scaled(here, tally.arithmetic),
    reads: scaled(here, tally.reads),
    bytes: scaled(here, tally.bytes),
  };
  const inside = tally.under.map(({ condition, tally: inner }) =>
    workAt((under) => count([condition, ...under]), inner),
  );
  return sumOfWork([own, ...calls, ...inside]);
}

/** How many results a call writes. */
function resultsOf({ results }: ScalarFunction): number {
  return results.filter(({ type }) => type !== "data").length;
}

function isRecursive(called: ScalarFunction): boolean {
  let found = false;
  for (const scalar of called.results)
    eachScalar(scalar, (part) => {
      if (part.kind === "call") found ||= functionsFrom(part.invocation.function).has(called);
    });
  return found;
}

/** A function that was derived from another makes as many calls. */
function calledName({ span, name }: ScalarFunction): string {
  return /\bfn\s+(\w+)/.exec(span.source.text.slice(span.start, span.end))?.[1] ?? name;
}

/** One call of a function, without the calls of it and of those that call it in turn: they are counted by how many there are. */
function insideOf(called: ScalarFunction): Tally {
  const group = new Set([...functionsFrom(called)].filter((each) => functionsFrom(each).has(called)));
  const inside = newTally();
  for (const each of group) addTo(inside, tallyInside(each));
  return { ...inside, calls: inside.calls.filter((each) => !group.has(each)) };
}

/** What one call of a function takes itself: its conditions are on what it is called with, not on coordinates. */
function tallyInside({ results }: ScalarFunction): Tally {
  return tallyOf(results, () => false);
}

/** What computing some scalars at one point takes: what stands there twice is computed once. */
function tallyOf(scalars: readonly Scalar[], narrows: (select: Select) => boolean = isNarrowing): Tally {
  const seen = new Set<Local | object>();
  let computed = new Set<string>();
  let tally = newTally();
  /** What only a branch computes is not there behind it. */
  const branch = (scalar: Scalar): Tally => {
    const [around, before] = [tally, computed];
    tally = newTally();
    computed = new Set(before);
    visit(scalar);
    const inside = tally;
    [tally, computed] = [around, before];
    return inside;
  };
  const visit = (scalar: Scalar): void => {
    if (scalar.kind === "read" || scalar.kind === "apply") {
      const key = keyOf(scalar);
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
      case "apply":
        scalar.operands.forEach(visit);
        if (!isAddress(scalar)) tally.arithmetic++;
        return;
      case "text":
        scalar.operands.forEach(visit);
        tally.arithmetic++;
        return;
      case "data":
        scalar.operands.forEach(visit);
        if (scalar.function !== "part" || scalar.type !== "data") tally.arithmetic++;
        return;
      case "cast":
        return visit(scalar.operand);
      case "select": {
        visit(scalar.condition);
        const [then, otherwise] = [branch(scalar.then), branch(scalar.otherwise)];
        if (narrows(scalar)) {
          addTo(tally, otherwise);
          tally.under.push({ condition: scalar.condition, tally: then });
        } else addTo(tally, size(then) >= size(otherwise) ? then : otherwise);
        return;
      }
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
  return tally;
}

/** Arithmetic and reads of some scalars at one point, whatever their conditions on coordinates are there. */
export function workAtPoint(scalars: readonly Scalar[]): number {
  return size(tallyOf(scalars));
}

type Select = Extract<Scalar, { kind: "select" }>;

/** An equation or a strip of coordinates: few points are inside. Or there is nothing to compute outside. */
function isNarrowing({ condition, otherwise }: Select): boolean {
  const parts = conjuncts(condition);
  if (parts.some((part) => part.kind === "apply" && part.operation === "equal" && part.within === "i32")) return true;
  return (parts.length > 1 || otherwise.kind === "constant") && dataGuards(condition).length === 0;
}

function size(tally: Tally): number {
  const inside = tally.under.reduce((total, { tally: inner }) => total + size(inner), 0);
  return tally.arithmetic + tally.reads + 100 * tally.calls.length + inside;
}

/** Integers and conditions on coordinates, extents and integers alone. */
function isAddress(scalar: Extract<Scalar, { kind: "apply" }>): boolean {
  return (
    (scalar.within === "i32" || scalar.within === "bool") &&
    scalar.operands.every(
      (operand) =>
        operand.kind === "integer" || operand.kind === "constant" || (operand.kind === "apply" && isAddress(operand)),
    )
  );
}
