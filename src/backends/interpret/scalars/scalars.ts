// This folder evaluates scalars, the expressions of single cells; definitions, reductions and
// recurrences are evaluated in the folder around it.
//
// An expression becomes closures, one for each node, and every access is checked.

import { isTrapped, TrappedLocal } from "../trap-values.ts";
import type { Atom, Term, Variable } from "../../../affine/term.ts";
import { partsOf } from "../../../ir/parts.ts";
import type { Local, Scalar } from "../../../ir/program.ts";
import { cast } from "../../../scalar/casts.ts";
import { operationRow } from "../../../scalar/operations.ts";
import { roundTo } from "../../../scalar/round.ts";
import { isFloat, type Scalar as Value } from "../../../scalar/types.ts";
import {
  operationEvaluator,
  checked,
  castEvaluator,
  dataEvaluator,
  textEvaluator,
  watchedOperation,
  watchesIntegers,
  type Evaluate,
  type Operation,
} from "./evaluators.ts";
import { compileCall } from "./functions.ts";
import type { Machine, Store } from "../machine.ts";
import { absent, outOfBounds, positionAtOffset, readWindow } from "../read-cells.ts";
import { watchedInteger } from "../wrapping.ts";

export type EvaluateInteger = () => number;

export function compileTerm(machine: Machine, term: Term): EvaluateInteger {
  const parts = term.parts.map((part) => ({
    coefficient: part.coefficient,
    factors: part.factors.map((atom) => compileAtom(machine, atom)),
  }));
  const { constant } = term;
  const [only] = parts;
  if (parts.length === 0) return () => constant;
  if (parts.length === 1 && only!.coefficient === 1 && only!.factors.length === 1) {
    const factor = only!.factors[0]!;
    return constant === 0 ? factor : () => factor() + constant;
  }
  return () => {
    let total = constant;
    for (const part of parts) {
      let product = part.coefficient;
      for (const factor of part.factors) product *= factor();
      total += product;
    }
    return total;
  };
}

function compileAtom(machine: Machine, atom: Atom): EvaluateInteger {
  switch (atom.kind) {
    case "variable":
      return compileVariable(machine, atom.variable);
    case "floor": {
      const dividend = compileTerm(machine, atom.dividend);
      const divisor = compileTerm(machine, atom.divisor);
      return () => Math.floor(dividend() / divisor());
    }
    case "min":
    case "max": {
      const members = atom.members.map((member) => compileTerm(machine, member));
      return atom.kind === "min"
        ? () => members.reduce((least, member) => Math.min(least, member()), Infinity)
        : () => members.reduce((greatest, member) => Math.max(greatest, member()), -Infinity);
    }
    default:
      return atom satisfies never;
  }
}

function compileVariable(machine: Machine, variable: Variable): EvaluateInteger {
  const { values } = machine;
  const slot = machine.slotOf(variable);
  return () => values[slot]!;
}

export function compileInteger(machine: Machine, scalar: Scalar): EvaluateInteger {
  if (scalar.kind === "integer") return compileTerm(machine, scalar.term);
  const value = compile(machine, scalar);
  return scalar.type === "i64" ? () => Number(value()) : (value as EvaluateInteger);
}

export function compile(machine: Machine, scalar: Scalar): Evaluate {
  switch (scalar.kind) {
    case "constant": {
      const type = machine.typeOf(scalar.type);
      const value = isFloat(type) ? roundTo(type, scalar.value as number) : scalar.value;
      return () => value;
    }
    case "integer": {
      // Coordinates and extents are i32 values: arithmetic on them wraps around like any other.
      const term = compileTerm(machine, scalar.term);
      return machine.trap === "overflow" ? () => watchedInteger(term()) : () => term() | 0;
    }
    case "read":
      return compileRead(machine, scalar);
    case "apply":
      return machine.trap === "nan" && isFloat(scalar.type)
        ? compileWatched(machine, scalar)
        : compileApply(machine, scalar);
    case "cast":
      return machine.trap === "nan" && isFloat(scalar.type)
        ? compileWatched(machine, scalar)
        : compileCast(machine, scalar);
    case "select": {
      const condition = compile(machine, scalar.condition);
      const then = compile(machine, scalar.then);
      const otherwise = compile(machine, scalar.otherwise);
      return () => (condition() ? then() : otherwise());
    }
    case "local":
      return compileLocal(machine, scalar.local);
    case "text": {
      const operands = scalar.operands.map((operand) => compile(machine, operand));
      const evaluate = textEvaluator(machine, scalar);
      return () => evaluate(...operands.map((operand) => operand()));
    }
    case "data": {
      const operands = scalar.operands.map((operand) => compile(machine, operand));
      const evaluate = dataEvaluator(machine, scalar);
      return () => evaluate(...operands.map((operand) => operand()));
    }
    case "call":
      return compileCall(machine, scalar, (part) => compile(machine, part));
    case "parameter":
      throw new Error(`the parameter \`${scalar.parameter.name}\` stands outside of its function`);
    default:
      return scalar satisfies never;
  }
}

