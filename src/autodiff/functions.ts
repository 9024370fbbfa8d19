// Derivatives of recursive functions: beside f stands its companion f', with a tangent for every float parameter and the tangents of the
// results behind the results:
//
//   f'(x…, ẋ…) = (f(x…)…, Σₖ ∂f/∂xₖ · ẋₖ …)
//
// A call of f in f becomes a call of f' in f', which gives value and tangent at once: a derivative costs a constant per call.

import type { Invocation, Local, Parameter, Scalar, ScalarFunction } from "../ir/program.ts";
import { operationRow } from "../ir/scalar/operations.ts";
import { isFloat, type FloatType } from "../ir/scalar/types.ts";
import { variable, type Variable } from "../ir/affine/term.ts";
import type { Span } from "../syntax/source.ts";
import { algebraOf } from "./products.ts";

/** The derivative of one result of a call by its k-th argument. */
export function partialOf(invocation: Invocation, member: number, k: number): Scalar {
  const { function: called, arguments: given, span } = invocation;
  const tangents = given.flatMap((argument, at): Scalar[] =>
    isFloat(argument.type) ? [{ kind: "constant", type: argument.type, value: at === k ? 1 : 0 }] : [],
  );
  const companion = companionOf(called);
  return {
    kind: "call",
    type: called.results[member]!.type,
    invocation: { function: companion, arguments: [...given, ...tangents], span },
    member: called.results.length + member,
  };
}

const companions = new WeakMap<ScalarFunction, ScalarFunction>();

function companionOf(of: ScalarFunction): ScalarFunction {
  const known = companions.get(of);
  if (known) return known;
  const tangents = new Map<Variable, Parameter>();
  for (const parameter of of.parameters) {
    if (!isFloat(parameter.type)) continue;
    const name = `d_${parameter.name}`;
    tangents.set(parameter.variable, { name, type: parameter.type, variable: variable(name) });
  }
  const parameters = [...of.parameters, ...tangents.values()];
  const made: ScalarFunction = { name: `d_${of.name}`, parameters, results: [], needs: of.needs, span: of.span };
  // Remembered before its results are made, because they may call it.
  companions.set(of, made);
  const dual = dualOf(tangents, of.span);
  const pairs = of.results.map(dual);
  const slopes = pairs.map(({ value, tangent }): Scalar => tangent ?? { kind: "constant", type: value.type, value: 0 });
  made.results = [...pairs.map(({ value }) => value), ...slopes];
  return made;
}

/** A value, and how it moves; it stays where it is if nothing is said. */
interface Dual {
  readonly value: Scalar;
  readonly tangent?: Scalar;
}

function dualOf(tangents: ReadonlyMap<Variable, Parameter>, span: Span): (scalar: Scalar) => Dual {
  const known = new Map<Scalar, Dual>();
  const locals = new Map<Local, Dual>();
  const invocations = new Map<Invocation, Invocation>();
  const zero = (type: FloatType): Scalar => ({ kind: "constant", type, value: 0 });
  const dual = (scalar: Scalar): Dual => {
    let found = known.get(scalar);
    if (!found) known.set(scalar, (found = make(scalar)));
    return found;
  };
  const value = (scalar: Scalar): Scalar => dual(scalar).value;
  const make = (scalar: Scalar): Dual => {
    switch (scalar.kind) {
      case "constant":
      case "integer":
        return { value: scalar };
      case "parameter": {
        const tangent = tangents.get(scalar.parameter.variable);
        return {
          value: scalar,
          ...(tangent ? { tangent: { kind: "parameter", type: tangent.type, parameter: tangent } } : {}),
        };
      }
      case "read":
        return { value: { ...scalar, indices: scalar.indices.map(value) } };
      case "local": {
        const { local, type } = scalar;
        let pair = locals.get(local);
        if (!pair) {
          const inner = dual(local.value);
          const named = (name: string, of: Scalar): Scalar => ({ kind: "local", type, local: { name, value: of } });
          const moves = inner.tangent ? { tangent: named(`d_${local.name}`, inner.tangent) } : {};
          locals.set(local, (pair = { value: named(local.name, inner.value), ...moves }));
        }
        return pair;
      }
      case "select": {
        const [then, otherwise] = [dual(scalar.then), dual(scalar.otherwise)];
        const condition = value(scalar.condition);
        const whole: Scalar = { ...scalar, condition, then: then.value, otherwise: otherwise.value };
        if (!isFloat(scalar.type) || (!then.tangent && !otherwise.tangent)) return { value: whole };
        const none = zero(scalar.type);
        return {
          value: whole,
          tangent: { ...scalar, condition, then: then.tangent ?? none, otherwise: otherwise.tangent ?? none },
        };
      }
      case "cast": {
        const operand = dual(scalar.operand);
        const whole: Scalar = { ...scalar, operand: operand.value };
        if (!operand.tangent || !isFloat(scalar.type)) return { value: whole };
        return { value: whole, tangent: { kind: "cast", type: scalar.type, operand: operand.tangent } };
      }
      case "text":
        return { value: { ...scalar, operands: scalar.operands.map(value) } };
      case "call":
        return callOf(scalar);
      case "apply": {
        const operands = scalar.operands.map(dual);
        const whole: Scalar = { ...scalar, operands: operands.map((operand) => operand.value) };
        const { derivative } = operationRow(scalar.operation);
        if (typeof derivative === "string" || !isFloat(scalar.type)) return { value: whole };
        const algebra = algebraOf(scalar.type, scalar.span);
        const slopes = derivative(algebra, whole.operands, whole);
        const moves = operands.flatMap(({ tangent }, k) => {
          const slope = slopes[k]!;
          return tangent && slope !== "zero" ? [algebra.apply("multiply", slope, tangent)] : [];
        });
        return moves.length === 0
          ? { value: whole }
          : { value: whole, tangent: moves.reduce((a, b) => algebra.apply("add", a, b)) };
      }
      default:
        return scalar satisfies never;
    }
  };
  const callOf = (scalar: Extract<Scalar, { kind: "call" }>): Dual => {
    const { function: called } = scalar.invocation;
    const given = scalar.invocation.arguments.map(dual);
    const isMoving = given.some(({ tangent }) => tangent !== undefined);
    let invocation = invocations.get(scalar.invocation);
    if (!invocation) {
      const values = given.map((each) => each.value);
      const moves = given.flatMap((each) => (isFloat(each.value.type) ? [each.tangent ?? zero(each.value.type)] : []));
      invocation = isMoving
        ? { function: companionOf(called), arguments: [...values, ...moves], span }
        : { ...scalar.invocation, arguments: values };
      invocations.set(scalar.invocation, invocation);
    }
    const result: Scalar = { ...scalar, invocation };
    if (!isMoving || !isFloat(scalar.type)) return { value: result };
    return { value: result, tangent: { ...scalar, invocation, member: called.results.length + scalar.member } };
  };
  return dual;
}
