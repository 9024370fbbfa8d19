// Completes values of generic types with type arguments that were open when the value was made. The
// `Leaf` in `[Tree::Leaf, Tree::Node(1)]` turns out to be a `Tree<i32>`.
//
// A value behind a reference has a place for each part of its type. When an open type argument
// becomes known, the value gets new places, so it is made again. Only literals have open arguments,
// so their parts are at hand.

import type { Place } from "../context.ts";
import { isEnum } from "../data/data.ts";
import { declaredFields, declaredType, genericsOf } from "./declared-types.ts";
import { boxedIn, membersOf } from "../values/tuples.ts";
import type { Typed } from "./typed.ts";
import type { DataType, Type } from "./types.ts";
import { mergedType } from "./same-type.ts";
import { valueBehind, boxOf } from "../calls/instances/spread.ts";
import type { BoxedForm } from "../data/form.ts";

/** The same value with the additional type arguments of `type`. */
export function completed(place: Place, value: Typed, type: Type): Typed {
  if (!isOpen(value.type)) return value;
  const whole = mergedType(value.type, type);
  const boxed = boxedIn(value);
  if (boxed) {
    const of = whole.kind === "list" ? whole.of : whole;
    if (of.kind !== "data") return value;
    const form = boxed.form.ofType(of);
    return { ...boxed, form, box: rebuilt(place, boxed.box, form), type: whole };
  }
  const members = whole.kind === "list" ? undefined : membersOf(value);
  const types = partTypes(place, whole);
  if (!members || members.length !== types.length) return value;
  const parts = members.map((member, k) => completed(place, member, types[k]!));
  return { kind: "tuple", members: parts, type: whole, span: value.span };
}

/** Whether a type has an unknown type argument. */
export function isOpen(type: Type): boolean {
  if (type.kind === "list") return isOpen(type.of);
  if (type.kind === "tuple") return type.members.some(isOpen);
  return (
    type.kind === "data" &&
    type.arguments.some((argument) => argument.kind === "absent" || isOpen(argument))
  );
}

function partTypes(place: Place, type: Type): readonly Type[] {
  if (type.kind === "tuple") return type.members;
  return type.kind === "data" ? fieldTypes(place, type) : [];
}

function fieldTypes(place: Place, type: DataType): readonly Type[] {
  const inside: Place = { ...place, scope: type.of.scope };
  const fields = declaredFields(type.of).map((field) =>
    declaredType(inside, field.type, genericsOf(type)),
  );
  return isEnum(type.of) ? [{ kind: "absent" }, ...fields] : fields;
}

/** The references in `box` to the same values, in a form with places for all parts. */
function rebuilt(place: Place, box: Typed, form: BoxedForm): Typed {
  const rebuildPart = (part: Typed): Typed => rebuilt(place, part, form);
  const behind = valueBehind(box);
  if (behind) return boxOf(completed(place, behind, form.type), form);
  switch (box.kind) {
    case "array":
      return { ...box, elements: box.elements.map(rebuildPart) };
    case "read":
      return { ...box, base: rebuildPart(box.base) };
    case "abstract":
      return { ...box, body: rebuildPart(box.body) };
    case "block":
      return { ...box, value: rebuildPart(box.value) };
    case "select":
      return { ...box, then: rebuildPart(box.then), otherwise: rebuildPart(box.otherwise) };
    case "reference":
      return box.binding.kind === "value" && box.binding.value
        ? rebuildPart(box.binding.value)
        : box;
    default:
      return box;
  }
}
