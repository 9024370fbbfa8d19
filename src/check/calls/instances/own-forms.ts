// The forms of an instance's own parameters and results. Their element types are decided; they do
// not change when the first call decides a literal.

import { membersOf } from "../../values/tuples.ts";
import type { Typed } from "../../types/typed.ts";
import {
  decided,
  element,
  unify,
  waitNoMore,
  type DataType,
  type Type,
} from "../../types/types.ts";
import type { Form, BoxedForm } from "../../data/form.ts";

/** Whether a value of this form has a length that may differ from call to call. */
export function hasOwnLength(form: Form): boolean {
  return form.kind === "window" || hasArray(form);
}

export function isCompound(form: Form): boolean {
  return form.kind !== "scalar";
}

export function withOwnTypes(form: Form): Form {
  if (form.kind === "scalar") return { kind: "scalar", element: element(decided(form.element)) };
  if (form.kind === "array") return { ...form, element: element(decided(form.element)) };
  if (form.kind === "boxed") return form.ofType(ownType(form.type) as DataType);
  if (form.kind === "references") return { ...form, of: withOwnTypes(form.of) as BoxedForm };
  if (form.kind === "functions") return { ...form, codes: form.codes.map(withOwnTypes) };
  return form.kind === "parts" ? { ...form, members: form.members.map(withOwnTypes) } : form;
}

/** The same type with decided element types. Deciding other elements later does not change it. */
export function ownType(type: Type): Type {
  if (type.kind === "tensor") return { ...type, element: element(decided(type.element)) };
  if (type.kind === "tuple") return { ...type, members: type.members.map(ownType) };
  return type.kind === "data" ? { ...type, arguments: type.arguments.map(ownType) } : type;
}

/** Unifies the element types of the arrays in a value with the element types of the form. */
export function unifyElements(value: Typed, form: Form): boolean {
  if (value.type.kind === "absent") return true;
  if (form.kind === "array")
    return value.type.kind === "tensor" && unify(value.type.element, form.element);
  if (form.kind !== "parts") return true;
  const members = membersOf(value)!;
  return form.members.every((member, k) => unifyElements(members[k]!, member));
}

export function settleArrays(form: Form): void {
  if (form.kind === "array") waitNoMore(form.element);
  if (form.kind === "parts") form.members.forEach(settleArrays);
}

export function hasArray(form: Form): boolean {
  if (form.kind === "array" || form.kind === "references") return true;
  if (form.kind === "functions") return form.codes.some(hasArray);
  return form.kind === "parts" && form.members.some(hasArray);
}
