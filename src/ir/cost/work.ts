// The work of a program, counted from its IR: arithmetic, reads and cells written, as polynomials in the extents.
//
// Counted are operations on values, reads of cells and cells written, for every point that is visited; a combining step of a
// reduction is one operation. What a point needs is computed and read once, for all definitions that go through the same points in one walk (`walks.ts`).
// A cell that is only filled because nothing owns it is counted apart. A call of a recursive function writes its
// results, or, where it goes on as a loop, what the next round is given; making data, taking it apart and changing it is an operation, and a reference to data is an address.

import { aliased } from "../alias.ts";
import type { Clause, Definition, Loop, Scalar, ScalarFunction } from "../program.ts";
import { numberOf } from "../keys.ts";
import { outcomeOf, type Outcome } from "../opposite.ts";
import { eachScalar, isOfCoordinates } from "../parts.ts";
import { functionsFrom } from "../references.ts";
import { isFloat } from "../../scalar/types.ts";
import { lookedAt, tailCalls, withoutName } from "../tail-calls.ts";
import { usesAny } from "../ties.ts";
import { cutToRanges } from "./cut.ts";
import { exceeds, nothing, plus, scaled, times, unknown, type Polynomial } from "./polynomial.ts";
import { conjuncts, pointsOf } from "./points.ts";
import { addTo, bytesOf, dataGuards, newTally, tallyOf, type Tally } from "./tally.ts";
import { computedAt, isHandedOut, isScatter, type Visit } from "./visits.ts";
import { combiningIn, walksOf, withoutCells, writingAmong, type Walk } from "./walks.ts";
import type { Computed } from "./waits.ts";

export interface Work {
  readonly arithmetic: Polynomial;
  readonly reads: Polynomial;
  readonly cells: Polynomial;
  /** Cells of results that are filled with what stands where no clause owns a cell. */
  readonly filled: Polynomial;
  /** Bytes read and written. */
  readonly bytes: Polynomial;
}

