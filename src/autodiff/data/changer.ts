// Copies of what functions compute: with other calls, with one call for all that are alike, or with
// other scalars in the place of parameters.

import type { Variable } from "../../affine/term.ts";
import { keyOf } from "../../ir/keys.ts";
import { mapParts } from "../../ir/parts.ts";
import type { Invocation, Local, Scalar } from "../../ir/program.ts";
import { instantiateTerm } from "../../ir/substitute.ts";

type Call = Extract<Scalar, { kind: "call" }>;

/**
 * Copies of scalars with other calls, every part once; what has the same structure is one. Of what
 * something else stands for, nothing is copied.
 */
export function changer(
  callOf: (scalar: Call, again: (scalar: Scalar) => Scalar) => Scalar,
  finished: (scalar: Scalar) => Scalar = (scalar) => scalar,
  insteadOf: (scalar: Scalar) => Scalar | undefined = () => undefined,
): (scalar: Scalar) => Scalar {
  const known = new Map<Scalar, Scalar>();
  const same = new Map<string, Scalar>();
  const locals = new Map<Local, Local>();
  const change = (scalar: Scalar): Scalar => {
    let made = known.get(scalar);
    if (!made) known.set(scalar, (made = insteadOf(scalar) ?? make(scalar)));
    return made;
  };
  const make = (scalar: Scalar): Scalar => {
    if (scalar.kind === "call") return callOf(scalar, change);
    if (scalar.kind === "local") {
      let local = locals.get(scalar.local);
      if (!local)
        locals.set(
          scalar.local,
          (local = { name: scalar.local.name, value: change(scalar.local.value) }),
        );
      return { ...scalar, local };
    }
    const changed = mapParts(scalar, change);
    const key = `${changed.type} ${keyOf(changed)}`;
    let found = same.get(key);
    if (!found) same.set(key, (found = finished(changed)));
    return found;
  };
  return change;
}

/** The same scalar, in which calls of one function with the same arguments are one call. */
export function withSharedCalls(scalar: Scalar): Scalar {
  const calls = new Map<string, Invocation>();
  return changer((call, again) => {
    const { invocation, member } = call;
    const given = invocation.arguments.map(again);
    const key = keyOf({ ...call, member: 0, invocation: { ...invocation, arguments: given } });
    let found = calls.get(key);
    if (!found) calls.set(key, (found = { ...invocation, arguments: given }));
    return { ...call, invocation: found, member };
  })(scalar);
}

/** A parameter as what stands in its place; any other scalar as it is. */
export function inPlace(scalar: Scalar, by: ReadonlyMap<Variable, Scalar>): Scalar {
  if (scalar.kind === "integer") return instantiateTerm(scalar.term, by);
  return (scalar.kind === "parameter" ? by.get(scalar.parameter.variable) : undefined) ?? scalar;
}

/** The same scalars with others in the place of parameters. */
export function withParameters(
  scalars: readonly Scalar[],
  by: ReadonlyMap<Variable, Scalar>,
): readonly Scalar[] {
  const calls = new Map<Invocation, Invocation>();
  const changed = changer(
    (call, again) => {
      let made = calls.get(call.invocation);
      if (!made)
        calls.set(
          call.invocation,
          (made = { ...call.invocation, arguments: call.invocation.arguments.map(again) }),
        );
      return { ...call, invocation: made };
    },
    (scalar) => inPlace(scalar, by),
  );
  return scalars.map(changed);
}
