// Reads that cannot be of their reader's own step, because the cell would wait for itself.
//
// In h[i, j] = Σ_k w[j, k]·h[p[i], k] data decides the step p[i], and it may be i. But a cell that
// reads the whole row i also reads h[i, j], for k = j, so no order of the row computes it in time.
// The step must be another one, and the cells of a row are independent of one another. The path
// from the cell that is read back to the reader may lead through other members of the recurrence,
// each read at the same position of the same step. A definition cannot read its own later cells
// either: h[p[i], j + 1].

import { equal, ofVariable, type Term, type Variable } from "../affine/term.ts";
import {
  atMost,
  contradictory,
  holds,
  lessThan,
  sameValue,
  within,
  type Fact,
} from "../affine/prove.ts";
import { boundsOf, loopFacts, termOf, type Opaque } from "./facts.ts";
import { integerOf } from "../ir/integers.ts";
import { eachScalar, partsOf, isAnywhere } from "../ir/parts.ts";
import type { Clause, Definition, Local, Loop, Scalar } from "../ir/program.ts";
import { usesAny } from "./ties.ts";

type Read = Extract<Scalar, { kind: "read" }>;

/** The axis of each member along which a loop runs, aligned at equal positions. */
export type Aligned = ReadonlyMap<Definition, number>;

/** A read in a clause of a member, and the facts that hold there. */
interface OwnRead {
  readonly reader: Definition;
  readonly clause: Clause;
  readonly read: Read;
  readonly facts: readonly Fact[];
}

/**
 * Whether a read, if it is of the same step of all loops, waits for the reader itself. `loops` are
 * the loops around it and the loop in question.
 */
export function waitsForItself(
  opaque: Opaque,
  loops: readonly Aligned[],
  ownRead: OwnRead,
): boolean {
  const { reader, clause, read, facts } = ownRead;
  const axes = innerAxes(loops, reader);
  const inside = axes.map((axis) => ofVariable(clause.loops[axis]!.variable));
  const reduced = clause.body.kind === "reduce" ? clause.body.loops : [];
  const isAtPlace = (at: Term, here: Term, k: number): boolean =>
    holds(sameValue(at, here), facts) ||
    (reader === read.definition && isLater(ownRead, axes[k]!, at, here));
  const chosen = chosenAt(opaque, innerIndices(loops, read), inside, reduced, facts, isAtPlace);
  if (!chosen || !isMadeForAll(loops, ownRead, chosen)) return false;
  const steps = loops.map((axes) => ofVariable(clause.loops[axes.get(reader)!]!.variable));
  return leadsTo({ opaque, loops, steps, inside, facts, to: reader }, read.definition, new Set());
}

/**
 * Whether a cell certainly does not come before the reader. This is for cells without a loop, which
 * run upward.
 */
function isLater({ reader, facts }: OwnRead, axis: number, at: Term, here: Term): boolean {
  const isUpward =
    reader.origin === "declared" && !reader.clauses.some(({ loops }) => loops[axis]!.reversed);
  return isUpward && holds(atMost(here, at), facts);
}

/** The position in question: the steps of the loops, and the position along the other axes. */
interface Place {
  readonly opaque: Opaque;
  readonly loops: readonly Aligned[];
  readonly steps: readonly Term[];
  readonly inside: readonly Term[];
  readonly facts: readonly Fact[];
  readonly to: Definition;
}

/**
 * Whether the cell of a member at the place needs the cell of another member, whichever clause
 * defines it.
 */
function leadsTo(place: Place, from: Definition, seen: ReadonlySet<Definition>): boolean {
  if (from === place.to) return true;
  if (seen.has(from) || innerAxes(place.loops, from).length !== place.inside.length) return false;
  const further = new Set([...seen, from]);
  const owners = from.clauses.filter((clause) => mayOwn(place, from, clause));
  return (
    owners.length > 0 &&
    owners.every((clause) =>
      targetsOf(place, from, clause).some((target) => leadsTo(place, target, further)),
    )
  );
}

function mayOwn(
  { opaque, loops, steps, inside, facts }: Place,
  member: Definition,
  clause: Clause,
): boolean {
  const free = innerAxes(loops, member);
  const here = [
    ...loops.map((axes, k) => ({ loop: clause.loops[axes.get(member)!]!, at: steps[k]! })),
    ...free.map((axis, k) => ({ loop: clause.loops[axis]!, at: inside[k]! })),
  ];
  // A coordinate of the clause itself means nothing at the place.
  const known = here.filter(
    ({ loop: { from, to } }) => ![from, to].some((bound) => usesAny(bound, clause.loops)),
  );
  return !contradictory([
    ...facts,
    ...known.flatMap(({ loop, at }) => within(at, boundsOf(opaque, loop, facts))),
  ]);
}

