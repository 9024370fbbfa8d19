// Derivatives of recursive functions: beside f stands its companion f', with a tangent for every
// float parameter and the tangents of the results behind the results:
//
//   f'(x…, ẋ…) = (f(x…)…, Σₖ ∂f/∂xₖ · ẋₖ …)
//
// A call of f in f becomes a call of f' in f', which gives value and tangent at once: a derivative
// costs a constant per call. Where the program has a rule for f, the tangents are the rule's.
// Tensors that f reads from around it move too (moving-tensors.ts).

import { keyOf } from "../../ir/keys.ts";
import { isAnywhere } from "../../ir/parts.ts";
import type {
  Definition,
  FunctionRule,
  Invocation,
  Local,
  Parameter,
  Scalar,
  ScalarFunction,
} from "../../ir/program.ts";
import { readsOfFunction } from "../../ir/references.ts";
import { operationRow } from "../../scalar/operations.ts";
import { isFloat, zeroOf, type ElementType } from "../../scalar/types.ts";
import { variable, type Variable } from "../../affine/term.ts";
import type { Span } from "../../base/source.ts";
import { asType } from "../sweep/cells.ts";
import { whereStill } from "./frames.ts";
import { movingCell, type MovingTensors } from "./within/moving-tensors.ts";
import { algebraOf, slopeTimes, sumOf } from "../scalar/products.ts";
import { coordinateScalar } from "../../ir/substitute.ts";

/** The derivative of one result of a call by its k-th argument. */
export function partialOf(invocation: Invocation, member: number, k: number): Scalar {
  return movedBy(invocation, member, (at) => (at === k ? 1 : 0), undefined, []);
}

/**
 * The derivative of one result of a call by one cell of a tensor that the function reads from
 * around it.
 */
export function partialByCell(
  invocation: Invocation,
  member: number,
  captured: Definition,
  cell: readonly Scalar[],
): Scalar {
  return movedBy(invocation, member, () => 0, captured, cell);
}

/**
 * How the result of a call moves with some of its arguments and with tensors that the function
 * reads from around it.
 */
export function movedAlong(
  { function: called, arguments: given, span }: Invocation,
  tangents: ReadonlyMap<number, Scalar>,
  moving: MovingTensors,
): Scalar {
  const all = given.flatMap(({ type }, k): Scalar[] =>
    moves(type) ? [tangents.get(k) ?? unmoved(type)] : [],
  );
  const inside = [...readsOfFunction(called)].some(moving.moves) ? moving : undefined;
  const told = inside?.told ?? [];
  const invocation = {
    function: companionOf(called, inside),
    arguments: [...given, ...all, ...told],
    span,
  };
  return { kind: "call", type: called.results[0]!.type, invocation, member: called.results.length };
}

function movedBy(
  { function: called, arguments: given, span }: Invocation,
  member: number,
  tangentAt: (at: number) => number,
  captured: Definition | undefined,
  cell: readonly Scalar[],
): Scalar {
  const tangents = given.flatMap((argument, at): Scalar[] =>
    moves(argument.type) ? [unmoved(argument.type, tangentAt(at))] : [],
  );
  const type = resultTangent(called, member);
  if (called.rule) {
    // Names from around the function that a rule does not speak of have no tangents.
    const told = tangents.slice(0, called.rule.tangents.length);
    const invocation = {
      function: ruleOf(called, called.rule),
      arguments: [...given, ...told],
      span,
    };
    return { kind: "call", type, invocation, member };
  }
  const companion = companionOf(called, captured && movingCell(captured, cell));
  return {
    kind: "call",
    type,
    invocation: { function: companion, arguments: [...given, ...tangents, ...cell], span },
    member: called.results.length + member,
  };
}

const rules = new WeakMap<ScalarFunction, ScalarFunction>();

/** The tangents that a rule gives: where nobody asks for the value, it is not computed again. */
function ruleOf(of: ScalarFunction, { tangents, results }: FunctionRule): ScalarFunction {
  const { parameters, needs, span } = of;
  let made = rules.get(of);
  if (!made) {
    made = { name: `d_${of.name}`, parameters: [...parameters, ...tangents], results, needs, span };
    rules.set(of, made);
  }
  return made;
}

