// How a function ends: choices that all of its results share, and calls whose results are its own.
//
//   fn f(n: i32, x: f32) -> f32 { if n == 0 { x } else { f(n - 1, 2.0 * x) } }     ends with x or f

import { keyOf } from "../../ir/keys.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Invocation, Scalar, ScalarFunction } from "../../ir/program.ts";

interface SharedBranch {
  readonly condition: Scalar;
  readonly then: readonly Scalar[];
  readonly otherwise: readonly Scalar[];
}

/** The choice by one condition that all results share. */
export function sharedBranch(results: readonly Scalar[]): SharedBranch | undefined {
  const choices = results
    .map(asChoice)
    .flatMap((result) => (result.kind === "select" ? [result] : []));
  const [first] = choices;
  if (!first || choices.length !== results.length) return undefined;
  const key = results.length > 1 ? keyOf(first.condition) : "";
  if (results.length > 1 && choices.some((choice) => keyOf(choice.condition) !== key))
    return undefined;
  return {
    condition: first.condition,
    then: choices.map((choice) => choice.then),
    otherwise: choices.map((choice) => choice.otherwise),
  };
}

/**
 * `a || b` chooses between true and b, and `a && b` between b and false: b is computed last. A
 * choice under a name counts too.
 */
function asChoice(named: Scalar): Scalar {
  const scalar = withoutName(named);
  if (scalar.kind !== "apply" || (scalar.operation !== "or" && scalar.operation !== "and"))
    return scalar;
  const [condition, last] = scalar.operands;
  const known: Scalar = { kind: "constant", type: "bool", value: scalar.operation === "or" };
  const [then, otherwise] = scalar.operation === "or" ? [known, last!] : [last!, known];
  return { kind: "select", type: "bool", condition: condition!, then, otherwise };
}

function withoutName(scalar: Scalar): Scalar {
  let at = scalar;
  while (at.kind === "local") at = at.local.value;
  return at;
}

/**
 * The call whose results, all of them and in order, are the given results. A result under a name
 * counts too.
 */
export function sharedCall(named: readonly Scalar[]): Invocation | undefined {
  const results = named.map(withoutName);
  const [first] = results;
  if (first?.kind !== "call" || first.invocation.function.results.length !== results.length)
    return undefined;
  const { invocation } = first;
  const isWhole = results.every(
    (each, k) => each.kind === "call" && each.invocation === invocation && each.member === k,
  );
  return isWhole ? invocation : undefined;
}

/**
 * Calls whose values the function uses. If the function ends with such a call, the value is
 * computed already, so the call cannot become a jump.
 */
export function lookedAt(results: readonly Scalar[]): ReadonlySet<Invocation> {
  const found = new Set<Invocation>();
  const note = (scalar: Scalar): void =>
    eachScalar(scalar, (part) => void (part.kind === "call" && found.add(part.invocation)));
  const visit = (ends: readonly Scalar[]): void => {
    const branch = sharedBranch(ends);
    if (branch) {
      note(branch.condition);
      visit(branch.then);
      visit(branch.otherwise);
    } else (sharedCall(ends)?.arguments ?? ends).forEach(note);
  };
  visit(results);
  return found;
}

/** The calls that results end with. */
export function tailCalls(results: readonly Scalar[]): readonly Invocation[] {
  return endsOf(results).flatMap(({ call }) => call ?? []);
}

/** One end of a function, and the outcomes of conditions that lead to it. */
interface End {
  readonly when: readonly { readonly condition: Scalar; readonly holds: boolean }[];
  readonly call?: Invocation;
}

export function endsOf(results: readonly Scalar[]): readonly End[] {
  const branch = sharedBranch(results);
  if (branch) {
    const { condition } = branch;
    const under = (holds: boolean, inside: readonly Scalar[]): readonly End[] =>
      endsOf(inside).map((end) => ({ ...end, when: [{ condition, holds }, ...end.when] }));
    return [...under(true, branch.then), ...under(false, branch.otherwise)];
  }
  const call = sharedCall(results);
  return [{ when: [], ...(call ? { call } : {}) }];
}

/**
 * The functions that call one another at their ends, with the first one among them. Only the given
 * function if its last calls never lead back to it.
 */
export function tailGroup(of: ScalarFunction): readonly ScalarFunction[] {
  const from = (start: ScalarFunction): ReadonlySet<ScalarFunction> => {
    const found = new Set<ScalarFunction>();
    const visit = (each: ScalarFunction): void => {
      for (const { function: next } of tailCalls(each.results)) {
        if (found.has(next)) continue;
        found.add(next);
        visit(next);
      }
    };
    visit(start);
    return found;
  };
  return [of, ...[...from(of)].filter((each) => each !== of && from(each).has(of))];
}
