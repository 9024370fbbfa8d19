// What is the same in all rounds of a loop is computed before the first one, and given to each.
//
//   round(x, p) = … round(x·(p - 1), p)   is   round(x, p, q) = … round(x·q, p, q),   begun with q = p - 1

import { cannotFail } from "../ir/can-fail.ts";
import { keyOf } from "../ir/keys.ts";
import type { Invocation, Parameter, Scalar, ScalarFunction } from "../ir/program.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { changer } from "./changer.ts";
import { newParameter, valueOf } from "./frames.ts";

/** Gives a function that calls itself more parameters, behind its own, and tells what the first call is given for them; `steady` are handed on as they are. */
export function givenOnce(round: ScalarFunction, steady: readonly Parameter[]): readonly Scalar[] {
  const isSteady = (scalar: Scalar): boolean => {
    if (scalar.kind === "parameter") return steady.includes(scalar.parameter);
    if (scalar.kind === "local") return isSteady(scalar.local.value);
    return scalar.kind === "constant" || (isOfFloats(scalar) && scalar.operands.every(isSteady));
  };
  const given = new Map<string, { readonly parameter: Parameter; readonly value: Scalar }>();
  const invocations = new Map<Invocation, Invocation>();
  const changed = changer(
    (call, again) => {
      const { invocation } = call;
      let made = invocations.get(invocation);
      if (!made) invocations.set(invocation, (made = { ...invocation, arguments: invocation.arguments.map(again) }));
      return { ...call, invocation: made };
    },
    undefined,
    (scalar) => {
      if (!isOfFloats(scalar) || !isSteady(scalar)) return undefined;
      const key = `${scalar.type} ${keyOf(scalar)}`;
      let found = given.get(key);
      if (!found) given.set(key, (found = { parameter: newParameter("steady", scalar.type), value: scalar }));
      return valueOf(found.parameter);
    },
  );
  const results = round.results.map(changed);
  const more = [...given.values()].map(({ parameter }) => parameter);
  if (more.length === 0) return [];
  for (const invocation of invocations.values())
    if (invocation.function === round) (invocation.arguments as Scalar[]).push(...more.map(valueOf));
  round.parameters = [...round.parameters, ...more];
  round.results = results;
  return [...given.values()].map(({ value }) => value);
}

function isOfFloats(scalar: Scalar): scalar is Extract<Scalar, { kind: "apply" }> {
  return scalar.kind === "apply" && isFloat(scalar.within) && cannotFail(scalar);
}
