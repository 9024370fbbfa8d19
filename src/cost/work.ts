// The work of a program, counted from its IR: arithmetic, reads and cells written, as polynomials
// in the extents. It is a sum over the clauses of all definitions; what fusion saves is not
// counted.
//
//   C[i, j] = sum[k](A[i, k] * B[k, j])   arithmetic 2·m·n·k, reads 2·m·n·k, cells m·n
//
// Counted are operations on values, reads of cells and cells written, at every point that a clause
// visits (`visits.ts`). A combining step of a reduction is one operation. What one point needs
// twice is computed and read once (`tally.ts`). A cell that is only filled because no clause owns
// it is counted apart. A call of a recursive function writes its results. To make data, to take it
// apart and to change it is an operation, and a reference to data is an address.

import { aliased } from "../analyse/alias.ts";
import type { Clause, Definition, Loop, Scalar, ScalarFunction } from "../ir/program.ts";
import { outcomeOf } from "../analyse/opposite.ts";
import { eachScalar, isOfCoordinates } from "../ir/parts.ts";
import { functionsFrom } from "../ir/references.ts";
import type { ReductionName } from "../scalar/reductions.ts";
import { usesAny } from "../analyse/ties.ts";
import { cutToRanges } from "./cut.ts";
import {
  exceeds,
  minus,
  nothing,
  plus,
  scaled,
  times,
  unknown,
  type Polynomial,
} from "./polynomial.ts";
import { conjuncts, pointsOf } from "./points.ts";
import { addTo, bytesOf, dataGuards, newTally, tallyOf, type Tally } from "./tally.ts";
import { visitsOf, type Visit } from "./visits.ts";

export interface Work {
  readonly arithmetic: Polynomial;
  readonly reads: Polynomial;
  readonly cells: Polynomial;
  /** Cells of results that are filled because no clause owns them. */
  readonly filled: Polynomial;
  /** Bytes read and written. */
  readonly bytes: Polynomial;
}

const noWork: Work = {
  arithmetic: nothing,
  reads: nothing,
  cells: nothing,
  filled: nothing,
  bytes: nothing,
};

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

/**
 * The work of one definition, without what it reads. Another name for all cells of a tensor,
 * `let y[i] = x[i]`, is no work.
 */
export function workOf(definition: Definition): Work {
  return aliased(definition) ? noWork : workBy(definition, definition.clauses);
}

/** The work of one definition by some clauses, which need not be its own: the sum over them. */
export function workBy(definition: Definition, clauses: readonly Clause[]): Work {
  return sumOfWork(clauses.map((clause) => workOfClause(definition, clause)));
}

function workOfClause(definition: Definition, clause: Clause): Work {
  if (isHandedOut(clause)) return { ...noWork, filled: pointsOf(clause.loops, []).count };
  const visits = visitsOf(clause, definition);
  return sumOfWork([...visits.map(workOfVisit), workOfCells(definition, clause, visits)]);
}

/** The work of several definitions, each computed once. */
export function workOfAll(definitions: readonly Definition[]): Work {
  return sumOfWork(definitions.map(workOf));
}

/** What a clause takes at its points. Which way a test of data goes is no operation. */
function workOfVisit({ loops, guards, tests, value, reduction }: Visit): Work {
  const count: Count = (under) => pointsOf(loops, [...guards, ...under]).count;
  const each = tallyOf([...tests.map((test) => outcomeOf(test).value), value]);
  const arithmetic = each.arithmetic + (reduction ? operationsOf(reduction) : 0);
  return workAt(count, { ...each, arithmetic });
}

/** Operations for each term: `logsumexp` compares, subtracts, exponentiates and adds. */
function operationsOf(reduction: ReductionName): number {
  return reduction === "logsumexp" ? 4 : 1;
}

/**
 * What a clause takes beside its points: the cells that it writes, what is computed once for each
 * of them, and the cells that are filled because no term reaches them.
 */
function workOfCells(
  { element, origin }: Definition,
  clause: Clause,
  visits: readonly Visit[],
): Work {
  const { loops, guards, body, otherwise } = clause;
  const box = pointsOf(loops, []).count;
  const filled: Work = { ...noWork, filled: box };
  if (origin === "helper" && isFilling(clause)) return filled;
  const written = (count: Polynomial): Work => ({
    ...noWork,
    cells: count,
    bytes: scaled(count, bytesOf[element]),
  });
  const filling = otherwise
    ? workAt((under) => pointsOf(loops, under).count, tallyOf([otherwise]))
    : noWork;
  if (body.kind === "map") {
    const own = pointsOf(loops, guards);
    return sumOfWork([written(own.count), own.narrowed ? filled : noWork, filling]);
  }
  if (visits.some(({ isSent }) => isSent)) {
    const sent = visits.map((visit) => written(pointsOf(visit.loops, visit.guards).count));
    return sumOfWork([...sent, filled, filling]);
  }
  // A cell whose range is empty has no terms, and is filled.
  const summed = cutToRanges(loops, body.loops);
  const beside = body.guards
    .flatMap(conjuncts)
    .filter((guard) => isOfCoordinates(guard) && !usesAny(guard, body.loops));
  const isEmptySomewhere = beside.length > 0 || summed.some((loop, k) => loop !== loops[k]);
  const cells: Count = (under) => pointsOf(summed, [...guards, ...beside, ...under]).count;
  const around = tallyOf([...guards.flatMap(dataGuards), ...body.loops.flatMap(boundsOf)]);
  const left = isEmptySomewhere ? filled : noWork;
  return sumOfWork([written(cells([])), workAt(cells, around), left, filling]);
}

