// A value whose declared type decides what its literal means. `[[1], [2, 3]]` is an array with an
// error in it, unless `jagged[i32]` is declared; `[]` has no element type of its own.

import type * as ast from "../../syntax/tree/ast.ts";
import { zero } from "../../affine/term.ts";
import { notBuilt, type Place } from "../context.ts";
import type { DataBinding, Scope } from "../names/scope.ts";
import { declaredType } from "./declared-types.ts";
import type { Typed } from "./typed.ts";
import { showType, type Axis, type Type, isNothing } from "./types.ts";
import { noFunctions } from "../calls/held/function-lists.ts";
import { jaggedOf } from "../data/rows/jagged.ts";
import { isArrayOfData } from "../calls/signatures.ts";
import { emptyList } from "../data/form-of.ts";
import { partWithValue, expression } from "../elaborate.ts";

/**
 * A written type with the scope in which its names are looked up. Its type parameters stand for
 * nothing yet.
 */
interface Declared {
  readonly type: ast.Type | undefined;
  readonly scope: Scope;
  readonly generics: readonly ast.Name[];
}

export function declaredValue(
  place: Place,
  e: ast.Expression,
  type: ast.Type | undefined,
  scope = place.scope,
): Typed {
  return valueFor(place, e, { type, scope, generics: [] });
}

/** The value for a field of a struct, or for the payload of a variant. */
export function fieldValue(
  place: Place,
  { declaration, scope }: DataBinding,
  e: ast.Expression,
  type: ast.Type | undefined,
): Typed {
  return valueFor(place, e, { type, scope, generics: declaration.generics }, partWithValue);
}

function valueFor(place: Place, e: ast.Expression, declared: Declared, check = expression): Typed {
  const { type, generics } = declared;
  if (type?.kind === "jagged" && !mentionsGeneric(type.element, generics))
    return jaggedOf(place, e, type);
  const value = check(place, e);
  return isNothing(value.type) ? (emptyListOfType(place, declared, value) ?? value) : value;
}

function mentionsGeneric(type: ast.Type, generics: readonly ast.Name[]): boolean {
  if (type.kind === "jagged") return mentionsGeneric(type.element, generics);
  return type.kind === "named" && generics.some((name) => name.text === type.path[0]!.text);
}

/** The empty list for a declared array of data. */
function emptyListOfType(
  place: Place,
  { type, scope, generics }: Declared,
  { span }: Typed,
): Typed | undefined {
  if (!type || !isArrayOfData(scope, type)) return undefined;
  const open = new Map(generics.map((name): [string, Type] => [name.text, { kind: "absent" }]));
  const list = declaredType({ ...place, scope }, type, open);
  if (list.kind !== "list") return undefined;
  if (list.of.kind === "function") {
    const axes = list.axes.map((): Axis => ({
      extent: zero,
      origin: { span, text: "0 elements" },
    }));
    return noFunctions({ ...list, axes }, span);
  }
  return (
    emptyList(place, list.of, list.axes.length, span) ??
    notBuilt(place, `an array of ${showType(list.of)}`, span)
  );
}
