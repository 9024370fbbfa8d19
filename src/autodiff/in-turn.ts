// Functions that end with calls of one another, as one function that ends with calls of itself: what is computed next is a number that it is given, and it has
// the parameters of all of them.
//
//   f(x) = … g(a)      g(y) = … f(b)      are      turn(0, x, y) = … turn(1, 0, a)      turn(1, x, y) = … turn(0, b, 0)

import { constant } from "../ir/affine/term.ts";
import type { Invocation, Parameter, Scalar, ScalarFunction } from "../ir/program.ts";
import { integerScalar } from "../ir/substitute.ts";
import { lookedAt, sharedBranch, sharedCall, tailGroup } from "../ir/tail-calls.ts";
import { compared } from "../ir/integers.ts";
import type { Span } from "../syntax/source.ts";
import { newParameter, valueOf, zeroScalar } from "./frames.ts";

const turns = new WeakMap<ScalarFunction, ScalarFunction>();

/** The same function, as a call of one that goes on by itself; the function as it is where it does so already. */
export function inTurn(of: ScalarFunction): ScalarFunction {
  const known = turns.get(of);
  if (known) return known;
  const group = tailGroup(of);
  if (group.length === 1 || group.some(({ rule }) => rule)) return of;
  const next = newParameter("next", "i32");
  const parameters = [next, ...group.flatMap((each) => each.parameters)];
  const turn: ScalarFunction = {
    name: of.name,
    parameters,
    results: [],
    needs: new Set(group.flatMap(({ needs }) => [...needs])),
    span: of.span,
  };
  const called = ({ function: member, arguments: given, span }: Invocation): readonly Scalar[] =>
    turnTo(turn, of.results, group, group.indexOf(member), given, span);
  turn.results = group
    .map((member, k) => ({ k, results: ended(member.results, lookedAt(member.results), group, called) }))
    .reduceRight<readonly Scalar[]>(
      (others, { k, results }) =>
        others.length === 0
          ? results
          : results.map((then, member): Scalar => ({
              kind: "select",
              type: then.type,
              condition: isNext(next, k, of.span),
              then,
              otherwise: others[member]!,
            })),
      [],
    );
  for (const [k, each] of group.entries()) {
    const results = turnTo(turn, each.results, group, k, each.parameters.map(valueOf), each.span);
    turns.set(each, { ...each, results });
  }
  return turns.get(of)!;
}

function isNext(next: Parameter, k: number, span: Span): Scalar {
  return compared("equal", valueOf(next), integerScalar(constant(k)), span);
}

function turnTo(
  turn: ScalarFunction,
  results: readonly Scalar[],
  group: readonly ScalarFunction[],
  k: number,
  given: readonly Scalar[],
  span: Span,
): readonly Scalar[] {
  const others = group.map((each, at) => (at === k ? given : each.parameters.map(({ type }) => zeroScalar(type))));
  const invocation: Invocation = { function: turn, arguments: [integerScalar(constant(k)), ...others.flat()], span };
  return results.map(({ type }, member) => ({ kind: "call", type, invocation, member }));
}

/** Results with other calls at their ends. */
function ended(
  results: readonly Scalar[],
  lookups: ReadonlySet<Invocation>,
  group: readonly ScalarFunction[],
  called: (invocation: Invocation) => readonly Scalar[],
): readonly Scalar[] {
  const branch = sharedBranch(results);
  if (branch) {
    const [then, otherwise] = [branch.then, branch.otherwise].map((side) => ended(side, lookups, group, called));
    const { condition } = branch;
    return then!.map((value, k): Scalar => ({
      kind: "select",
      type: value.type,
      condition,
      then: value,
      otherwise: otherwise![k]!,
    }));
  }
  const last = sharedCall(results);
  return last && group.includes(last.function) && !lookups.has(last) ? called(last) : results;
}
