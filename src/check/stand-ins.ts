// Values that stand in for those that nobody has brought: of a type that is known, and of extents that are not.

import type { Span } from "../syntax/source.ts";
import { ofVariable } from "../ir/affine/term.ts";
import { extentVariable, wrongAt, type Place } from "./context.ts";
import { isEnum } from "./data.ts";
import { declaredFields, declaredType, genericsOf } from "./declared-types.ts";
import { inReferences, referenceTo } from "./references.ts";
import type { DataBinding } from "./scope.ts";
import type { Typed, ValueBinding } from "./typed.ts";
import { element, known, scalar, tensor, type Axis, type TensorType, type Type } from "./types.ts";

/** A value of a type; a part of which the type leaves open what it is stands for something that is wrong and has been reported. */
export function standIn(place: Place, type: Type, span: Span): Typed {
  return standInWithin(place, type, span, []);
}

/** Whether all parts of it are there. */
export function isWhole(stand: Typed): boolean {
  return stand.kind === "tuple" ? stand.members.every(isWhole) : stand.kind !== "wrong";
}

function standInWithin(place: Place, type: Type, span: Span, around: readonly DataBinding[]): Typed {
  const inside = (member: Type): Typed => standInWithin(place, member, span, around);
  switch (type.kind) {
    case "tensor": {
      const cell = known(type.element);
      if (!cell) return wrongAt(span);
      const axes = type.axes.map((axis): Axis => ({ ...axis, extent: ofVariable(extentVariable(place.checker, "n")) }));
      return unbound(tensor(element(cell), axes), span);
    }
    case "tuple":
      return { kind: "tuple", members: type.members.map(inside), type, span };
    case "data": {
      const { of } = type;
      if (around.some(({ declaration }) => declaration === of.declaration)) {
        const form = referenceTo(place, type);
        return form ? inReferences(form, unbound(scalar("data"), span), span) : wrongAt(span);
      }
      const declaring: Place = { ...place, scope: of.scope };
      const fields = declaredFields(of).map((field) =>
        standInWithin(place, declaredType(declaring, field.type, genericsOf(type)), span, [...around, of]),
      );
      const tag = isEnum(of) ? [unbound(scalar("i32"), span)] : [];
      return { kind: "tuple", members: [...tag, ...fields], type, span };
    }
    default:
      return wrongAt(span);
  }
}

function unbound(type: TensorType, span: Span): Typed {
  const binding: ValueBinding = { kind: "value", role: "input", name: "it", span, type };
  return { kind: "reference", binding, type, span };
}