/** The members that a clause reads in every one of its cells, at the same place as the cell. */
function targetsOf(
  { opaque, loops }: Place,
  member: Definition,
  clause: Clause,
): readonly Definition[] {
  const { body } = clause;
  if (clause.otherwise || (body.kind === "reduce" && body.guards.length > 0)) return [];
  const reduced = body.kind === "reduce" ? body.loops : [];
  const facts = loopFacts(opaque, clause.loops, []);
  const inside = innerAxes(loops, member).map((axis) => ofVariable(clause.loops[axis]!.variable));
  const isHere = (read: Read): boolean => {
    if (!loops.every((axes) => axes.has(read.definition))) return false;
    const isSameStep = loops.every((axes) => {
      const at = integerOf(read.indices[axes.get(read.definition)!]!);
      return at !== undefined && equal(at, ofVariable(clause.loops[axes.get(member)!]!.variable));
    });
    // If a further coordinate is reduced, its range may be empty, and then the read does not take
    // place.
    const isAtPlace = (at: Term, here: Term): boolean => holds(sameValue(at, here), facts);
    const chosen = chosenAt(opaque, innerIndices(loops, read), inside, reduced, facts, isAtPlace);
    return isSameStep && chosen?.size === reduced.length;
  };
  return certainReads(body.value)
    .filter(isHere)
    .map((read) => read.definition);
}

/**
 * The reduced coordinates that must have certain positions for the indices to be a position.
 * Undefined if the indices cannot be it.
 */
function chosenAt(
  opaque: Opaque,
  indices: readonly Scalar[],
  position: readonly Term[],
  reduced: readonly Loop[],
  facts: readonly Fact[],
  isAtPlace: (at: Term, here: Term, k: number) => boolean,
): ReadonlyMap<Variable, Loop> | undefined {
  if (indices.length !== position.length) return undefined;
  const chosen = new Map<Variable, Loop>();
  for (const [k, index] of indices.entries()) {
    const [at, here] = [termOf(opaque, index, facts), position[k]!];
    const loop = reduced.find((each) => equal(at, ofVariable(each.variable)));
    if (!loop) {
      if (!isAtPlace(at, here, k)) return undefined;
      continue;
    }
    const { from, to } = boundsOf(opaque, loop, facts);
    if (
      chosen.has(loop.variable) ||
      !holds(atMost(from, here), facts) ||
      !holds(lessThan(here, to), facts)
    )
      return undefined;
    chosen.set(loop.variable, loop);
  }
  return chosen;
}

/**
 * Whether a read that takes place for one position of some reduced coordinates takes place for all
 * of them, in the same step.
 */
function isMadeForAll(
  loops: readonly Aligned[],
  { clause, read }: OwnRead,
  chosen: ReadonlyMap<Variable, Loop>,
): boolean {
  const { body } = clause;
  if (body.kind === "map" || chosen.size === 0) return true;
  const some = [...chosen.values()];
  const steps = loops.map((axes) => read.indices[axes.get(read.definition)!]!);
  const others = body.loops.filter((loop) => !chosen.has(loop.variable));
  const deciding = [...steps, ...body.guards, ...others.flatMap(({ from, to }) => [from, to])];
  return (
    !deciding.some((scalar) => usesAny(scalar, some)) &&
    some.every(({ from, to }) => ![from, to].some((bound) => usesAny(bound, body.loops))) &&
    !conditionsAround(body.value, read).some((condition) => usesAny(condition, some))
  );
}

/** The conditions in a scalar that decide whether a read takes place. */
function conditionsAround(value: Scalar, read: Read): readonly Scalar[] {
  const contains = (scalar: Scalar): boolean => {
    return isAnywhere(scalar, (part) => part === read);
  };
  const conditions: Scalar[] = [];
  eachScalar(value, (part) => {
    if (part.kind === "select" && (contains(part.then) || contains(part.otherwise)))
      conditions.push(part.condition);
    if (isShortCircuit(part) && contains(part.operands[1]!)) conditions.push(part.operands[0]!);
  });
  return conditions;
}

/** The reads that take place whenever a scalar is computed. */
function certainReads(scalar: Scalar): readonly Read[] {
  const found: Read[] = [];
  const seen = new Set<Local>();
  const visit = (part: Scalar): void => {
    if (part.kind === "read") found.push(part);
    if (part.kind === "select") visit(part.condition);
    else if (isShortCircuit(part)) visit(part.operands[0]!);
    else if (part.kind !== "local") partsOf(part).forEach(visit);
    else if (!seen.has(part.local)) {
      seen.add(part.local);
      visit(part.local.value);
    }
  };
  visit(scalar);
  return found;
}

/** `a && b` and `a || b`: the second operand is computed only if the first does not decide. */
function isShortCircuit(part: Scalar): part is Extract<Scalar, { kind: "apply" }> {
  return part.kind === "apply" && (part.operation === "and" || part.operation === "or");
}

function innerIndices(loops: readonly Aligned[], { definition, indices }: Read): readonly Scalar[] {
  return innerAxes(loops, definition).map((axis) => indices[axis]!);
}

/** The axes of a member along which no loop runs. */
function innerAxes(loops: readonly Aligned[], member: Definition): readonly number[] {
  return [...member.axes.keys()].filter((axis) => !loops.some((axes) => axes.get(member) === axis));
}
