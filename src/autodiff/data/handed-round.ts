// The parameters that functions hand on as they are wherever they call themselves or one another:
// what is brought together for one is brought together for all of these calls. Its cotangent goes
// from call to call as a total, and only where the parameter is used something is added.

import type { Variable } from "../../affine/term.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Invocation, Parameter, ScalarFunction } from "../../ir/program.ts";
import { functionsFrom } from "../../ir/references.ts";
import { isFloat } from "../../scalar/types.ts";
import { isFollowed, planOf, type Plans } from "./frames.ts";

const known = new WeakMap<ScalarFunction, ReadonlySet<Variable>>();

/**
 * Those of the parameters of a function whose calls are kept. In a loop all cotangents go from
 * round to round as it is.
 */
export function handedRound(of: ScalarFunction, plans: Plans): readonly Parameter[] {
  let found = known.get(of);
  if (!found) known.set(of, (found = findHanded(of, plans)));
  return of.parameters.filter((each) => found.has(each.variable));
}

function findHanded(of: ScalarFunction, plans: Plans): ReadonlySet<Variable> {
  const group = [...functionsFrom(of)].filter(
    (each) => functionsFrom(each).has(of) && isFollowed(each),
  );
  const calls = new Set<Invocation>();
  for (const scalar of group.flatMap(({ results }) => results))
    eachScalar(scalar, (part) => void (part.kind === "call" && calls.add(part.invocation)));
  const called = new Set([...calls].map((call) => call.function));
  const isCalledAgain = (each: ScalarFunction): boolean => {
    if (!called.has(each) || each.rule) return false;
    const plan = planOf(each, plans);
    return plan.of === each && !plan.loops;
  };
  const floats = group
    .filter(isCalledAgain)
    .flatMap(({ parameters }) => parameters.filter(({ type }) => isFloat(type)));
  const handed = new Set(floats.map((each) => each.variable));
  for (let before = -1; before !== handed.size;) {
    before = handed.size;
    for (const { function: next, arguments: given } of calls)
      for (const [k, value] of given.entries())
        if (value.kind !== "parameter" || !handed.has(value.parameter.variable))
          handed.delete(next.parameters[k]!.variable);
  }
  return handed;
}