/** Whether cells get what was added up for them by place, and so are only filled. */
function isHandedOut({ body: { value } }: Clause): boolean {
  const handed = value.kind === "cast" ? value.operand : value;
  return handed.kind === "data" && handed.function === "total";
}

/** Whether a number fills the cells that the other clauses of their definition leave. */
function isFilling({ body }: Clause): boolean {
  return body.kind === "map" && body.value.kind === "constant";
}

/** Bounds that data decide are read once for each cell. */
function boundsOf(loop: Loop): readonly Scalar[] {
  return [loop.from, loop.to].filter((bound) => bound.kind !== "integer");
}

/** At how many points further conditions on coordinates hold. */
type Count = (under: readonly Scalar[]) => Polynomial;

/**
 * Loops that functions go through by calling themselves, each inside of the one before, and how
 * often the first one is begun.
 */
interface Nest {
  readonly begun: Polynomial;
  readonly rounds: NonNullable<ScalarFunction["rounds"]>;
}

/**
 * What encloses a call: loops that functions go through, and the functions whose calls are counted.
 */
interface Around {
  readonly nest?: Nest | undefined;
  readonly counted: ReadonlySet<ScalarFunction>;
}

function workAt(count: Count, tally: Tally, around: Around = { counted: new Set() }): Work {
  const here = count([]);
  const calls = [...new Set(tally.calls)].map((called) => {
    const often = tally.calls.filter((other) => other === called).length;
    if (!isRecursive(called)) {
      const { nest } = around;
      const inside = { ...around, nest: nest && { ...nest, begun: scaled(nest.begun, often) } };
      return workAt((under) => scaled(count(under), often), tallyInside(called), inside);
    }
    const nest = nestOf(called, here, often, around.nest);
    const made = nest
      ? times(nest.begun, pointsOf(nest.rounds.loops, nest.rounds.guards).count)
      : isOfThose(called, around)
        ? scaled(here, often)
        : times(here, scaled(unknown(`calls of ${calledName(called)}`), often));
    const inside = { nest, counted: new Set([...around.counted, called.takesBack ?? called]) };
    const { calls, ...rest } = insideOf(called);
    const handedOn = calls.filter((each) => isOfThose(each, inside));
    const others = calls.filter((each) => !handedOn.includes(each));
    const taken = sumOfWork([
      workAt(() => made, { ...rest, calls: others }, inside),
      { ...noWork, cells: scaled(made, writtenBy(called)) },
    ]);
    // Each call is taken back by one of several functions: the dearest stands for all of them.
    return [...new Set(handedOn)]
      .map((each) => workAt(() => made, { ...newTally(), calls: [each] }, inside))
      .reduce((a, b) => (exceeds(totalWork(b), totalWork(a)) ? b : a), taken);
  });
  const own: Work = {
    ...noWork,
    arithmetic: scaled(here, tally.arithmetic),
    reads: scaled(here, tally.reads),
    bytes: scaled(here, tally.bytes),
  };
  const inside = tally.choices.flatMap(({ condition, then, otherwise }) => {
    const there: Count = (under) => count([condition, ...under]);
    const elsewhere: Count = (under) => minus(count(under), there(under));
    return [workAt(there, then, around), workAt(elsewhere, otherwise, around)];
  });
  return sumOfWork([own, ...calls, ...inside]);
}

/** Whether a function takes back calls that are counted already: one call is taken back once. */
function isOfThose({ takesBack }: ScalarFunction, { counted }: Around): boolean {
  return takesBack !== undefined && counted.has(takesBack);
}

/** The rounds of a function, inside of those that say where they begin and end. */
function nestOf(
  { rounds }: ScalarFunction,
  here: Polynomial,
  often: number,
  around?: Nest,
): Nest | undefined {
  if (!rounds) return undefined;
  const isInside =
    around &&
    rounds.loops.some(
      ({ from, to }) => usesAny(from, around.rounds.loops) || usesAny(to, around.rounds.loops),
    );
  if (!isInside) return { begun: scaled(here, often), rounds };
  const { loops, guards } = around.rounds;
  return {
    begun: scaled(around.begun, often),
    rounds: { loops: [...loops, ...rounds.loops], guards: [...guards, ...rounds.guards] },
  };
}

/** How many numbers a call writes, with one call of each function that it calls in turn. */
function writtenBy(called: ScalarFunction): number {
  const results = [...groupOf(called)].flatMap((each) => each.results);
  return results.filter(({ type }) => type !== "data").length;
}

/** A function and those that call it and that it calls. */
function groupOf(called: ScalarFunction): ReadonlySet<ScalarFunction> {
  return new Set([...functionsFrom(called)].filter((each) => functionsFrom(each).has(called)));
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

/**
 * One call of a function, without the calls inside its group: these are counted by their number.
 */
function insideOf(called: ScalarFunction): Tally {
  const group = groupOf(called);
  const inside = newTally();
  for (const each of group) addTo(inside, tallyInside(each, group));
  return { ...inside, calls: inside.calls.filter((each) => !group.has(each)) };
}

/** What one call of a function takes itself. */
function tallyInside(
  { results }: ScalarFunction,
  inTurn: ReadonlySet<ScalarFunction> = new Set(),
): Tally {
  return tallyOf(results, inTurn);
}
