// Values that stand in for unknown values: their type is known, and their extents are variables.
// They make it possible to check a function before anything calls it.

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { ofVariable, zero } from "../../affine/term.ts";
import { zerosLike } from "../values/choose.ts";
import { extentVariable, notBuilt, wrongAt, type Place } from "../context.ts";
import { isEnum } from "../data/data.ts";
import { declaredFields, declaredType, genericsOf } from "../types/declared-types.ts";
import { meaningOf } from "./held/held-functions.ts";
import { inReferences } from "../data/references.ts";
import { scopeInside, type DataBinding, type FunctionBinding } from "../names/scope.ts";
import type { Typed, ValueBinding } from "../types/typed.ts";
import {
  element,
  known,
  scalar,
  showType,
  tensor,
  type Axis,
  type DeclaredFunction,
  type TensorType,
  type Type,
} from "../types/types.ts";
import { referenceTo } from "../data/form-of.ts";

/** A value of a type; undefined if the type leaves a part open. */
export function wholeStandIn(place: Place, type: Type, span: Span): Typed | undefined {
  const value = standIn(place, type, span, []);
  return isComplete(value) ? value : undefined;
}

/** Whether no part of a stand-in is missing. */
function isComplete(stand: Typed): boolean {
  return stand.kind === "tuple" ? stand.members.every(isComplete) : stand.kind !== "wrong";
}

/** A value of a type. A part whose type is open is a wrong value. */
export function standIn(
  place: Place,
  type: Type,
  span: Span,
  around: readonly DataBinding[] = [],
): Typed {
  const inside = (member: Type): Typed => standIn(place, member, span, around);
  switch (type.kind) {
    case "tensor": {
      const cell = known(type.element);
      if (!cell) return wrongAt(span);
      const axes = type.axes.map((axis): Axis => ({
        ...axis,
        extent: ofVariable(extentVariable(place.checker, "n")),
      }));
      return newUnknown(tensor(element(cell), axes), span);
    }
    case "tuple":
      return { kind: "tuple", members: type.members.map(inside), type, span };
    case "data": {
      const { of } = type;
      if (around.some(({ declaration }) => declaration === of.declaration)) {
        const form = referenceTo(place, type);
        return form ? inReferences(form, newUnknown(scalar("data"), span), span) : wrongAt(span);
      }
      const declaring: Place = { ...place, scope: of.scope };
      const fields = declaredFields(of).map((field) =>
        standIn(place, declaredType(declaring, field.type, genericsOf(type)), span, [
          ...around,
          of,
        ]),
      );
      const tag = isEnum(of) ? [newUnknown(scalar("i32"), span)] : [];
      return { kind: "tuple", members: [...tag, ...fields], type, span };
    }
    case "function": {
      if (!type.declared) return wrongAt(span);
      const { type: written, scope, generics } = type.declared;
      const result = standIn(
        place,
        declaredType({ ...place, scope }, written.result, generics),
        span,
        around,
      );
      return isComplete(result)
        ? functionGiving(place, type, type.declared, result, span)
        : wrongAt(span);
    }
    default:
      return wrongAt(span);
  }
}

/**
 * A function of a declared type that nothing calls, because it would be an element of an empty
 * array. It gives zeros.
 */
export function neverCalled(place: Place, type: Type, span: Span): Typed {
  if (type.kind !== "function" || !type.declared) return wrongAt(span);
  const { type: written, scope, generics } = type.declared;
  const result = standIn(place, declaredType({ ...place, scope }, written.result, generics), span);
  const zeros = isComplete(result) ? zerosLike(withoutExtents(result)) : result;
  return zeros.type.kind === "tensor" || zeros.kind === "tuple"
    ? functionGiving(place, type, type.declared, zeros, span)
    : notBuilt(place, `a function in an empty array that gives ${showType(result.type)}`, span);
}

function withoutExtents(value: Typed): Typed {
  if (value.kind === "tuple") return { ...value, members: value.members.map(withoutExtents) };
  if (value.type.kind !== "tensor") return value;
  const axes = value.type.axes.map((axis): Axis => ({ ...axis, extent: zero }));
  return { ...value, type: tensor(value.type.element, axes) };
}

/** A function with the parameters of its type that gives one value, whatever its arguments are. */
function functionGiving(
  place: Place,
  type: Type,
  { type: written, scope: around, generics }: DeclaredFunction,
  result: Typed,
  span: Span,
): Typed {
  const scope = scopeInside(around);
  // No name of a program contains a blank.
  const given: ast.Name = { text: "given value", span };
  scope.names.set(given.text, {
    kind: "value",
    role: "parameter",
    name: "it",
    span,
    type: result.type,
    value: result,
  });
  const declaration: ast.Fn = {
    kind: "fn",
    name: { text: textOf(span), span },
    coordinates: [],
    parameters: written.parameters.map((parameterType, k) => ({
      name: { text: `argument${k}`, span },
      type: parameterType,
      span,
    })),
    body: { kind: "block", statements: [], value: { kind: "path", segments: [given], span }, span },
    allow: [],
    public: false,
    span,
  };
  const words = new Map();
  const meaning = meaningOf({ ...place, scope: around }, { words, generics }, written);
  const held = { type: written, meaning, words, generics };
  const callee: FunctionBinding = {
    kind: "function",
    name: textOf(span),
    span,
    declaration,
    scope,
    held,
  };
  return { kind: "closure", callee, type, span };
}

export function newUnknown(type: TensorType, span: Span): Typed {
  const binding: ValueBinding = { kind: "value", role: "input", name: "it", span, type };
  return { kind: "reference", binding, type, span };
}
