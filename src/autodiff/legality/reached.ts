// Proves that every cell of a recurrence is read, so that gradients in it need no test for 0.
//
// A gradient that is 0 because nothing reads its cell must contribute nothing, even if the slope is
// infinite. So it is tested for 0 before it is multiplied. If every cell is read, there is nothing
// to test:
//
//    y[t] = y[t - 1] / b[t],   loss = y[9]
//    d_y[t] = (if t == 9 { 1 }) + (if t + 1 in 1..10 { d_y[t + 1] / b[t + 1] })
//
// The conditions of a contribution tell at which cells it arrives. If each cell that one
// contribution leaves out gets another one, each cell is read from outside or by a cell of a later
// step. That cell is read, too, as long as there are later steps. A sum arrives where one of its
// terms arrives. To find such a term, coordinates of the point are tried as its summed coordinates.
//
//    h[t, i] = prod[k](h[t - 1, k] where k != i)
//    h[t, i] is read in h[t + 1, k], if there is a k for which it sends anything

import { isOff } from "../../ir/rewrites.ts";
import { contradictory, type Fact } from "../../affine/prove.ts";
import { ofVariable, type Variable } from "../../affine/term.ts";
import { conjuncts } from "../../cost/points.ts";
import { factsOf, isImplied, loopFacts } from "../../analyse/facts.ts";
import { compared } from "../../ir/integers.ts";
import { keyOf } from "../../ir/keys.ts";
import { negation } from "../../analyse/opposite.ts";
import { callsSomething, isOfCoordinates, readsIn, scalarsOf, isAnywhere } from "../../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { instantiate, integerScalar, atIndices, coordinateScalar } from "../../ir/substitute.ts";
import { nowhere } from "../../base/source.ts";
import { wholeLoops } from "../sweep/cells.ts";
import { isFiltered, rebuilt, type Read } from "../rewrites/expression-parts.ts";
import { asFormula } from "../sweep/formulas.ts";
import { zerosOf, type Adjoint, type Arrived, type Sweep } from "../sweep/sweep.ts";
import { conditionsOf, type Piece } from "../transpose/transpose.ts";

/** The most kinds of contributions that are considered together. */
const mostKinds = 6;

/** The most choices of summed coordinates that are tried. */
const mostChoices = 4;

/**
 * Removes the tests for 0 from the contributions of a recurrence, if every cell of the sending
 * member is read.
 */
export function withoutTests(
  sweep: Sweep,
  group: readonly Definition[],
  adjoints: readonly Adjoint[],
  arrived: readonly Arrived[],
): void {
  if (isOff("reached")) return;
  if (sweep.lanes.length > 0 || zerosOf(arrived) === "guarded" || group.some(isFilteredByData))
    return;
  const sent = [...sweep.pieces.values()].flat().filter(({ from }) => group.includes(from));
  if (!sent.some(({ piece }) => isTested(piece.value))) return;
  const read = readEverywhere(sweep, group, adjoints);
  const plain = new Map<Piece, Piece>();
  for (const [target, arrived] of sweep.pieces) {
    const others = arrived.map((each): Arrived => {
      const own = adjoints[group.indexOf(each.from)]?.definition;
      if (!own || !isSentByRead(each, read)) return each;
      const piece = { ...each.piece, value: withoutTestsOf(each.piece.value, new Set([own])) };
      plain.set(each.piece, piece);
      return { ...each, piece, zeros: "none" };
    });
    sweep.pieces.set(target, others);
  }
  const { pullbacks } = sweep.trace;
  for (const [k, pullback] of pullbacks.entries())
    pullbacks[k] = { ...pullback, piece: plain.get(pullback.piece) ?? pullback.piece };
}

/**
 * Clauses of which every sending cell is known to be read, and definitions that pass their gradient
 * on and of which every cell is known to be read.
 */
type Known = ReadonlySet<Clause | Definition>;

