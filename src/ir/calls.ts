// Calls of recursive functions: each instance is lowered once, to scalars over its parameters, when it is first called.

import type { Instance, Invocation as TypedInvocation, Typed, ValueBinding } from "../check/typed.ts";
import { decided, type TensorType } from "../check/types.ts";
import { ofVariable, type Term, type Variable } from "./affine/term.ts";
import type { Lowering, Site } from "./lower-site.ts";
import type { Invocation, Parameter, Scalar, ScalarFunction } from "./program.ts";

type Lower = (site: Site, value: Typed) => Scalar;

const functions = new WeakMap<Lowering, Map<Instance, ScalarFunction>>();
/** Invocations by the locals of the clause that they stand in. */
const invocations = new WeakMap<Site["locals"], Map<TypedInvocation, Invocation>>();

export function callAt(site: Site, value: Extract<Typed, { kind: "call" }>, lower: Lower): Scalar {
  const here = invocations.get(site.locals) ?? new Map<TypedInvocation, Invocation>();
  invocations.set(site.locals, here);
  let invocation = here.get(value.invocation);
  if (!invocation) {
    const called = functionOf(site.lowering, value.invocation.function, lower);
    const given = value.invocation.arguments.map((argument) => lower(site, argument));
    here.set(value.invocation, (invocation = { function: called, arguments: given, span: value.span }));
  }
  return { kind: "call", type: decided(value.type.element), invocation, member: value.member };
}

export function parameterOf(binding: ValueBinding): Scalar {
  const parameter = asParameter(binding);
  return { kind: "parameter", type: parameter.type, parameter };
}

function asParameter({ name, type, parameter }: ValueBinding): Parameter {
  return { name, type: decided((type as TensorType).element), variable: parameter! };
}

function functionOf(lowering: Lowering, instance: Instance, lower: Lower): ScalarFunction {
  const all = functions.get(lowering) ?? new Map<Instance, ScalarFunction>();
  functions.set(lowering, all);
  const known = all.get(instance);
  if (known) return known;
  const parameters = instance.parameters.map(asParameter);
  const made: ScalarFunction = { name: instance.name, parameters, results: [], needs: new Set(), span: instance.span };
  // Remembered before its results are lowered, because they may call it.
  all.set(instance, made);
  const here = new Map<Variable, Term>(parameters.map(({ variable }) => [variable, ofVariable(variable)]));
  const { name: owner, needs } = made;
  const inside: Site = { lowering, here, conditions: [], locals: new Map(), owner, needs, inFunction: true };
  made.results = instance.body.map((result) => lower(inside, result));
  if (instance.rule) {
    const { tangents, body, surrogate, span } = instance.rule;
    const moving = tangents.map(asParameter);
    const around = new Map([...here, ...moving.map(({ variable }) => [variable, ofVariable(variable)] as const)]);
    const results = body.map((result) => lower({ ...inside, here: around, locals: new Map() }, result));
    made.rule = { tangents: moving, results, surrogate, span };
  }
  return made;
}
