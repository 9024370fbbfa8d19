// Types as a program writes them, reduced to what the forms of data need: the rank of an array, the
// kind of data, and what a value of the type may contain. Extents are ignored here.

import type * as ast from "../../syntax/tree/ast.ts";
import { isElementType } from "../../scalar/types.ts";
import type { Place } from "../context.ts";
import { dataAt } from "../data/data-at.ts";
import type { DataBinding } from "../names/scope.ts";
import {
  isScalar,
  scalar,
  tensor,
  waitingElement,
  wrong,
  type Axis,
  type DataType,
  type Type,
} from "./types.ts";

/** The type that a program writes, without its extents. */
export function declaredType(
  place: Place,
  type: ast.Type,
  generics: ReadonlyMap<string, Type>,
): Type {
  if (type.kind === "tuple")
    return {
      kind: "tuple",
      members: type.members.map((member) => declaredType(place, member, generics)),
    };
  if (type.kind === "tensor") return declaredTensor(place, type, generics);
  if (type.kind === "function")
    return {
      kind: "function",
      arity: type.parameters.length,
      declared: { type, scope: place.scope, generics },
    };
  if (type.kind !== "named") return { kind: "absent" };
  const word = type.path.map((each) => each.text).join("::");
  if (isElementType(word)) return scalar(word);
  const generic = generics.get(word);
  if (generic) return generic;
  const of = namedData(place, type);
  if (of === "wrong") return wrong;
  if (!of) return scalar(waitingElement());
  return {
    kind: "data",
    of,
    arguments: type.arguments.map((argument) => declaredType(place, argument, generics)),
  };
}

/** A tensor type of known rank and unknown extents. */
function declaredTensor(
  place: Place,
  { element: of, dims }: Extract<ast.Type, { kind: "tensor" }>,
  generics: ReadonlyMap<string, Type>,
): Type {
  const cell = declaredType(place, of, generics);
  const isRanked = (dims ?? []).every((dim) => dim.kind !== "pack" && dim.kind !== "any-rank");
  const axes = (dims ?? [undefined]).map((): Axis => ({}));
  if (isRanked && (cell.kind === "data" || cell.kind === "tuple" || cell.kind === "function"))
    return { kind: "list", of: cell, axes };
  return isRanked && isScalar(cell) ? tensor(cell.element, axes) : { kind: "absent" };
}

/**
 * The enum or struct that a type names. "wrong" if the number of type arguments differs from the
 * declaration.
 */
export function namedData(
  place: Place,
  { path, arguments: given, span }: Extract<ast.Type, { kind: "named" }>,
): DataBinding | "wrong" | undefined {
  const of = dataAt(place, { kind: "path", segments: path, span });
  return of && of !== "wrong" && of.declaration.generics.length !== given.length ? "wrong" : of;
}

/** The fields of a struct, or those of all variants of an enum. */
export function declaredFields({
  declaration,
}: DataBinding): readonly { readonly type: ast.Type }[] {
  return declaration.kind === "struct"
    ? declaration.fields
    : declaration.variants.flatMap((variant) => variant.fields);
}

/** Whether a value of a type may contain a value of the same type, as the nodes of a tree do. */
export function isRecursiveType(place: Place, type: DataType): boolean {
  return mayContain(place, type, new Set([type.of.declaration]));
}

/** Whether a value of a type may contain one of the given declarations, at any depth. */
export function mayContain(
  place: Place,
  from: Type,
  targets: ReadonlySet<ast.Enum | ast.Struct>,
): boolean {
  return containsType(
    place,
    from,
    (held) => held.kind === "data" && targets.has(held.of.declaration),
  );
}

/** Whether a value of a type is or contains a function. */
export function holdsFunction(place: Place, type: Type): boolean {
  return type.kind === "function" || containsType(place, type, (held) => held.kind === "function");
}

/**
 * Whether a value of a type may contain, at any depth, a value of a type that `isWanted` accepts.
 */
function containsType(place: Place, from: Type, isWanted: (held: Type) => boolean): boolean {
  const seen = new Set<ast.Enum | ast.Struct>();
  const visit = (type: Type): boolean => {
    if (type.kind === "tuple") return type.members.some(isOne);
    if (type.kind === "list") return isOne(type.of);
    if (type.kind !== "data") return false;
    const { of } = type;
    if (type.arguments.some(isOne)) return true;
    if (seen.has(of.declaration)) return false;
    seen.add(of.declaration);
    const generics = genericsOf(type);
    const inside: Place = { ...place, scope: of.scope };
    return declaredFields(of).some((field) => isOne(declaredType(inside, field.type, generics)));
  };
  const isOne = (held: Type): boolean => isWanted(held) || visit(held);
  return visit(from);
}

/** The types that the type parameters of a declaration stand for in a type. */
export function genericsOf({ of, arguments: given }: DataType): ReadonlyMap<string, Type> {
  return new Map(of.declaration.generics.map((name, k) => [name.text, given[k]!]));
}
