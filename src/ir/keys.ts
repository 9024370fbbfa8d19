// What a scalar is, as a text: the same for scalars of the same structure.

import type { Scalar } from "./program.ts";

const identities = new WeakMap<object, number>();
let identityCount = 0;

function identity(of: object): number {
  let id = identities.get(of);
  if (id === undefined) identities.set(of, (id = ++identityCount));
  return id;
}

/** Scalars, those of the same structure once. */
export function onceEach(scalars: readonly Scalar[]): readonly Scalar[] {
  return scalars.length < 2 ? scalars : [...new Map(scalars.map((scalar) => [keyOf(scalar), scalar])).values()];
}

const keys = new WeakMap<Scalar, string>();

/** A text that is the same for scalars of the same structure. */
export function keyOf(scalar: Scalar): string {
  let key = keys.get(scalar);
  if (key === undefined) keys.set(scalar, (key = structureOf(scalar)));
  return key;
}

function structureOf(scalar: Scalar): string {
  switch (scalar.kind) {
    case "constant":
      return `${scalar.type}:${String(scalar.value)}`;
    case "integer":
      return `i(${scalar.term.constant}${scalar.term.parts.map((part) => `+${part.coefficient}${part.key}`).join("")})`;
    case "read":
      return `r${identity(scalar.definition)}[${scalar.indices.map(keyOf).join()}]`;
    case "apply":
      return `${scalar.operation}(${scalar.operands.map(keyOf).join()})`;
    case "cast":
      return `${scalar.type}(${keyOf(scalar.operand)})`;
    case "select":
      return `?(${[scalar.condition, scalar.then, scalar.otherwise].map(keyOf).join()})`;
    case "local":
      return `l${identity(scalar.local)}`;
    case "call": {
      const { function: called, arguments: given } = scalar.invocation;
      return `f${identity(called)}.${scalar.member}(${given.map(keyOf).join()})`;
    }
    case "text":
      return `${scalar.function}${scalar.format ?? ""}(${scalar.operands.map(keyOf).join()})`;
    case "data":
      return `${scalar.function}.${scalar.member}(${scalar.operands.map(keyOf).join()})`;
    case "parameter":
      return `p${identity(scalar.parameter.variable)}`;
    default:
      return scalar satisfies never;
  }
}