function isRead(member: Definition, read: Known): boolean {
  return (
    read.has(member) ||
    (member.clauses.length > 0 && member.clauses.every((clause) => read.has(clause)))
  );
}

/** Are the cells that send the contribution known to be read? */
function isSentByRead({ from, by }: Arrived, read: Known): boolean {
  return typeof by === "number" ? read.has(from.clauses[by]!) : isRead(from, read);
}

function isTested(value: Scalar): boolean {
  return isAnywhere(value, (part) => part.kind === "select" && part.isProduct === true);
}

function withoutTestsOf(value: Scalar, known: ReadonlySet<Definition>): Scalar {
  return rebuilt(value, (scalar) => {
    if (scalar.kind !== "select" || !scalar.isProduct || scalar.condition.kind !== "apply")
      return undefined;
    const [tested] = scalar.condition.operands;
    const incoming = tested?.kind === "cast" ? tested.operand : tested;
    return incoming?.kind === "read" && known.has(incoming.definition)
      ? scalar.otherwise
      : undefined;
  });
}

/** Does data decide which cells of the definition exist, or which elements of them count? */
function isFilteredByData({ clauses }: Definition): boolean {
  return clauses.some((clause) => isFiltered(clause) && !filtersOf(clause).every(isOfCoordinates));
}

function filtersOf({ guards, body }: Clause): readonly Scalar[] {
  return body.kind === "map" ? guards : [...guards, ...body.guards];
}

/** The clauses of a recurrence whose cells are read wherever they send a contribution. */
function readEverywhere(
  sweep: Sweep,
  group: readonly Definition[],
  adjoints: readonly Adjoint[],
): Known {
  const own = new Set(adjoints.map(({ definition }) => definition));
  // A contribution that was added up before, or is tested for another reason, may not arrive in
  // some cells.
  const isSure = ({ by, piece }: Arrived): boolean =>
    by !== undefined && !isTested(withoutTestsOf(piece.value, own));
  const counts = (each: Arrived): boolean =>
    isSure(each) && (group.includes(each.from) ? isSentByRead(each, read) : each.zeros === "none");
  const all = group.flatMap((member) =>
    sendersOf(sweep, group, member).map((sender) => ({ member, ...sender })),
  );
  const read = new Set(all.map(({ key }) => key));
  // If a clause turns out not to be read everywhere, the clauses that rely on it are checked again.
  for (let before = -1; before !== read.size;) {
    before = read.size;
    for (const { member, key, sending } of all) {
      const arrived = (sweep.pieces.get(member) ?? []).filter(counts);
      if (!sending.every((points) => isCovered(sweep, points, arrived))) read.delete(key);
    }
  }
  return read;
}

/**
 * The points at which a cell sends contributions. The first coordinates of a point are those of the
 * cell.
 */
interface Sending {
  readonly cell: readonly Loop[];
  readonly loops: readonly Loop[];
  readonly conditions: readonly Scalar[];
}

interface Sender {
  readonly key: Clause | Definition;
  readonly sending: readonly Sending[];
}

function sendersOf(
  sweep: Sweep,
  group: readonly Definition[],
  member: Definition,
): readonly Sender[] {
  const loops = wholeLoops(member);
  if (member.rule ?? sweep.graph.parameterOf(member))
    return [{ key: member, sending: [{ cell: loops, loops, conditions: [] }] }];
  return member.clauses.map((clause) => ({
    key: clause,
    sending: sendingOf(sweep, group, clause),
  }));
}

