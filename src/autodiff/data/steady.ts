// What is the same in all rounds of a loop is computed before the first one, and given to each.
//
//   round(x, p) = … round(x·(p - 1), p)   is
//   round(x, p, q) = … round(x·q, p, q),   begun with q = p - 1
//
// Only sums and comparisons are: where no branch comes to one, nothing else than 0 comes back
// through it either, whatever its operands are. The slope of a root or of a product may be infinite
// there.

import { keyOf } from "../../ir/keys.ts";
import type { Invocation, Parameter, Scalar, ScalarFunction } from "../../ir/program.ts";
import type { OperationName } from "../../scalar/operations.ts";
import { isFloat } from "../../scalar/types.ts";
import { changer } from "./changer.ts";
import { newParameter, valueOf } from "./frames.ts";

const taken: ReadonlySet<OperationName> = new Set([
  "add",
  "subtract",
  "negate",
  "equal",
  "notEqual",
  "less",
  "lessEqual",
  "greater",
  "greaterEqual",
]);

/** Something steady, and the parameter that rounds have it in. */
interface Given {
  readonly parameter: Parameter;
  readonly value: Scalar;
}

/**
 * Gives a function that calls itself more parameters, behind its own, and tells what the first call
 * is given for them; `steady` are handed on as they are.
 */
export function givenOnce(round: ScalarFunction, steady: readonly Parameter[]): readonly Scalar[] {
  const isTaken = (scalar: Scalar): boolean =>
    scalar.kind === "apply" &&
    isFloat(scalar.within) &&
    taken.has(scalar.operation) &&
    scalar.operands.every(isSteady);
  const isSteady = (scalar: Scalar): boolean => {
    if (scalar.kind === "local") return isSteady(scalar.local.value);
    if (scalar.kind === "parameter") return steady.includes(scalar.parameter);
    return scalar.kind === "constant" || isTaken(scalar);
  };
  const given = new Map<string, Given>();
  const read = (scalar: Scalar): Scalar | undefined => {
    if (!isTaken(scalar)) return undefined;
    const key = `${scalar.type} ${keyOf(scalar)}`;
    let found = given.get(key);
    if (!found)
      given.set(key, (found = { parameter: newParameter("steady", scalar.type), value: scalar }));
    return valueOf(found.parameter);
  };
  // Calls of the function hand on all that is found: it has to be known before they are made.
  callingWith(round, read, () => []);
  if (given.size === 0) return [];
  const more = [...given.values()].map(({ parameter }) => parameter);
  round.results = callingWith(round, read, () => more.map(valueOf));
  round.parameters = [...round.parameters, ...more];
  return [...given.values()].map(({ value }) => value);
}

/**
 * The results of a function with other scalars in some places, and more arguments for its calls of
 * itself.
 */
function callingWith(
  round: ScalarFunction,
  insteadOf: (scalar: Scalar) => Scalar | undefined,
  more: () => readonly Scalar[],
): readonly Scalar[] {
  const made = new Map<Invocation, Invocation>();
  const changed = changer(
    (call, again) => {
      const { invocation } = call;
      let found = made.get(invocation);
      if (!found) {
        const given = [
          ...invocation.arguments.map(again),
          ...(invocation.function === round ? more() : []),
        ];
        made.set(invocation, (found = { ...invocation, arguments: given }));
      }
      return { ...call, invocation: found };
    },
    undefined,
    insteadOf,
  );
  return round.results.map(changed);
}