/**
 * How a scalar moves with one cell of a definition, wherever that is read in it; nothing where it
 * stays. For what takes data apart: the tangent of data is data, with tangents for its floats.
 */
export function movedByCell(
  scalar: Scalar,
  definition: Definition,
  cell: readonly Scalar[],
  span: Span,
): Scalar | undefined {
  return dualOf(new Map(), movingCell(definition, cell), span)(scalar).tangent;
}

/** How a scalar moves with one of its reads. */
export function movedByRead(scalar: Scalar, read: Scalar, span: Span): Scalar | undefined {
  return dualOf(new Map(), undefined, span, read)(scalar).tangent;
}

/** Floats move, and data that may hold some. */
function moves(type: ElementType): boolean {
  return isFloat(type) || type === "data";
}

/** The tangent of what stays where it is, or moves by a number. */
function unmoved(type: ElementType, by = 0): Scalar {
  return {
    kind: "constant",
    type,
    value: type === "data" ? [] : isFloat(type) ? by : zeroOf(type),
  };
}

function resultTangent(called: ScalarFunction, member: number): Scalar["type"] {
  const { type } = called.results[member]!;
  return isFloat(type) ? type : (called.rule?.results[member]!.type ?? type);
}

const companions = new WeakMap<ScalarFunction, Map<object | undefined, ScalarFunction>>();

function companionOf(of: ScalarFunction, moving: MovingTensors | undefined): ScalarFunction {
  const all = companions.get(of) ?? new Map<object | undefined, ScalarFunction>();
  companions.set(of, all);
  const known = all.get(moving?.key);
  if (known) return known;
  const tangents = new Map<Variable, Parameter>();
  let next = 0;
  for (const parameter of of.parameters) {
    if (!moves(parameter.type)) continue;
    const name = `d_${parameter.name}`;
    const own = of.rule?.tangents[next++] ?? {
      name,
      type: parameter.type,
      variable: variable(name),
    };
    tangents.set(parameter.variable, own);
  }
  const told = (moving?.names ?? []).map((name): Parameter => ({
    name,
    type: "i32",
    variable: variable(name),
  }));
  const parameters = [...of.parameters, ...tangents.values(), ...told];
  const { needs, rounds, span } = of;
  const made: ScalarFunction = {
    name: `d_${of.name}`,
    parameters,
    results: [],
    needs,
    ...(rounds ? { rounds } : {}),
    span,
  };
  // Remembered before its results are made, because they may call it.
  all.set(moving?.key, made);
  if (of.rule) {
    made.results = [...valuesOf(of), ...of.rule.results];
    return made;
  }
  const inside = told.map(coordinateScalar);
  const dual = dualOf(tangents, moving && { ...moving, told: inside }, of.span);
  const pairs = of.results.map(dual);
  const slopes = pairs.map(({ value, tangent }): Scalar => tangent ?? unmoved(value.type));
  made.results = [...pairs.map(({ value }) => value), ...slopes];
  return made;
}

/** The results of a function, called with its own parameters. */
function valuesOf(of: ScalarFunction): readonly Scalar[] {
  const given = of.parameters.map((parameter): Scalar =>
    parameter.type === "i32"
      ? coordinateScalar(parameter)
      : { kind: "parameter", type: parameter.type, parameter },
  );
  const invocation: Invocation = { function: of, arguments: given, span: of.span };
  return of.results.map(({ type }, member) => ({ kind: "call", type, invocation, member }));
}

/**
 * A value, and how it moves; it stays where it is if nothing is said. An integer that a rule gives
 * has the rule's tangent.
 */
interface Dual {
  readonly value: Scalar;
  readonly tangent?: Scalar;
}

/**
 * Scalars with how they move: with parameters that have tangents, with tensors, or with one of the
 * scalars themselves. A local that is held has the value of its name wherever its tangent is not
 * made: `let y = exp(a);` moves with exp(a), and `y * y` with y, so that a further derivative by y
 * finds the reads of y and no others.
 */
