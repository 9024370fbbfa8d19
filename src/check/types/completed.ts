// Values of generic types of which more is known by now than when they were made: `[Tree::Leaf]`,
// once it stands beside a `Tree::Node(1)`.
//
// A reference has a place for each part that its type is known to have. Where a type argument was
// open, what was made by reference is made again; only what is written out has open arguments, so
// that what it was made of is at hand.

import type { Place } from "../context.ts";
import { isEnum } from "../data/data.ts";
import { declaredFields, declaredType, genericsOf } from "./declared-types.ts";
import { boxedIn, membersOf } from "../values/tuples.ts";
import type { Typed } from "./typed.ts";
import type { DataType, Type } from "./types.ts";
import { mergedType } from "./same-type.ts";
import { valueBehind, boxOf } from "../calls/instances/spread.ts";
import type { BoxedForm } from "../data/form.ts";

/** The same value, with what a type says beyond its own. */
export function completed(place: Place, value: Typed, type: Type): Typed {
  if (!isOpen(value.type)) return value;
  const whole = mergedType(value.type, type);
  const boxed = boxedIn(value);
  if (boxed) {
    const of = whole.kind === "list" ? whole.of : whole;
    if (of.kind !== "data") return value;
    const form = boxed.form.ofType(of);
    return { ...boxed, form, box: madeAgain(place, boxed.box, form), type: whole };
  }
  const members = whole.kind === "list" ? undefined : membersOf(value);
  const types = partTypes(place, whole);
  if (!members || members.length !== types.length) return value;
  const parts = members.map((member, k) => completed(place, member, types[k]!));
  return { kind: "tuple", members: parts, type: whole, span: value.span };
}

/** Whether a type argument in it is not known. */
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

/** References to the same values, of a form that has places for all their parts. */
function madeAgain(place: Place, box: Typed, form: BoxedForm): Typed {
  const again = (part: Typed): Typed => madeAgain(place, part, form);
  const behind = valueBehind(box);
  if (behind) return boxOf(completed(place, behind, form.type), form);
  switch (box.kind) {
    case "array":
      return { ...box, elements: box.elements.map(again) };
    case "read":
      return { ...box, base: again(box.base) };
    case "abstract":
      return { ...box, body: again(box.body) };
    case "block":
      return { ...box, value: again(box.value) };
    case "select":
      return { ...box, then: again(box.then), otherwise: again(box.otherwise) };
    case "reference":
      return box.binding.kind === "value" && box.binding.value ? again(box.binding.value) : box;
    default:
      return box;
  }
}
