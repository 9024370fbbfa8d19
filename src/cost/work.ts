// The work of a program: this folder counts arithmetic, reads and written cells from the IR, as
// polynomials in the extents; it neither measures nor plans a run.
//
//   C[i, j] = sum[k](A[i, k] * B[k, j])   arithmetic 2·m·n·k, reads 2·m·n·k, cells m·n
//
// The work is the sum over the clauses of all definitions; the savings of fusion are not counted.
// Operations, reads and written cells count at every point that a clause visits (`visits.ts`). A
// combining step of a reduction is one operation. A common subexpression is computed and read once
// at one point (`tally.ts`). A cell that is only filled, because no clause defines it, is counted
// apart. A call of a recursive function writes its results. To make data, to take it apart and to
// change it is an operation each, and a reference to data is an address.

import { aliased } from "../analyse/alias.ts";
import type { Clause, Definition, Loop, Scalar, ScalarFunction } from "../ir/program.ts";
import { outcomeOf } from "../analyse/opposite.ts";
import { isOfCoordinates, isAnywhere } from "../ir/parts.ts";
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
  /** Cells of results that are filled because no clause defines them. */
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

/** Arithmetic, reads and written cells: the work as one number. */
export function totalWork({ arithmetic, reads, cells }: Work): Polynomial {
  return plus(arithmetic, reads, cells);
}

/**
 * The work of one definition, without the definitions that it reads. Another name for a whole
 * tensor, `let y[i] = x[i]`, is no work.
 */
export function workOf(definition: Definition): Work {
  return aliased(definition) ? noWork : workBy(definition, definition.clauses);
}

/** The work of some clauses, which may be other clauses than the definition's own. */
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

/** The work of a clause at its points. The negation of a test of data is no operation. */
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
 * The work of a clause beside its points: the cells that it writes, the values that are computed
 * once for each cell, and the cells that are filled because no term reaches them.
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
  const around = tallyOf([...guards.flatMap(dataGuards), ...body.loops.flatMap(dataBoundsOf)]);
  const left = isEmptySomewhere ? filled : noWork;
  return sumOfWork([written(cells([])), workAt(cells, around), left, filling]);
}

/**
 * Whether the cells of a clause only read totals that were added up elsewhere, and so are filled.
 */
function isHandedOut({ body: { value } }: Clause): boolean {
  const handed = value.kind === "cast" ? value.operand : value;
  return handed.kind === "data" && handed.function === "total";
}

/** Whether a number fills the cells that the other clauses of a definition leave. */
function isFilling({ body }: Clause): boolean {
  return body.kind === "map" && body.value.kind === "constant";
}

/** The bounds that data decides. They are read once for each cell. */
function dataBoundsOf(loop: Loop): readonly Scalar[] {
  return [loop.from, loop.to].filter((bound) => bound.kind !== "integer");
}

/** At how many points further conditions on coordinates hold. */
type Count = (under: readonly Scalar[]) => Polynomial;

/**
 * Loops that functions run by calling themselves, each inside the one before, and how often the
 * first one begins.
 */
interface Nest {
  readonly begun: Polynomial;
  readonly rounds: NonNullable<ScalarFunction["rounds"]>;
}

/**
 * What encloses a call: the loops that functions run, and the functions whose calls are counted.
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
    const callCount = nest
      ? times(nest.begun, pointsOf(nest.rounds.loops, nest.rounds.guards).count)
      : isTakenBackIn(called, around)
        ? scaled(here, often)
        : times(here, scaled(unknown(`calls of ${calledName(called)}`), often));
    const inside = { nest, counted: new Set([...around.counted, called.takesBack ?? called]) };
    const { calls, ...rest } = insideOf(called);
    const handedOn = calls.filter((each) => isTakenBackIn(each, inside));
    const others = calls.filter((each) => !handedOn.includes(each));
    const taken = sumOfWork([
      workAt(() => callCount, { ...rest, calls: others }, inside),
      { ...noWork, cells: scaled(callCount, writtenBy(called)) },
    ]);
    // One of several functions takes each call back: the dearest of them counts for all.
    return [...new Set(handedOn)]
      .map((each) => workAt(() => callCount, { ...newTally(), calls: [each] }, inside))
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

/** Whether a function takes back calls that are counted already. Each call is taken back once. */
function isTakenBackIn({ takesBack }: ScalarFunction, { counted }: Around): boolean {
  return takesBack !== undefined && counted.has(takesBack);
}

/** The rounds of a function, inside the loops around it if its bounds depend on them. */
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

/** How many numbers a call writes, together with one call of each function in its group. */
function writtenBy(called: ScalarFunction): number {
  const results = [...groupOf(called)].flatMap((each) => each.results);
  return results.filter(({ type }) => type !== "data").length;
}

/** A function, and all functions that call it and that it calls. */
function groupOf(called: ScalarFunction): ReadonlySet<ScalarFunction> {
  return new Set([...functionsFrom(called)].filter((each) => functionsFrom(each).has(called)));
}

function isRecursive(called: ScalarFunction): boolean {
  return called.results.some((result) =>
    isAnywhere(
      result,
      (part) => part.kind === "call" && functionsFrom(part.invocation.function).has(called),
    ),
  );
}

/** The name of the function that the source declares. A derived function makes as many calls. */
function calledName({ span, name }: ScalarFunction): string {
  return /\bfn\s+(\w+)/.exec(span.source.text.slice(span.start, span.end))?.[1] ?? name;
}

/** One call of a function, without the calls inside its group, which are counted by number. */
function insideOf(called: ScalarFunction): Tally {
  const group = groupOf(called);
  const inside = newTally();
  for (const each of group) addTo(inside, tallyInside(each, group));
  return { ...inside, calls: inside.calls.filter((each) => !group.has(each)) };
}

/** The cost of one call of a function itself. */
function tallyInside(
  { results }: ScalarFunction,
  inTurn: ReadonlySet<ScalarFunction> = new Set(),
): Tally {
  return tallyOf(results, inTurn);
}