export function dualOf(
  tangents: ReadonlyMap<Variable, Parameter>,
  moving: MovingTensors | undefined,
  span: Span,
  independent?: Scalar,
  isHeld: (local: Local) => boolean = () => false,
): (scalar: Scalar) => Dual {
  const known = new Map<Scalar, Dual>();
  const locals = new Map<Local, Dual>();
  const invocations = new Map<Invocation, Invocation>();
  const key = independent && keyOf(independent);
  const isBeside = (scalar: Scalar): boolean => {
    return !isAnywhere(scalar, (part) => keyOf(part) === key);
  };
  const dual = (scalar: Scalar): Dual => {
    let found = known.get(scalar);
    if (!found) {
      if (key === undefined) found = make(scalar);
      else if (keyOf(scalar) === key) found = { value: scalar, tangent: unmoved(scalar.type, 1) };
      // What does not move is what it was: its calls are not made again.
      else found = isBeside(scalar) ? { value: scalar } : make(scalar);
      known.set(scalar, found);
    }
    return found;
  };
  // What only chooses, or is held still, is no part of the path. Inside a companion it shares its
  // calls with what is.
  const value = (scalar: Scalar): Scalar => (key === undefined ? dual(scalar).value : scalar);
  const make = (scalar: Scalar): Dual => {
    switch (scalar.kind) {
      case "constant":
      case "integer":
        return { value: scalar };
      case "parameter": {
        const tangent = tangents.get(scalar.parameter.variable);
        return {
          value: scalar,
          ...(tangent
            ? { tangent: { kind: "parameter", type: tangent.type, parameter: tangent } }
            : {}),
        };
      }
      case "read": {
        const read = { ...scalar, indices: scalar.indices.map(value) };
        const whole = whereStill(read);
        return moving?.moves(scalar.definition)
          ? { value: whole, tangent: moving.tangent(read, moving.told) }
          : { value: whole };
      }
      case "local": {
        const { local } = scalar;
        let pair = locals.get(local);
        if (!pair) {
          const inner = dual(local.value);
          const named = (name: string, value: Scalar): Scalar => {
            return { kind: "local", type: value.type, local: { name, value } };
          };
          const moved = inner.tangent ? { tangent: named(`d_${local.name}`, inner.tangent) } : {};
          const whole = isHeld(local) ? local : { name: local.name, value: inner.value };
          locals.set(local, (pair = { value: { ...scalar, local: whole }, ...moved }));
        }
        return pair;
      }
      case "select": {
        const [then, otherwise] = [dual(scalar.then), dual(scalar.otherwise)];
        const condition = value(scalar.condition);
        const whole: Scalar = {
          ...scalar,
          condition,
          then: then.value,
          otherwise: otherwise.value,
        };
        const type = (then.tangent ?? otherwise.tangent)?.type;
        if (!type) return { value: whole };
        const none = unmoved(type);
        const [moved, others] = [then, otherwise].map(({ tangent }) =>
          tangent ? asType(tangent, type) : none,
        );
        return {
          value: whole,
          tangent: { ...scalar, type, condition, then: moved!, otherwise: others! },
        };
      }
      case "cast": {
        const operand = dual(scalar.operand);
        const whole: Scalar = { ...scalar, operand: operand.value };
        const { tangent } = operand;
        // A float that becomes an integer moves no more; an integer hands its tangent on.
        if (!tangent || (isFloat(scalar.operand.type) && !isFloat(scalar.type)))
          return { value: whole };
        return {
          value: whole,
          tangent: isFloat(scalar.type) ? asType(tangent, scalar.type) : tangent,
        };
      }
      case "text":
        return { value: { ...scalar, operands: scalar.operands.map(value) } };
      case "data": {
        const operands = scalar.operands.map(dual);
        const whole: Scalar = { ...scalar, operands: operands.map((operand) => operand.value) };
        const isMoved = operands.some((operand) => operand.tangent && moves(operand.value.type));
        if (!isMoved || !moves(scalar.type)) return { value: whole };
        // Where a cell lies does not move.
        const isPlace = (k: number): boolean =>
          k > 0 &&
          (places.has(scalar.function) ||
            (scalar.function === "append" && k === 2) ||
            (k % 2 === 1 && (scalar.function === "add" || scalar.function === "put")));
        const tangentsOf = operands.map((each, k) =>
          isPlace(k)
            ? each.value
            : (moves(each.value.type) && each.tangent) || unmoved(each.value.type),
        );
        return {
          value: whole,
          tangent: { ...scalar, operands: [...tangentsOf, ...placeOf(scalar, whole.operands)] },
        };
      }
      case "call":
        return callOf(scalar);
      case "apply": {
        if (scalar.operation === "stop")
          return { value: { ...scalar, operands: scalar.operands.map(value) } };
        const operands = scalar.operands.map(dual);
        const values = operands.map((operand) => operand.value);
        const whole = appliedTo(scalar, values);
        const { derivative } = operationRow(scalar.operation);
        if (typeof derivative === "string" || !isFloat(scalar.type)) return { value: whole };
        const algebra = algebraOf(scalar.type, scalar.span);
        const slopes = derivative(algebra, values, whole);
        const terms = operands.flatMap(({ tangent }, k) => {
          const slope = slopes[k]!;
          return tangent && slope !== "zero" ? [slopeTimes(slope, tangent, algebra)] : [];
        });
        const tangent = sumOf(terms, algebra);
        return tangent ? { value: whole, tangent } : { value: whole };
      }
      default:
        return scalar satisfies never;
    }
  };
  const callOf = (scalar: Extract<Scalar, { kind: "call" }>): Dual => {
    const { function: called } = scalar.invocation;
    const given = scalar.invocation.arguments.map(dual);
    // A function that reads nothing of what moves need not know how.
    const inside = moving && [...readsOfFunction(called)].some(moving.moves) ? moving : undefined;
    const isMoving = inside !== undefined || given.some(({ tangent }) => tangent !== undefined);
    let invocation = invocations.get(scalar.invocation);
    if (!invocation) {
      const values = given.map((each) => each.value);
      const tangentsOf = given.flatMap((each) =>
        moves(each.value.type) ? [each.tangent ?? unmoved(each.value.type)] : [],
      );
      invocation = isMoving
        ? {
            function: companionOf(called, inside),
            arguments: [...values, ...tangentsOf, ...(inside?.told ?? [])],
            span,
          }
        : { ...scalar.invocation, arguments: values };
      invocations.set(scalar.invocation, invocation);
    }
    const result: Scalar = { ...scalar, invocation };
    if (!isMoving || !(moves(scalar.type) || called.rule)) return { value: result };
    const { member } = scalar;
    const tangent: Scalar = {
      ...scalar,
      type: resultTangent(called, member),
      invocation,
      member: called.results.length + member,
    };
    return { value: result, tangent };
  };
  return dual;
}