function sendingOf(
  { activity, denominators }: Sweep,
  group: readonly Definition[],
  written: Clause,
): readonly Sending[] {
  const clause = asFormula(written);
  const { loops, body, otherwise } = clause;
  // Where the guards fail, the `else` value may send contributions.
  if (otherwise && readsSomething(otherwise)) return [{ cell: loops, loops, conditions: [] }];
  const scalars = scalarsOf(clause);
  const kinds = new Map<string, readonly Scalar[]>(scalars.some(callsSomething) ? [["", []]] : []);
  for (const read of readsIn(scalars).filter(({ definition }) => activity.isActive(definition))) {
    // A denominator is an answer: its cells may be sent anything.
    const isPassed = group.includes(read.definition) && !denominators.has(read.definition);
    const further = isPassed ? sendingConditions(read) : [];
    kinds.set(further.map(keyOf).join(), further);
  }
  // A cell that is read without further conditions is read with them, too.
  const needed = kinds.has("") ? [[]] : [...kinds.values()];
  const points = body.kind === "map" ? loops : [...loops, ...body.loops];
  return needed.map((further) => ({
    cell: loops,
    loops: points,
    conditions: [...filtersOf(clause), ...further],
  }));
}

/** Conditions on coordinates under which the cell that is read sends contributions itself. */
function sendingConditions({ definition, indices }: Read): readonly Scalar[] {
  const [only, another] = definition.clauses
    .map(asFormula)
    .filter((clause) => scalarsOf(clause).some(readsSomething));
  if (!only || another || (only.otherwise && readsSomething(only.otherwise))) return [];
  const by = atIndices(only.loops, indices);
  return only.guards.filter(isOfCoordinates).map((guard) => instantiate(guard, by));
}

function readsSomething(scalar: Scalar): boolean {
  return !isOfCoordinates(scalar);
}

/** Does a contribution arrive in the cell of every point? */
function isCovered(
  { opaque, known }: Sweep,
  { cell, loops, conditions }: Sending,
  arrived: readonly Arrived[],
): boolean {
  const kinds = new Map<string, readonly Scalar[]>();
  for (const { piece } of arrived) {
    const by = atIndices(piece.axes, cell.map(coordinateScalar));
    for (const needed of termsAt(piece, by, loops)) kinds.set(needed.map(keyOf).join(), needed);
  }
  // The solver has no fact that two positions differ. Instead, such a condition contradicts facts
  // that they are equal.
  const denied = conditions.map((condition) => negation(condition, nowhere));
  const isNowhere = (facts: readonly Fact[]): boolean =>
    contradictory(facts) || denied.some((condition) => isImplied(opaque, condition, facts));
  const isCoveredBy = (
    [first, ...others]: readonly (readonly Scalar[])[],
    facts: readonly Fact[],
  ): boolean =>
    isNowhere(facts) ||
    (first !== undefined &&
      first.every((condition) =>
        isCoveredBy(others, [...facts, ...factsOf(opaque, condition, false, facts)]),
      ));
  const fewest = [...kinds.values()].sort((a, b) => a.length - b.length).slice(0, mostKinds);
  const inside = [...known, ...loopFacts(opaque, loops, known)];
  return isCoveredBy(fewest, [
    ...inside,
    ...conditions.flatMap((guard) => factsOf(opaque, guard, true, inside)),
  ]);
}

/**
 * Conditions under which a contribution has a term at a point. There is one list for each choice of
 * coordinates of the point as the summed coordinates.
 */
function termsAt(
  piece: Piece,
  by: ReadonlyMap<Variable, Scalar>,
  own: readonly Loop[],
): readonly (readonly Scalar[])[] {
  const choices = piece.summed.reduce<readonly ReadonlyMap<Variable, Scalar>[]>(
    (found, { variable: v }) =>
      found
        .flatMap((each) => own.map((loop) => new Map([...each, [v, coordinateScalar(loop)]])))
        .slice(0, mostChoices),
    [by],
  );
  const conditions = [...piece.summed.flatMap(rangeConditions), ...conditionsOf(piece)];
  return choices.map((choice) =>
    conditions.flatMap((condition) => conjuncts(instantiate(condition, choice))),
  );
}

function rangeConditions({ variable: v, from, to }: Loop): readonly Scalar[] {
  const at = integerScalar(ofVariable(v));
  return [compared("lessEqual", from, at, nowhere), compared("less", at, to, nowhere)];
}
