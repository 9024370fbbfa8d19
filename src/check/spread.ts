// How a value is made of scalars: what a function takes and gives while the program runs. A tuple, struct or enum is the list of its
// parts; a function, or a tensor, is the same in every call of one instance.

import type * as ast from "../syntax/ast.ts";
import { isElementType } from "../ir/scalar/types.ts";
import type { Layout } from "../ir/scalar/data.ts";
import { zero, type Term } from "../ir/affine/term.ts";
import { numberOf } from "./call-graph.ts";
import { arrayBehind, isArray, keptCells } from "./arrays.ts";
import type { Checker, Place } from "./context.ts";
import { dataAt, isEnum } from "./data.ts";
import type { DataBinding } from "./scope.ts";
import { isPlain } from "./share.ts";
import { boxedIn, membersOf } from "./tuples.ts";
import type { Typed } from "./typed.ts";
import {
  decided,
  element,
  isScalar,
  scalar,
  tensor,
  waitingElement,
  wrong,
  type Axis,
  type DataType,
  type Element,
  type ListType,
  type TensorType,
  type Type,
} from "./types.ts";
import { windowOf, windowOver } from "./windows.ts";

export type Form =
  | { readonly kind: "scalar"; readonly element: Element }
  | { readonly kind: "parts"; readonly type: Type; readonly members: readonly Form[] }
  | BoxedForm
  /** Some elements of a tensor that is the same wherever the instance is called: where they begin, and how many they are. */
  | { readonly kind: "window"; readonly base: Typed }
  /** An array that is made while the program runs: its cells and, where it has several axes, their extents. */
  | { readonly kind: "array"; readonly element: Element; readonly rank: number }
  /** An array of structs or enums whose type comes back to itself: each of them by reference. */
  | { readonly kind: "references"; readonly of: BoxedForm; readonly rank: number }
  /** The same wherever the instance is called. */
  | { readonly kind: "fixed"; readonly value: Typed };

/** A struct or enum by reference: where its type would have no end. */
export interface BoxedForm {
  readonly kind: "boxed";
  readonly type: DataType;
  readonly layout: Layout;
  /** What lies behind the reference. */
  readonly inside: () => Form;
  /** The value behind a reference, of which the parts are at hand. */
  readonly open: (box: Typed, span: Typed["span"]) => Typed;
  readonly ofType: (type: DataType) => BoxedForm;
}

/** A text that is equal for values that one instance serves. */
export function formKey(form: Form): string {
  switch (form.kind) {
    case "scalar":
      return decided(form.element);
    case "parts":
      return `${form.type.kind === "data" ? numberOf(form.type.of.declaration) : ""}(${form.members.map(formKey).join()})`;
    case "boxed":
      return `&${typeKey(form.type)}`;
    case "window":
      return `[${fixedKey(form.base)}]`;
    case "array":
      return `[${decided(form.element)}; ${form.rank}]`;
    case "references":
      return `[${formKey(form.of)}; ${form.rank}]`;
    case "fixed":
      return `#${fixedKey(form.value)}`;
    default:
      return form satisfies never;
  }
}

function typeKey(type: Type): string {
  if (type.kind === "data") return `${numberOf(type.of.declaration)}<${type.arguments.map(typeKey).join()}>`;
  if (type.kind === "tuple") return `(${type.members.map(typeKey).join()})`;
  return type.kind === "tensor" ? `${decided(type.element)}${type.axes.length}` : type.kind;
}

function fixedKey(value: Typed): string {
  if (value.type.kind === "absent") return "absent";
  const root = rootOf(value);
  if (root.kind === "reference") return String(numberOf(root.binding));
  if (root.kind === "closure" && typeof root.callee === "string") return root.callee;
  return String(numberOf(root.kind === "closure" ? (root.callee as object) : root));
}

/** What a name that was passed along stands for. */
export function rootOf(value: Typed): Typed {
  if (value.kind !== "reference" || value.binding.kind !== "value" || !value.binding.value) return value;
  const inner = value.binding.value;
  return isPlain(inner) || inner.kind === "closure" ? rootOf(inner) : value;
}

/** The form of an argument; nothing where it is data without end. */
export function formOf(place: Place, value: Typed): Form | undefined {
  const { type } = value;
  if (isScalar(type)) return { kind: "scalar", element: type.element };
  switch (type.kind) {
    case "tensor": {
      if (place.arrays || isArray(value)) return { kind: "array", element: type.element, rank: type.axes.length };
      const window = windowOf(value);
      return window ? { kind: "window", base: window.base } : { kind: "fixed", value };
    }
    case "function":
    case "absent":
      return { kind: "fixed", value };
    case "tuple":
      return parts(
        type,
        membersOf(value)?.map((member) => formOf(place, member)),
      );
    case "data":
      return formOfData(place, type, membersOf(value), []);
    case "jagged":
      return parts(
        type,
        membersOf(value)?.map((member) => formOf(place, member)),
      );
    case "list":
      return listForm(place, type, []);
    default:
      return undefined;
  }
}