export const noWork: Work = {
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

/** The work of one definition; what it reads is not counted with it. */
export function workOf(definition: Definition): Work {
  return workOfAll([definition]);
}

/** The work of definitions that are computed together, as they are or by other clauses. Another name for all cells of a tensor is no work. */
export function workOfAll(definitions: readonly Definition[] | Computed): Work {
  const computed: Computed =
    "get" in definitions ? definitions : new Map(definitions.map((each) => [each, each]));
  const walks = walksOf(computed);
  const work = workOfWalks(computed, walks);
  if (!walks.some(({ visits }) => visits.some(({ isPiece }) => isPiece))) return work;
  // What bounds choose may as well go along with all points of its loops.
  const whole = workOfWalks(computed, walksOf(computed, false));
  return exceeds(totalWork(work), totalWork(whole)) ? whole : work;
}

function workOfWalks(computed: Computed, walks: readonly Walk[]): Work {
  const without = withoutCells(computed, walks);
  const own = [...computed].flatMap(([name, definition]) =>
    aliased(definition) || without.has(name) ? [] : [definition],
  );
  const cells = own.flatMap((definition) =>
    definition.clauses.map((clause) => workOfCells(definition, clause)),
  );
  return sumOfWork([...walks.map(workOfWalk), ...cells]);
}

/** What is done at the points of a walk, whichever way its conditions go there: the dearest. */
function workOfWalk({ visits, there }: Walk): Work {
  return waysThrough(visits)
    .map((outcomes) => workOfVisits(visits, there, outcomes))
    .reduce((a, b) => (exceeds(totalWork(b), totalWork(a)) ? b : a));
}

/** What is done under some outcomes of conditions: of visits that have others, the conditions are tested. A term that is sent to its cell is written there. */
function workOfVisits(
  visits: readonly Visit[],
  there: ReadonlySet<string>,
  outcomes: readonly Outcome[],
): Work {
  const { loops, guards } = visits[0]!;
  const count: Count = (under) => pointsOf(loops, [...guards, ...under]).count;
  const isHere = (visit: Visit): boolean =>
    testsOf(visit).every((test) => !outcomes.some((other) => areOpposed(test, other)));
  const here = visits.filter(isHere);
  const scalars = visits.flatMap((visit) =>
    here.includes(visit) ? computedAt(visit) : computedAt(visit).slice(0, -1),
  );
  const each = tallyOf(scalars, { there, outcomes });
  const [elements, writing] = [
    here.map(({ definition }) => definition.element),
    writingAmong(here),
  ];
  const sent = elements.filter((_, k) => !here[k]!.cells);
  const bytes = [...sent, ...elements.slice(0, writing)].reduce(
    (total, element) => total + bytesOf[element],
    0,
  );
  return sumOfWork([
    workAt(count, { ...each, arithmetic: each.arithmetic + combiningIn(here) }),
    { ...noWork, cells: scaled(count([]), writing + sent.length), bytes: scaled(count([]), bytes) },
  ]);
}

/** Of how many conditions all outcomes are looked at. */
const mostConditions = 3;

/** The outcomes of the conditions that leave out some visits of a walk, where others are left out or choose by their opposites: where one goes one way, all of these do. */
function waysThrough(visits: readonly Visit[]): readonly (readonly Outcome[])[] {
  const tests = visits.flatMap(testsOf);
  const choosing = new Set<string>();
  for (const scalar of visits.flatMap(({ scalars }) => scalars))
    eachScalar(
      scalar,
      (part) => void (part.kind === "select" && choosing.add(numberOf(part.condition))),
    );
  const matters = (test: Outcome): boolean =>
    choosing.has(numberOf(test.value)) || tests.some((other) => areOpposed(test, other));
  const conditions = new Map(tests.filter(matters).map(({ value }) => [numberOf(value), value]));
  return [...conditions.values()]
    .slice(0, mostConditions)
    .reduce<readonly (readonly Outcome[])[]>(
      (ways, value) =>
        ways.flatMap((way) => [true, false].map((holds) => [...way, { value, holds }])),
      [[]],
    );
}

/** What is tested of data at each point of a visit. */
function testsOf({ scalars }: Visit): readonly Outcome[] {
  return scalars.slice(0, -1).map(outcomeOf);
}

function areOpposed(a: Outcome, b: Outcome): boolean {
  return a.holds !== b.holds && numberOf(a.value) === numberOf(b.value);
}

/** What a clause takes beside its points: the cells that it writes, what is computed once for each of them, and those that are filled. */
function workOfCells({ element, origin }: Definition, clause: Clause): Work {
  const { loops, guards, body, otherwise } = clause;
  const box = pointsOf(loops, []).count;
  const filling = otherwise
    ? workAt((under) => pointsOf(loops, under).count, tallyOf([otherwise]))
    : noWork;
  const written = (count: Polynomial): Work => ({
    ...noWork,
    cells: count,
    bytes: scaled(count, bytesOf[element]),
  });
  if (isHandedOut(clause) || (origin === "helper" && isFilling(clause)))
    return { ...noWork, filled: box };
  if (body.kind === "map") {
    const own = pointsOf(loops, guards);
    return sumOfWork([
      written(own.count),
      own.narrowed ? { ...noWork, filled: box } : noWork,
      filling,
    ]);
  }
  if (isScatter(clause)) return sumOfWork([{ ...noWork, filled: box }, filling]);
  // What is reduced over nothing has no terms: such cells are filled.
  const summed = cutToRanges(loops, body.loops);
  const beside = body.guards
    .flatMap(conjuncts)
    .filter((guard) => isOfCoordinates(guard) && !usesAny(guard, body.loops));
  const isEmptySomewhere = beside.length > 0 || summed.some((loop, k) => loop !== loops[k]);
  const cells: Count = (under) => pointsOf(summed, [...guards, ...beside, ...under]).count;
  const around = tallyOf([...guards.flatMap(dataGuards), ...body.loops.flatMap(boundsOf)]);
  const filled = isEmptySomewhere ? { ...noWork, filled: box } : noWork;
  return sumOfWork([written(cells([])), workAt(cells, around), filled, filling]);
}

/** Whether cells are there because their definition has some beside them: they have a number, and nobody reads it. */
function isFilling({ body }: Clause): boolean {
  return body.kind === "map" && body.value.kind === "constant";
}

/** Bounds that data decide are read once for each cell. */
function boundsOf(loop: Loop): readonly Scalar[] {
  return [loop.from, loop.to].filter((bound) => bound.kind !== "integer");
}

/** At how many points further conditions on coordinates hold. */
type Count = (under: readonly Scalar[]) => Polynomial;

/** Loops that functions go through by calling themselves, each inside of the one before, and how often the first is begun. */
interface Nest {
  readonly begun: Polynomial;
  readonly rounds: NonNullable<ScalarFunction["rounds"]>;
}

/** What encloses a call: loops that functions go through, and the functions whose calls are counted. */
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
  const inside = tally.under.map(({ condition, tally: inner }) =>
    workAt((under) => count([condition, ...under]), inner, around),
  );
  return sumOfWork([own, ...calls, ...inside]);
}

/** Calls are taken back once, by whichever function: those that one hands on to another are among those that are counted. */
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

/** How many numbers a call writes, with one of each of those that the function calls in turn. */
function writtenBy(called: ScalarFunction): number {
  const group = groupOf(called);
  const isLoop = ![...group].some(({ results }) =>
    [...lookedAt(results)].some((inside) => group.has(inside.function)),
  );
  return [...group].reduce(
    (total, each) => total + (isLoop ? changedIn(each, group) : resultsOf(each)),
    0,
  );
}

/** How many numbers change from a round of a loop to the next one: where ends differ, the most of them. What is handed on under its name stays where it is; integers, conditions and data are addresses. */
function changedIn(
  { results, parameters }: ScalarFunction,
  group: ReadonlySet<ScalarFunction>,
): number {
  const counts = tailCalls(results).map(({ function: next, arguments: given }) => {
    const isHandedOn = (value: Scalar, k: number): boolean => {
      const scalar = withoutName(value);
      const into = next.parameters[k]!;
      if (scalar.kind !== "parameter") return false;
      return next.parameters === parameters
        ? scalar.parameter.variable === into.variable
        : scalar.parameter.name === into.name;
    };
    return group.has(next)
      ? given.filter((value, k) => isFloat(value.type) && !isHandedOn(value, k)).length
      : 0;
  });
  return Math.max(1, ...counts);
}

/** How many results a call writes. */
function resultsOf({ results }: ScalarFunction): number {
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

/** One call of a function, without the calls of it and of those that call it in turn: they are counted by how many there are. */
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
  return tallyOf(results, { inside: inTurn });
}