/** An operation on values, of which some may be 0 because a tangent stays where it is. */
function appliedTo(
  scalar: Extract<Scalar, { kind: "apply" }>,
  operands: readonly Scalar[],
): Scalar {
  const [a, b] = operands;
  const isStill = (k: number): boolean => {
    const value = operands[k];
    return (
      value?.kind === "constant" && value.value === 0 && scalar.operands[k]!.kind !== "constant"
    );
  };
  const whole: Scalar = { ...scalar, operands };
  if (!operands.some((_, k) => isStill(k))) return whole;
  switch (scalar.operation) {
    case "multiply":
    case "divide":
    case "negate":
      return unmoved(scalar.type);
    case "add":
      return isStill(0) ? b! : a!;
    case "subtract":
      return isStill(1) ? a! : whole;
    default:
      return whole;
  }
}

/** Functions of data whose further operands say where something lies. */
const places: ReadonlySet<string> = new Set(["cell", "slice", "total", "shift"]);

/**
 * Where a cell lies that is put behind others: they may stay where they are, and have no tangents
 * then.
 */
function placeOf(
  made: Extract<Scalar, { kind: "data" }>,
  [cells, ...more]: readonly Scalar[],
): readonly Scalar[] {
  if (made.function !== "append" || more.length > 1) return [];
  return [{ ...made, function: "size", type: "i32", operands: [cells!] }];
}