/** An array of data that the run makes: an array for each part of an element, whatever parts the elements at hand have. */
function listForm(place: Place, { of, axes }: ListType, around: readonly DataBinding[]): Form | undefined {
  const inner = place.arrays ? formOfType(place, of, around) : undefined;
  return inner && inRows(place, inner, axes.length);
}

/** The form of many values of one form: a tensor for each part, behind axes of their own. */
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
    case "parts": {
      const reference = referenceTo(place, form.type);
      if (reference) return { kind: "references", of: reference, rank };
      const axes: readonly Axis[] = Array.from({ length: rank }, () => ({}));
      const type: ListType =
        form.type.kind === "list"
          ? { ...form.type, axes: [...axes, ...form.type.axes] }
          : { kind: "list", of: form.type, axes };
      return parts(
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

/** A list without elements; nothing where its parts have no end. */
export function emptyList(place: Place, of: Type, rank: number, span: Typed["span"]): Typed | undefined {
  const axes = Array.from({ length: rank }, (): Axis => ({ extent: zero, origin: { span, text: "0 elements" } }));
  const form = listForm({ ...place, arrays: true }, { kind: "list", of, axes }, []);
  const none = (part: Form): Typed => {
    if (part.kind === "parts")
      return {
        kind: "tuple",
        members: part.members.map(none),
        type: ofOwnLength(part.type, part.members.map(none)),
        span,
      };
    if (part.kind !== "array" && part.kind !== "references") return { kind: "absent", type: { kind: "absent" }, span };
    const behind = Array.from({ length: part.rank - rank }, (): Axis => ({ extent: zero }));
    const [cell] = elementsOf(part);
    const cells: Typed = { kind: "array", elements: [], type: tensor(cell!, [...axes, ...behind]), span };
    return part.kind === "array" ? cells : inReferences(part.of, cells, span);
  };
  return form && none(form);
}

/** The form of one of many values: the inverse of `inRows`. */
function outOfRows(form: Form, rank: number): Form {
  if (form.kind === "array")
    return form.rank === rank ? { kind: "scalar", element: form.element } : { ...form, rank: form.rank - rank };
  if (form.kind === "references") return form.rank === rank ? form.of : { ...form, rank: form.rank - rank };
  if (form.kind !== "parts" || form.type.kind !== "list") return form;
  const axes = form.type.axes.slice(rank);
  const type = axes.length > 0 ? { ...form.type, axes } : form.type.of;
  return { kind: "parts", type, members: form.members.map((member) => outOfRows(member, rank)) };
}

function parts(type: Type, members: readonly (Form | undefined)[] | undefined): Form | undefined {
  return members?.every((member) => member !== undefined) ? { kind: "parts", type, members } : undefined;
}

/** An enum is spread over the payloads of all its variants, whichever one a value is. */
function formOfData(
  place: Place,
  type: Extract<Type, { kind: "data" }>,
  members: readonly Typed[] | undefined,
  around: readonly DataBinding[],
): Form | undefined {
  const { of } = type;
  // Wherever a value of this type may hold one of those around it, it stands behind a reference, whichever of them one starts from.
  const outer = new Set(around.map((each) => each.declaration));
  if (outer.has(of.declaration) || (outer.size > 0 && leadsTo(place, type, outer)))
    return isMadeOfScalars(place, type, []) ? boxedForm(place, type) : undefined;
  const generics = new Map(of.declaration.generics.map((name, k) => [name.text, type.arguments[k]!]));
  const inside: Place = { ...place, scope: of.scope };
  const fields = declaredFields(of);
  const tag: readonly Form[] = isEnum(of) ? [{ kind: "scalar", element: element("i32") }] : [];
  const forms = fields.map((field, k) => {
    const member = members?.[k + tag.length];
    return formOfDeclared(inside, field.type, generics, member, [...around, of]);
  });
  return parts(type, [...tag, ...forms]);
}

/** The fields of a struct, or of all variants of an enum. */
function declaredFields({ declaration }: DataBinding): readonly { readonly type: ast.Type }[] {
  return declaration.kind === "struct" ? declaration.fields : declaration.variants.flatMap((variant) => variant.fields);
}

/** The form of a field by its declared type, with the value at hand where the type alone does not say enough. */
function formOfDeclared(
  place: Place,
  type: ast.Type,
  generics: ReadonlyMap<string, Type>,
  value: Typed | undefined,
  around: readonly DataBinding[],
): Form | undefined {
  const own = (): Form | undefined => value && formOf(place, value);
  switch (type.kind) {
    case "named": {
      const word = type.path.map((each) => each.text).join("::");
      if (isElementType(word)) return { kind: "scalar", element: element(word) };
      const generic = generics.get(word);
      if (generic) {
        if (!value || value.type.kind === "absent") return formOfType(place, generic, around);
        return value.type.kind === "data" ? formOfData(place, value.type, membersOf(value), around) : own();
      }
      const of = namedData(place, type);
      if (!of || of === "wrong") return own();
      const given = type.arguments.map((argument) => declaredType(place, argument, generics));
      const whole: Type = { kind: "data", of, arguments: given };
      return formOfData(place, whole, value && value.type.kind !== "absent" ? membersOf(value) : undefined, around);
    }
    case "tuple": {
      const members = value && value.type.kind !== "absent" ? membersOf(value) : undefined;
      const forms = type.members.map((member, k) => formOfDeclared(place, member, generics, members?.[k], around));
      return parts({ kind: "tuple", members: type.members.map((each) => declaredType(place, each, generics)) }, forms);
    }
    case "tensor":
      return (place.arrays && formOfType(place, declaredType(place, type, generics), around)) || own();
    case "function":
    case "jagged":
    case "missing":
      return own();
    default:
      return type satisfies never;
  }
}

// ── references ──────────────────────────────────────────────────────────────────────────────────

/** Whether a value consists of scalars, or of arrays that functions make, whatever it is: then a reference can hold it. */
function isMadeOfScalars(place: Place, type: Type, around: readonly DataBinding[]): boolean {
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
      const generics = new Map(of.declaration.generics.map((name, k) => [name.text, type.arguments[k]!]));
      const inside: Place = { ...place, scope: of.scope };
      return declaredFields(of).every((field) => isScalarField(inside, field.type, generics, [...around, of]));
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
  if (type.kind === "tuple") return type.members.every((member) => isScalarField(place, member, generics, around));
  return (
    (type.kind === "named" || type.kind === "tensor") &&
    isMadeOfScalars(place, declaredType(place, type, generics), around)
  );
}

/** Whether a type comes back to itself. */
export function isEndless(place: Place, type: DataType): boolean {
  return leadsTo(place, type, new Set([type.of.declaration]));
}

/** Whether a value of a type may hold one of the given declarations, at any depth. */
function leadsTo(place: Place, from: Type, targets: ReadonlySet<ast.Enum | ast.Struct>): boolean {
  const seen = new Set<ast.Enum | ast.Struct>();
  const visit = (type: Type): boolean => {
    if (type.kind === "tuple") return type.members.some(isOne);
    if (type.kind === "list") return isOne(type.of);
    if (type.kind !== "data") return false;
    const { of } = type;
    if (type.arguments.some(isOne)) return true;
    if (seen.has(of.declaration)) return false;
    seen.add(of.declaration);
    const generics = new Map(of.declaration.generics.map((name, k) => [name.text, type.arguments[k]!]));
    const inside: Place = { ...place, scope: of.scope };
    return declaredFields(of).some((field) => isOne(declaredType(inside, field.type, generics)));
  };
  const isOne = (held: Type): boolean => (held.kind === "data" && targets.has(held.of.declaration)) || visit(held);
  return visit(from);
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
  return { kind: "boxed", box, form, type: axes.length > 0 ? { kind: "list", of: form.type, axes } : form.type, span };
}

function boxedForm(place: Place, type: DataType): BoxedForm {
  let inside: Form | undefined;
  const open = (): Form => (inside ??= formOfData(place, type, undefined, [])!);
  const form: BoxedForm = {
    kind: "boxed",
    type,
    layout: { kind: "boxed", inside: () => layoutOf(open()) },
    inside: open,
    open: (box, span) => {
      const parts = elementsOf(open()).map((cell, member): Typed => ({
        kind: "data",
        function: "part",
        operands: [box],
        member,
        layout: form.layout,
        type: scalar(cell),
        span,
      }));
      return gathered(place.checker, open(), parts, span);
    },
    ofType: (other) => boxedForm(place, other),
  };
  return form;
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
        const names = of.declaration.kind === "struct" ? of.declaration.fields.map((field) => field.name.text) : [];
        return { kind: "struct", name: of.name, fields: names.map((name, k) => ({ name, layout: members[k]! })) };
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

/** The reference to a value: its own, or one to its parts. */
export function boxOf(value: Typed, form: BoxedForm): Typed {
  const { span } = value;
  if (value.type.kind === "absent") return emptyBox(span);
  const boxed = boxedIn(value);
  if (boxed) return boxed.box;
  const operands = spread(value, form.inside());
  return { kind: "data", function: "box", operands, member: 0, layout: form.layout, type: scalar("data"), span };
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
  return { kind: "data", function: "show", operands: [box], member: 0, layout, type: scalar("str"), span };
}

/** Refers to nothing; nothing looks at it. */
export function emptyBox(span: Typed["span"]): Typed {
  return { kind: "constant", value: [], type: scalar("data"), span };
}

function formOfType(place: Place, type: Type, around: readonly DataBinding[]): Form | undefined {
  if (type.kind === "tensor" && !isScalar(type))
    return place.arrays ? { kind: "array", element: type.element, rank: type.axes.length } : undefined;
  if (isScalar(type)) return { kind: "scalar", element: type.element };
  if (type.kind === "absent") return { kind: "fixed", value: { kind: "absent", type, span: nowhere } };
  if (type.kind === "tuple")
    return parts(
      type,
      type.members.map((member) => formOfType(place, member, around)),
    );
  if (type.kind === "list") return listForm(place, type, around);
  return type.kind === "data" ? formOfData(place, type, undefined, around) : undefined;
}

const nowhere: Typed["span"] = { source: { name: "<compiler>", text: "" }, start: 0, end: 0 };

/** A type as it is written, of which only what forms need is looked at. */
export function declaredType(place: Place, type: ast.Type, generics: ReadonlyMap<string, Type>): Type {
  if (type.kind === "tuple")
    return { kind: "tuple", members: type.members.map((member) => declaredType(place, member, generics)) };
  if (type.kind === "tensor") return declaredTensor(place, type, generics);
  if (type.kind !== "named") return { kind: "absent" };
  const word = type.path.map((each) => each.text).join("::");
  if (isElementType(word)) return scalar(word);
  const generic = generics.get(word);
  if (generic) return generic;
  const of = namedData(place, type);
  if (of === "wrong") return wrong;
  if (!of) return scalar(waitingElement());
  return { kind: "data", of, arguments: type.arguments.map((argument) => declaredType(place, argument, generics)) };
}

/** A tensor of which the rank is known, and nothing about its extents. */
function declaredTensor(
  place: Place,
  { element: of, dims }: Extract<ast.Type, { kind: "tensor" }>,
  generics: ReadonlyMap<string, Type>,
): Type {
  const cell = declaredType(place, of, generics);
  const isRanked = (dims ?? []).every((dim) => dim.kind !== "pack" && dim.kind !== "any-rank");
  const axes = (dims ?? [undefined]).map((): Axis => ({}));
  if (isRanked && (cell.kind === "data" || cell.kind === "tuple")) return { kind: "list", of: cell, axes };
  return isRanked && isScalar(cell) ? tensor(cell.element, axes) : { kind: "absent" };
}

/** The enum or struct that a type names; it is wrong to give it another number of type arguments than it has. */
function namedData(
  place: Place,
  { path, arguments: given, span }: Extract<ast.Type, { kind: "named" }>,
): DataBinding | "wrong" | undefined {
  const of = dataAt(place, { kind: "path", segments: path, span });
  return of && of !== "wrong" && of.declaration.generics.length !== given.length ? "wrong" : of;
}

/** The form of a result that is declared; words such as `float` wait for the body. */
export function declaredForm(place: Place, type: ast.Type): Form | undefined {
  if (type.kind === "function" || type.kind === "jagged" || type.kind === "missing") return undefined;
  if (type.kind === "tensor" && !place.arrays) return undefined;
  return formOfType(place, declaredType(place, type, new Map()), []);
}

// ── between values and scalars ──────────────────────────────────────────────────────────────────

/** The scalars of a value, in order. */
export function spread(value: Typed, form: Form): readonly Typed[] {
  switch (form.kind) {
    case "fixed":
      return [];
    case "scalar":
      if (value.type.kind !== "absent") return [value];
      return [none(form.element, value)];
    case "boxed":
      return [boxOf(value, form)];
    case "array":
    case "references": {
      if (value.type.kind === "absent") return elementsOf(form).map((cell) => none(cell, value));
      const cells = form.kind === "array" ? value : boxedIn(value)!.box;
      const { axes } = cells.type as TensorType;
      const extents = form.rank === 1 ? [] : axes.map((axis) => integer(axis.extent ?? zero, value));
      return [keptCells(cells), ...extents];
    }
    case "window": {
      const { from, length } = windowOf(value)!;
      return [from, length];
    }
    case "parts": {
      const members = value.type.kind === "absent" ? form.members.map(() => value) : membersOf(value)!;
      const { type } = value;
      return form.members.flatMap((member, k) =>
        spread(type.kind === "list" ? filled(members[k]!, member, type.axes) : members[k]!, member),
      );
    }
    default:
      return form satisfies never;
  }
}

/** A payload that no element of a list has is as long as the list. */
function filled(value: Typed, form: Form, axes: readonly Axis[]): Typed {
  if (value.type.kind !== "absent") return value;
  const { span } = value;
  if (form.kind === "parts")
    return { kind: "tuple", members: form.members.map((member) => filled(value, member, axes)), type: form.type, span };
  if (form.kind === "references")
    return inReferences(form.of, { ...emptyBox(span), type: tensor(element("data"), axes) }, span);
  if (form.kind !== "array") return value;
  const behind = Array.from({ length: form.rank - axes.length }, (): Axis => ({ extent: zero }));
  const cell = decided(form.element);
  const type = tensor(form.element, [...axes, ...behind]);
  return cell === "str"
    ? { kind: "text", parts: [], type, span }
    : { kind: "constant", value: cell === "bool" ? false : 0, type, span };
}

/** Stands where a variant has no payload; nothing looks at it. */
function none(cell: Element, { span }: Typed): Typed {
  const type = decided(cell);
  if (type === "data") return emptyBox(span);
  if (type === "str") return { kind: "text", parts: [], type: scalar("str"), span };
  return { kind: "constant", value: type === "bool" ? false : 0, type: scalar(cell), span };
}

function integer(term: Term, { span }: Typed): Typed {
  return { kind: "integer", term, type: scalar("i32"), span };
}

/** The value that scalars stand for. */
export function gathered(checker: Checker, form: Form, scalars: readonly Typed[], span: Typed["span"]): Typed {
  let at = 0;
  const next = (inner: Form): Typed => {
    switch (inner.kind) {
      case "scalar":
        return scalars[at++]!;
      case "boxed":
        return { kind: "boxed", box: scalars[at++]!, form: inner, type: inner.type, span };
      case "array": {
        const box = scalars[at++]!;
        const extents = inner.rank === 1 ? [] : scalars.slice(at, (at += inner.rank));
        return arrayBehind(checker, box, inner.element, extents, span);
      }
      case "references": {
        const box = scalars[at++]!;
        const extents = inner.rank === 1 ? [] : scalars.slice(at, (at += inner.rank));
        return inReferences(inner.of, arrayBehind(checker, box, element("data"), extents, span), span);
      }
      case "window": {
        const [from, length] = [scalars[at++]!, scalars[at++]!];
        return windowOver({ base: inner.base, from, length }, { extent: termOfParameter(length) }, span);
      }
      case "fixed":
        return { ...inner.value, span };
      case "parts": {
        const members = inner.members.map(next);
        return { kind: "tuple", members, type: ofOwnLength(inner.type, members), span };
      }
      default:
        return inner satisfies never;
    }
  };
  return next(form);
}

/** A list is as long as the arrays of its parts. */
export function ofOwnLength(type: Type, members: readonly Typed[]): Type {
  if (type.kind !== "list") return type;
  const first = members.find((member) => member.type.kind === "tensor" || member.type.kind === "list");
  const { axes } = (first?.type ?? type) as TensorType | ListType;
  return { ...type, axes: axes.slice(0, type.axes.length) };
}

function termOfParameter(value: Typed): Term {
  return value.kind === "reference" && value.binding.kind === "value" && value.binding.term ? value.binding.term : zero;
}

/** The element types of the scalars of a form. */
export function elementsOf(form: Form): readonly Element[] {
  if (form.kind === "scalar") return [form.element];
  if (form.kind === "boxed") return [element("data")];
  if (form.kind === "window") return [element("i32"), element("i32")];
  if (form.kind === "array" || form.kind === "references")
    return [element("data"), ...(form.rank === 1 ? [] : Array.from({ length: form.rank }, () => element("i32")))];
  return form.kind === "parts" ? form.members.flatMap(elementsOf) : [];
}

export function hasFixed(form: Form): boolean {
  if (form.kind === "window") return true;
  return form.kind === "fixed"
    ? form.value.type.kind !== "absent"
    : form.kind === "parts" && form.members.some(hasFixed);
}
