// The form of a value, or of all values of a declared type. Tuples, structs and enums have the
// forms of their parts. A value of a recursive type inside another such value is a reference.

import type * as ast from "../../syntax/tree/ast.ts";
import { isElementType } from "../../scalar/types.ts";
import { isArray } from "./arrays.ts";
import type { Place } from "../context.ts";
import { isEnum } from "./data.ts";
import type { DataBinding } from "../names/scope.ts";
import { functionsIn, holdsFunctions, membersOf, windowOf } from "../values/tuples.ts";
import type { Typed } from "../types/typed.ts";
import {
  element,
  isScalar,
  type Axis,
  type ListType,
  type Type,
  type DataType,
  scalar,
  tensor,
} from "../types/types.ts";
import { elementsOf } from "./forms.ts";
import {
  declaredType,
  namedData,
  declaredFields,
  mayContain,
  genericsOf,
  isRecursiveType,
} from "../types/declared-types.ts";
import { isMadeOfScalars, layoutOf, inReferences } from "./references.ts";
import { nowhere } from "../../base/source.ts";
import { valueOfScalars, ofOwnLength } from "../calls/instances/spread.ts";
import { completed } from "../types/completed.ts";
import { zero } from "../../affine/term.ts";
import type { Form, BoxedForm } from "./form.ts";

/** The form of an argument; undefined for data that has no form. */
export function formOf(place: Place, value: Typed): Form | undefined {
  const { type } = value;
  if (isScalar(type)) return { kind: "scalar", element: type.element };
  switch (type.kind) {
    case "tensor": {
      if (place.arrays || isArray(value))
        return { kind: "array", element: type.element, rank: type.axes.length };
      const window = windowOf(value);
      return window ? { kind: "window", base: window.base } : { kind: "fixed", value };
    }
    case "function":
    case "absent":
      return { kind: "fixed", value };
    case "tuple":
      return partsForm(
        type,
        membersOf(value)?.map((member) => formOf(place, member)),
      );
    case "data":
      return formOfData(place, type, membersOf(value), []);
    case "jagged":
      return partsForm(
        type,
        membersOf(value)?.map((member) => formOf(place, member)),
      );
    case "list":
      return functionsForm(place, value) ?? listForm(place, type, []);
    default:
      return undefined;
  }
}

/**
 * The form of an array of functions, or of data that contains functions. It depends on the array
 * itself.
 */
function functionsForm(place: Place, value: Typed): Form | undefined {
  const of = functionsIn(value);
  if (of) {
    const codes = of.codes.flatMap((code) => formOf(place, code) ?? []);
    return codes.length === of.codes.length ? { kind: "functions", of, codes } : undefined;
  }
  if (!holdsFunctions(value)) return undefined;
  return partsForm(
    value.type,
    membersOf(value)?.map((member) => formOf(place, member)),
  );
}

/** The form of a list that is made while the program runs: an array for each part of an element. */
function listForm(
  place: Place,
  { of, axes }: ListType,
  around: readonly DataBinding[],
): Form | undefined {
  const inner = place.arrays ? formOfType(place, of, around) : undefined;
  return inner && inRows(place, inner, axes.length);
}

/** The form of a list of values of one form: an array for each part. */
function inRows(place: Place, form: Form, rank: number): Form | undefined {
  switch (form.kind) {
    case "scalar":
      return { kind: "array", element: form.element, rank };
    case "array":
    case "references":
      return { ...form, rank: rank + form.rank };
    case "boxed":
      return { kind: "references", of: form, rank };
    case "fixed":
      return form;
    case "functions":
      return undefined;
    case "parts": {
      const reference = referenceTo(place, form.type);
      if (reference) return { kind: "references", of: reference, rank };
      const axes: readonly Axis[] = Array.from({ length: rank }, () => ({}));
      const type: ListType =
        form.type.kind === "list"
          ? { ...form.type, axes: [...axes, ...form.type.axes] }
          : { kind: "list", of: form.type, axes };
      return partsForm(
        type,
        form.members.map((member) => inRows(place, member, rank)),
      );
    }
    case "window":
      return undefined;
    default:
      return form satisfies never;
  }
}

function partsForm(
  type: Type,
  members: readonly (Form | undefined)[] | undefined,
): Form | undefined {
  return members?.every((member) => member !== undefined)
    ? { kind: "parts", type, members }
    : undefined;
}

/**
 * The form of a struct or enum. An enum has the payloads of all its variants, whichever variant the
 * value is.
 */
function formOfData(
  place: Place,
  type: Extract<Type, { kind: "data" }>,
  members: readonly Typed[] | undefined,
  around: readonly DataBinding[],
): Form | undefined {
  const { of } = type;
  // If a value of this type may hold a value of a type around it, it becomes a reference. Which of
  // these types the form started from does not matter.
  const outer = new Set(around.map((each) => each.declaration));
  if (outer.has(of.declaration) || (outer.size > 0 && mayContain(place, type, outer)))
    return isMadeOfScalars(place, type, []) ? boxedForm(place, type) : undefined;
  const generics = genericsOf(type);
  const inside: Place = { ...place, scope: of.scope };
  const fields = declaredFields(of);
  const tag: readonly Form[] = isEnum(of) ? [{ kind: "scalar", element: element("i32") }] : [];
  const forms = fields.map((field, k) => {
    const member = members?.[k + tag.length];
    return formOfDeclared(inside, field.type, generics, member, [...around, of]);
  });
  return partsForm(type, [...tag, ...forms]);
}