/**
 * Compiles the value of a cell, a term or a local name. Under a trap, the owner of the value looks
 * at it; the operations inside the value are looked at where they are computed.
 */
export function compileWhole(machine: Machine, scalar: Scalar): Evaluate {
  if (scalar.kind === "apply") return compileApply(machine, scalar);
  if (scalar.kind === "cast") return compileCast(machine, scalar);
  if (scalar.kind !== "select") return compile(machine, scalar);
  const condition = compile(machine, scalar.condition);
  const then = compileWhole(machine, scalar.then);
  const otherwise = compileWhole(machine, scalar.otherwise);
  return () => (condition() ? then() : otherwise());
}

/**
 * Under a trap: an operation inside an expression, which is looked at as soon as it is computed.
 */
function compileWatched(machine: Machine, scalar: Operation): Evaluate {
  const operands = partsOf(scalar).map((operand) => compile(machine, operand));
  const evaluate = watchedOperation(machine, scalar);
  return () => evaluate(...operands.map((operand) => operand()));
}

/** Evaluates a local name once in each cell, and in each step of a reduction, that asks for it. */
function compileLocal(machine: Machine, local: Local): Evaluate {
  const known = machine.locals.get(local);
  if (known) return known;
  const value = compileWhole(machine, local.value);
  let tick = -1;
  let held: Value = 0;
  const evaluate = (): Value => {
    if (tick !== machine.tick) {
      held = value();
      if (machine.trap === "nan" && isTrapped(held)) throw new TrappedLocal(local, held);
      tick = machine.tick;
    }
    return held;
  };
  machine.locals.set(local, evaluate);
  return evaluate;
}

function compileCast(machine: Machine, scalar: Extract<Scalar, { kind: "cast" }>): Evaluate {
  const operand = compile(machine, scalar.operand);
  const [from, to] = [machine.typeOf(scalar.operand.type), machine.typeOf(scalar.type)];
  if (from === to) return operand;
  const convert = watchesIntegers(machine, scalar) ? castEvaluator(machine, scalar) : undefined;
  return convert ? () => convert(operand()) : () => cast(from, to, operand());
}

function compileApply(machine: Machine, scalar: Extract<Scalar, { kind: "apply" }>): Evaluate {
  const operands = scalar.operands.map((operand) => compile(machine, operand));
  if (watchesIntegers(machine, scalar)) {
    const evaluate = operationEvaluator(machine, scalar);
    return () => evaluate(...operands.map((operand) => operand()));
  }
  const [a, b] = operands;
  if (scalar.operation === "and") return () => a!() && b!();
  if (scalar.operation === "or") return () => a!() || b!();
  const { evaluate } = operationRow(scalar.operation);
  const within = machine.typeOf(scalar.within);
  const withCheck = (compute: Evaluate): Evaluate =>
    isFloat(within) ? compute : checked(scalar, operands, compute);
  switch (operands.length) {
    case 1:
      return withCheck(() => evaluate(within, a!()));
    case 2:
      return withCheck(() => evaluate(within, a!(), b!()));
    default:
      return withCheck(() => evaluate(within, ...operands.map((operand) => operand())));
  }
}

function compileRead(machine: Machine, scalar: Extract<Scalar, { kind: "read" }>): Evaluate {
  const indices = scalar.indices.map((index) => compileInteger(machine, index));
  const { definition, span } = scalar;
  const store = (): Store => machine.stores.get(definition)!;
  let held: Store | undefined;
  return () => {
    held ??= store();
    if (held.window)
      return readWindow(
        held,
        held.window,
        scalar,
        indices.map((index) => index()),
      );
    const { shape, strides, get } = held;
    let offset = 0;
    for (let axis = 0; axis < indices.length; axis++) {
      const index = indices[axis]!();
      if (!(index >= 0 && index < shape[axis]!))
        throw outOfBounds(scalar, axis, index, shape[axis]!);
      offset += index * strides[axis]!;
    }
    if (held.done && !held.done[offset])
      throw absent(definition, positionAtOffset(shape, strides, offset), span);
    return get(offset);
  };
}
