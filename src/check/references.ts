// Data by reference: a value whose type comes back to itself is one scalar of type `data`, behind which its parts are asked for.

import type * as ast from "../syntax/ast.ts";
import type { Layout } from "../scalar/data.ts";
import { completed } from "./completed.ts";
import { wrongAt, type Place } from "./context.ts";
import { isEnum } from "./data.ts";
import type { DataBinding } from "./scope.ts";
import { boxedIn } from "./tuples.ts";
import type { Typed } from "./typed.ts";
import { decided, scalar, type DataType, type Type } from "./types.ts";
import { type Form, type BoxedForm, elementsOf, hasFixed } from "./forms.ts";
import { declaredType, declaredFields, isEndless, genericsOf } from "./declared-types.ts";
import { formOf, outOfRows, formOfData } from "./form-of.ts";
import { spread, gathered } from "./spread.ts";

/** Whether a value consists of scalars, or of arrays that functions make, whatever it is: then a reference can hold it. */
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
        isScalarField(inside, field.type, generics, [...around, of]),
      );
    }
    default:
      return false;
  }
}

function isScalarField(
  place: Place,
  type: ast.Type,
  generics: ReadonlyMap<string, Type>,
  around: readonly DataBinding[],
): boolean {
  if (type.kind === "tuple")
    return type.members.every((member) => isScalarField(place, member, generics, around));
  return (
    (type.kind === "named" || type.kind === "tensor") &&
    isMadeOfScalars(place, declaredType(place, type, generics), around)
  );
}

/** How an array holds values of a type that comes back to itself; nothing where the type ends, or cannot be held. */
export function referenceTo(place: Place, type: Type): BoxedForm | undefined {
  if (type.kind !== "data" || !isEndless(place, type)) return undefined;
  const making: Place = { ...place, arrays: true };
  return isMadeOfScalars(making, type, []) ? boxedForm(making, type) : undefined;
}

/** The list whose elements lie behind an array of references. */
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

export function boxedForm(place: Place, type: DataType): BoxedForm {
  let inside: Form | undefined;
  const open = (): Form | undefined => (inside ??= formOfData(place, type, undefined, []));
  const form: BoxedForm = {
    kind: "boxed",
    type,
    layout: { kind: "boxed", inside: () => layoutOf(open()!) },
    inside: open,
    open: (box, span) => {
      const parts = elementsOf(open()!).map((cell, member): Typed => ({
        kind: "data",
        function: "part",
        operands: [box],
        member,
        layout: form.layout,
        type: scalar(cell),
        span,
      }));
      return gathered(place.checker, open()!, parts, span);
    },
    ofType: (other) => boxedForm(place, other),
    completed: (value) =>
      completed(place, value, value.type.kind === "list" ? { ...value.type, of: type } : type),
  };
  return form;
}

/** The reference to a value: its own, or one to its parts. */
export function boxOf(value: Typed, form: BoxedForm): Typed {
  const { span } = value;
  if (value.type.kind === "absent") return emptyBox(span);
  const boxed = boxedIn(form.completed(value));
  if (boxed) return boxed.box;
  const inside = form.inside();
  if (!inside) return wrongAt(span);
  const operands = spread(value, inside);
  const { layout } = form;
  const box: Typed = {
    kind: "data",
    function: "box",
    operands,
    member: 0,
    layout,
    type: scalar("data"),
    span,
  };
  behind.set(box, value);
  return box;
}

const behind = new WeakMap<Typed, Typed>();

/** What a reference was made of, where it is made here. */
export function valueBehind(box: Typed): Typed | undefined {
  return behind.get(box);
}

/** Refers to nothing; nothing looks at it. */
export function emptyBox(span: Typed["span"]): Typed {
  return { kind: "constant", value: [], type: scalar("data"), span };
}

/** The text of a struct, enum or tuple that consists of scalars. */
export function shownWhole(place: Place, value: Typed): Typed | undefined {
  const form = formOf(place, value);
  if (!form || hasFixed(form)) return undefined;
  const { span } = value;
  const layout = layoutOf(form);
  const box: Typed = {
    kind: "data",
    function: "box",
    operands: spread(value, form),
    member: 0,
    layout,
    type: scalar("data"),
    span,
  };
  return {
    kind: "data",
    function: "show",
    operands: [box],
    member: 0,
    layout,
    type: scalar("str"),
    span,
  };
}

/** What the scalars of a form stand for. */
function layoutOf(form: Form): Layout {
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
      let at = 1;
      const variants = of.declaration.variants.map(({ name, fields }) => ({
        name: name.text,
        payload: members.slice(at, (at += fields.length)),
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
  return { kind: "list", of: layoutOf(outOfRows(form, rank)), rank, arrays: ranksOf(form) };
}
