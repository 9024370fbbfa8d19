// Whether every cell of a recurrence is read, so that no gradient in it is 0 for want of a reader.
//
// A gradient that is 0 because nothing reads its cell contributes nothing, however steep the slope is there: it is tested before it is multiplied by what may
// be infinite. Where something reads every cell there is nothing to test:
//
//   y[t] = y[t - 1] / b[t],   loss = y[9]      d_y[t] = (if t == 9 { 1 }) + (if t + 1 in 1..10 { d_y[t + 1] / b[t + 1] })
//
// What arrives at a member says in which of its cells it does. If what one contribution leaves out is left to others, down to nothing, each cell is read from
// outside or by a cell of a later step; and that one is read, too, as long as there are later steps.

import { contradictory, type Fact } from "../ir/affine/prove.ts";
import { ofVariable } from "../ir/affine/term.ts";
import { conjuncts } from "../ir/cost/points.ts";
import { factsOf, loopFacts } from "../ir/facts.ts";
import { keyOf } from "../ir/keys.ts";
import { eachScalar, scalarsOf } from "../ir/parts.ts";
import type { Clause, Definition, Scalar } from "../ir/program.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { isPart, rebuilt } from "./expression-parts.ts";
import type { Adjoint, Arrived, Sweep } from "./sweep.ts";
import { conditionsOf, type Piece } from "./transpose.ts";

/** How many kinds of contributions are looked at together. */
const several = 6;

/** Takes the tests for 0 out of what a recurrence has sent back, where every cell of the member that sent it is read; gives the members that are known to be. */
export function withoutTests(
  sweep: Sweep,
  group: readonly Definition[],
  adjoints: readonly Adjoint[],
): ReadonlySet<Definition> {
  if (sweep.lanes.length > 0 || adjoints.some(({ zeros }) => zeros !== "unread")) return new Set();
  const sent = [...sweep.pieces.values()].flat().filter(({ from }) => group.includes(from));
  if (!sent.some(({ piece }) => isTested(piece.value)) && !group.some(isPart)) return new Set();
  const read = readEverywhere(sweep, group);
  const known = new Set(adjoints.flatMap(({ definition }, k) => (read.has(group[k]!) ? [definition] : [])));
  const plain = new Map<Piece, Piece>();
  for (const [target, arrived] of sweep.pieces) {
    const others = arrived.map((each): Arrived => {
      if (!read.has(each.from)) return each;
      const piece = { ...each.piece, value: untested(each.piece.value, known) };
      plain.set(each.piece, piece);
      return { ...each, piece, zeros: "none" };
    });
    sweep.pieces.set(target, others);
  }
  const { pullbacks } = sweep.trace;
  for (const [k, pullback] of pullbacks.entries())
    pullbacks[k] = { ...pullback, piece: plain.get(pullback.piece) ?? pullback.piece };
  return read;
}

function isTested(value: Scalar): boolean {
  let found = false;
  eachScalar(value, (part) => void (found ||= part.kind === "select" && part.isProduct === true));
  return found;
}

function untested(value: Scalar, known: ReadonlySet<Definition>): Scalar {
  return rebuilt(value, (scalar) => {
    if (scalar.kind !== "select" || !scalar.isProduct || scalar.condition.kind !== "apply") return undefined;
    const [tested] = scalar.condition.operands;
    const incoming = tested?.kind === "cast" ? tested.operand : tested;
    return incoming?.kind === "read" && known.has(incoming.definition) ? scalar.otherwise : undefined;
  });
}

/** The members of a recurrence of which every cell is read that reads something itself. */
function readEverywhere(sweep: Sweep, group: readonly Definition[]): ReadonlySet<Definition> {
  const read = new Set(group);
  // What counts on a member that is not read everywhere has to be looked at again.
  for (let before = -1; before !== read.size;) {
    before = read.size;
    for (const member of read) {
      const counts = ({ from, zeros, piece }: Arrived): boolean =>
        piece.summed.length === 0 && (group.includes(from) ? read.has(from) : zeros === "none");
      const arrived = (sweep.pieces.get(member) ?? []).filter(counts);
      const own = member.clauses.filter(readsSomething);
      if (!own.every((clause) => covered(sweep, clause, arrived))) read.delete(member);
    }
  }
  return read;
}

function readsSomething(clause: Clause): boolean {
  let found = false;
  const look = (part: Scalar): void => void (found ||= part.kind === "read" || part.kind === "call");
  for (const scalar of scalarsOf(clause)) eachScalar(scalar, look);
  return found;
}

/** Whether something arrives in every cell of a clause. */
function covered({ opaque, known }: Sweep, { loops, guards }: Clause, arrived: readonly Arrived[]): boolean {
  const kinds = new Map<string, readonly Scalar[]>();
  for (const { piece } of arrived) {
    const by = new Map(piece.axes.map((axis, k) => [axis.variable, integerScalar(ofVariable(loops[k]!.variable))]));
    const conditions = conditionsOf(piece).flatMap((condition) => conjuncts(instantiate(condition, by)));
    kinds.set(conditions.map(keyOf).join(), conditions);
  }
  const isLeftTo = ([first, ...others]: readonly (readonly Scalar[])[], facts: readonly Fact[]): boolean =>
    contradictory(facts) ||
    (first !== undefined &&
      first.every((condition) => isLeftTo(others, [...facts, ...factsOf(opaque, condition, false, facts)])));
  const fewest = [...kinds.values()].sort((a, b) => a.length - b.length).slice(0, several);
  const inside = [...known, ...loopFacts(opaque, loops, known)];
  return isLeftTo(fewest, [...inside, ...guards.flatMap((guard) => factsOf(opaque, guard, true, inside))]);
}
