// Questions about forms. A tuple, struct or enum has the forms of its parts. A function, or a
// tensor, is the same in all calls of one instance.

import { serialOf } from "../calls/instances/call-graph.ts";
import type { Typed } from "../types/typed.ts";
import { membersOf } from "../values/tuples.ts";
import { decided, element, isScalar, type Element, type Type } from "../types/types.ts";
import { costsNothing } from "../values/plain-values.ts";
import type { Form, BoxedForm } from "./form.ts";

/** A text that is equal for the forms that one instance serves. */
export function formKey(form: Form): string {
  switch (form.kind) {
    case "scalar":
      return decided(form.element);
    case "parts": {
      const name = form.type.kind === "data" ? serialOf(form.type.of.declaration) : "";
      return `${name}(${form.members.map(formKey).join()})`;
    }
    case "boxed":
      return `&${typeKey(form.type)}`;
    case "window":
      return `[${fixedKey(form.base)}]`;
    case "array":
      return `[${decided(form.element)}; ${form.rank}]`;
    case "references":
      return `[${formKey(form.of)}; ${form.rank}]`;
    case "functions":
      return `${serialOf(form.of.identity)}(${form.codes.map(formKey).join()})`;
    case "fixed":
      return `#${fixedKey(form.value)}`;
    default:
      return form satisfies never;
  }
}

function typeKey(type: Type): string {
  if (type.kind === "data")
    return `${serialOf(type.of.declaration)}<${type.arguments.map(typeKey).join()}>`;
  if (type.kind === "tuple") return `(${type.members.map(typeKey).join()})`;
  return type.kind === "tensor" ? `${decided(type.element)}${type.axes.length}` : type.kind;
}

function fixedKey(value: Typed): string {
  if (value.type.kind === "absent") return "absent";
  const root = rootOf(value);
  if (root.kind === "reference") return String(serialOf(root.binding));
  if (root.kind === "closure" && typeof root.callee === "string") return root.callee;
  return String(serialOf(root.kind === "closure" ? (root.callee as object) : root));
}

/** The value behind a chain of names. */
export function rootOf(value: Typed): Typed {
  if (value.kind !== "reference" || value.binding.kind !== "value") return value;
  if (!value.binding.value || value.binding.asked) return value;
  const inner = value.binding.value;
  return costsNothing(inner) || inner.kind === "closure" ? rootOf(inner) : value;
}

/** The element types of the scalars of a form. */
export function elementsOf(form: Form): readonly Element[] {
  if (form.kind === "scalar") return [form.element];
  if (form.kind === "boxed") return [element("data")];
  if (form.kind === "window") return [element("i32"), element("i32")];
  if (form.kind === "array" || form.kind === "references")
    return [
      element("data"),
      ...(form.rank === 1 ? [] : Array.from({ length: form.rank }, () => element("i32"))),
    ];
  if (form.kind === "functions") return form.codes.flatMap(elementsOf);
  return form.kind === "parts" ? form.members.flatMap(elementsOf) : [];
}

export function hasFixed(form: Form): boolean {
  if (form.kind === "window" || form.kind === "functions") return true;
  return form.kind === "fixed"
    ? form.value.type.kind !== "absent"
    : form.kind === "parts" && form.members.some(hasFixed);
}

/**
 * Whether a value has the parts of a form. The types of its scalars are compared elsewhere, one by
 * one.
 */
export function hasForm(value: Typed, form: Form): boolean {
  if (value.type.kind === "absent") return true;
  if (form.kind === "scalar") return isScalar(value.type);
  if (form.kind === "fixed" || form.kind === "window" || form.kind === "functions") return false;
  if (form.kind === "array")
    return value.type.kind === "tensor" && value.type.axes.length === form.rank;
  if (form.kind === "boxed") return isOfType(value.type, form);
  if (form.kind === "references")
    return (
      value.type.kind === "list" &&
      value.type.axes.length === form.rank &&
      isOfType(value.type.of, form.of)
    );
  const members = membersOf(value);
  if (
    value.type.kind === "data" &&
    form.type.kind === "data" &&
    value.type.of.declaration !== form.type.of.declaration
  )
    return false;
  return (
    members?.length === form.members.length &&
    form.members.every((member, k) => hasForm(members[k]!, member))
  );
}

function isOfType(type: Type, { type: { of } }: BoxedForm): boolean {
  return type.kind === "data" && type.of.declaration === of.declaration;
}
