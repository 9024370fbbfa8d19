// Data by reference. A value of a recursive type is one scalar of type `data`; its parts are read
// through that reference. This file says which types can be held so, and how their data is laid
// out. References are made in `spread.ts`, and their forms in `form-of.ts`.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Layout } from "../../scalar/data.ts";
import type { Place } from "../context.ts";
import { isEnum } from "./data.ts";
import type { DataBinding } from "../names/scope.ts";
import type { Typed } from "../types/typed.ts";
import { decided, scalar, type Type } from "../types/types.ts";
import { declaredType, declaredFields, genericsOf } from "../types/declared-types.ts";
import type { BoxedForm, Form } from "./form.ts";

/**
 * Whether every value of a type is made of scalars, or of arrays that functions make. A reference
 * can hold such values.
 */
export function isMadeOfScalars(place: Place, type: Type, around: readonly DataBinding[]): boolean {
  switch (type.kind) {
    case "tensor":
      return type.axes.length === 0 || place.arrays === true;
    case "tuple":
      return type.members.every((member) => isMadeOfScalars(place, member, around));
    case "absent":
      return true;
    case "list":
      return place.arrays === true && isMadeOfScalars(place, type.of, around);
    case "data": {
      const { of } = type;
      if (around.some((each) => each.declaration === of.declaration)) return true;
      const generics = genericsOf(type);
      const inside: Place = { ...place, scope: of.scope };
      return declaredFields(of).every((field) =>
        isFieldMadeOfScalars(inside, field.type, generics, [...around, of]),
      );
    }
    default:
      return false;
  }
}

function isFieldMadeOfScalars(
  place: Place,
  type: ast.Type,
  generics: ReadonlyMap<string, Type>,
  around: readonly DataBinding[],
): boolean {
  if (type.kind === "tuple")
    return type.members.every((member) => isFieldMadeOfScalars(place, member, generics, around));
  return (
    (type.kind === "named" || type.kind === "tensor") &&
    isMadeOfScalars(place, declaredType(place, type, generics), around)
  );
}

/** The list whose elements an array of references holds. */
export function inReferences(form: BoxedForm, box: Typed, span: Typed["span"]): Typed {
  const axes = box.type.kind === "tensor" ? box.type.axes : [];
  return {
    kind: "boxed",
    box,
    form,
    type: axes.length > 0 ? { kind: "list", of: form.type, axes } : form.type,
    span,
  };
}

/** A reference to no value, for a place that is never read. */
export function emptyBox(span: Typed["span"]): Typed {
  return { kind: "constant", value: [], type: scalar("data"), span };
}

/** The layout of the data that a form describes. */
export function layoutOf(form: Form): Layout {
  switch (form.kind) {
    case "scalar":
      return { kind: "scalar", type: decided(form.element) };
    case "boxed":
      return form.layout;
    case "array":
      return { kind: "cells", type: decided(form.element), rank: form.rank };
    case "references":
      return { kind: "list", of: form.of.layout, rank: form.rank, arrays: [form.rank] };
    case "window":
    case "functions":
    case "fixed":
      return { kind: "tuple", members: [] };
    case "parts": {
      if (form.type.kind === "list") return listLayout(form, form.type.axes.length);
      if (form.type.kind === "jagged")
        return { kind: "rows", type: decided(form.type.element), levels: form.type.levels };
      const members = form.members.map(layoutOf);
      if (form.type.kind !== "data") return { kind: "tuple", members };
      const { of } = form.type;
      if (!isEnum(of)) {
        const names =
          of.declaration.kind === "struct"
            ? of.declaration.fields.map((field) => field.name.text)
            : [];
        return {
          kind: "struct",
          name: of.name,
          fields: names.map((name, k) => ({ name, layout: members[k]! })),
        };
      }
      let position = 1;
      const variants = of.declaration.variants.map(({ name, fields }) => ({
        name: name.text,
        payload: members.slice(position, (position += fields.length)),
      }));
      return { kind: "enum", name: of.name, variants };
    }
    default:
      return form satisfies never;
  }
}

function listLayout(form: Form, rank: number): Layout {
  const ranksOf = (each: Form): readonly number[] =>
    each.kind === "array" || each.kind === "references"
      ? [each.rank]
      : each.kind === "parts"
        ? each.members.flatMap(ranksOf)
        : [];
  return { kind: "list", of: layoutOf(elementForm(form, rank)), rank, arrays: ranksOf(form) };
}

/** The form of one element of a list; the inverse of `inRows`. */
function elementForm(form: Form, rank: number): Form {
  if (form.kind === "array")
    return form.rank === rank
      ? { kind: "scalar", element: form.element }
      : { ...form, rank: form.rank - rank };
  if (form.kind === "references")
    return form.rank === rank ? form.of : { ...form, rank: form.rank - rank };
  if (form.kind !== "parts" || form.type.kind !== "list") return form;
  const axes = form.type.axes.slice(rank);
  const type = axes.length > 0 ? { ...form.type, axes } : form.type.of;
  return { kind: "parts", type, members: form.members.map((member) => elementForm(member, rank)) };
}