/**
 * The form of a field by its declared type. The value decides where the type leaves the form open.
 */
function formOfDeclared(
  place: Place,
  type: ast.Type,
  generics: ReadonlyMap<string, Type>,
  value: Typed | undefined,
  around: readonly DataBinding[],
): Form | undefined {
  const formOfValue = (): Form | undefined => value && formOf(place, value);
  switch (type.kind) {
    case "named": {
      const word = type.path.map((each) => each.text).join("::");
      if (isElementType(word)) return { kind: "scalar", element: element(word) };
      const generic = generics.get(word);
      if (generic) {
        if (!value || value.type.kind === "absent") return formOfType(place, generic, around);
        return value.type.kind === "data"
          ? formOfData(place, value.type, membersOf(value), around)
          : formOfValue();
      }
      const of = namedData(place, type);
      if (!of || of === "wrong") return formOfValue();
      const given = type.arguments.map((argument) => declaredType(place, argument, generics));
      const whole: Type = { kind: "data", of, arguments: given };
      return formOfData(
        place,
        whole,
        value && value.type.kind !== "absent" ? membersOf(value) : undefined,
        around,
      );
    }
    case "tuple": {
      const members = value && value.type.kind !== "absent" ? membersOf(value) : undefined;
      const forms = type.members.map((member, k) =>
        formOfDeclared(place, member, generics, members?.[k], around),
      );
      return partsForm(
        { kind: "tuple", members: type.members.map((each) => declaredType(place, each, generics)) },
        forms,
      );
    }
    case "tensor":
      return (
        (place.arrays && formOfType(place, declaredType(place, type, generics), around)) ||
        formOfValue()
      );
    case "function":
    case "jagged":
    case "missing":
      return formOfValue();
    default:
      return type satisfies never;
  }
}

function formOfType(place: Place, type: Type, around: readonly DataBinding[]): Form | undefined {
  if (type.kind === "tensor" && !isScalar(type))
    return place.arrays
      ? { kind: "array", element: type.element, rank: type.axes.length }
      : undefined;
  if (isScalar(type)) return { kind: "scalar", element: type.element };
  if (type.kind === "absent")
    return { kind: "fixed", value: { kind: "absent", type, span: nowhere } };
  if (type.kind === "tuple")
    return partsForm(
      type,
      type.members.map((member) => formOfType(place, member, around)),
    );
  if (type.kind === "list") return listForm(place, type, around);
  return type.kind === "data" ? formOfData(place, type, undefined, around) : undefined;
}

/** The form of a declared result. Element words such as `float` are decided by the body. */
export function declaredForm(place: Place, type: ast.Type): Form | undefined {
  if (type.kind === "function" || type.kind === "jagged" || type.kind === "missing")
    return undefined;
  if (type.kind === "tensor" && !place.arrays) return undefined;
  return formOfType(place, declaredType(place, type, new Map()), []);
}

/**
 * The form of a reference to values of a recursive type. Undefined if the type is not recursive, or
 * if a reference cannot hold it.
 */
export function referenceTo(place: Place, type: Type): BoxedForm | undefined {
  if (type.kind !== "data" || !isRecursiveType(place, type)) return undefined;
  const inArrays: Place = { ...place, arrays: true };
  return isMadeOfScalars(inArrays, type, []) ? boxedForm(inArrays, type) : undefined;
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
      return valueOfScalars(place.checker, open()!, parts, span);
    },
    ofType: (other) => boxedForm(place, other),
    completed: (value) =>
      completed(place, value, value.type.kind === "list" ? { ...value.type, of: type } : type),
  };
  return form;
}

/** A list without elements. Undefined if the list has no form. */
export function emptyList(
  place: Place,
  of: Type,
  rank: number,
  span: Typed["span"],
): Typed | undefined {
  const axes = Array.from({ length: rank }, (): Axis => ({
    extent: zero,
    origin: { span, text: "0 elements" },
  }));
  const form = listForm({ ...place, arrays: true }, { kind: "list", of, axes }, []);
  const emptyPart = (part: Form): Typed => {
    if (part.kind === "parts")
      return {
        kind: "tuple",
        members: part.members.map(emptyPart),
        type: ofOwnLength(part.type, part.members.map(emptyPart)),
        span,
      };
    if (part.kind !== "array" && part.kind !== "references")
      return { kind: "absent", type: { kind: "absent" }, span };
    const innerAxes = Array.from({ length: part.rank - rank }, (): Axis => ({ extent: zero }));
    const [cell] = elementsOf(part);
    const cells: Typed = {
      kind: "array",
      elements: [],
      type: tensor(cell!, [...axes, ...innerAxes]),
      span,
    };
    return part.kind === "array" ? cells : inReferences(part.of, cells, span);
  };
  return form && emptyPart(form);
}
