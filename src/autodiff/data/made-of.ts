// What moves inside functions, where only some of their parameters do, or what they read from one
// tensor: the rest need not be taken back.

import type { Variable } from "../../affine/term.ts";
import { eachScalar, partsOf } from "../../ir/parts.ts";
import type { Definition, Invocation, Scalar, ScalarFunction } from "../../ir/program.ts";
import { functionsFrom, readsOfFunction } from "../../ir/references.ts";

/** Whether scalars are made of some parameters, or read some tensor; `stop` holds them still. */
function madeOf(
  parameters: ReadonlySet<Variable>,
  tensor?: Definition,
): (scalar: Scalar) => boolean {
  const known = new Map<Scalar, boolean>();
  const isMade = (scalar: Scalar): boolean => {
    let found = known.get(scalar);
    if (found === undefined) {
      if (scalar.kind === "apply" && scalar.operation === "stop") return false;
      found =
        (scalar.kind === "parameter" && parameters.has(scalar.parameter.variable)) ||
        (scalar.kind === "read" && scalar.definition === tensor) ||
        (scalar.kind === "call" &&
          tensor !== undefined &&
          readsOfFunction(scalar.invocation.function).has(tensor)) ||
        partsOf(scalar).some(isMade);
      known.set(scalar, found);
    }
    return found;
  };
  return isMade;
}

/**
 * The same for the scalars of a function and of all functions that it calls: a parameter is made of
 * what some call gives it.
 */
export function madeInside(
  of: ScalarFunction,
  parameters: ReadonlySet<Variable>,
  tensor?: Definition,
): (scalar: Scalar) => boolean {
  const calls = [...functionsFrom(of)].flatMap(({ results }) => results.flatMap(invocationsIn));
  const moving = new Set(parameters);
  for (let before = -1; before < moving.size;) {
    before = moving.size;
    const isMade = madeOf(moving, tensor);
    for (const { function: called, arguments: given } of calls)
      for (const [k, { variable }] of called.parameters.entries())
        if (isMade(given[k]!)) moving.add(variable);
  }
  return madeOf(moving, tensor);
}

function invocationsIn(scalar: Scalar): readonly Invocation[] {
  const found = new Set<Invocation>();
  eachScalar(scalar, (part) => void (part.kind === "call" && found.add(part.invocation)));
  return [...found];
}
