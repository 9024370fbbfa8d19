// A value where the type that is declared says what a literal means: ragged rows, which are written like an array, and `[]` of data.

import type * as ast from "../syntax/ast.ts";
import { annotation } from "./annotations.ts";
import type { Place } from "./context.ts";
import { isArrayOfData } from "./data-types.ts";
import { expression } from "./expressions.ts";
import { jaggedOf } from "./jagged.ts";
import { emptyList } from "./spread.ts";
import type { Typed } from "./typed.ts";

export function declaredValue(place: Place, e: ast.Expression, type: ast.Type | undefined): Typed {
  if (type?.kind === "jagged") return jaggedOf(place, e, type);
  const isEmpty = e.kind === "array" && e.elements.length === 0;
  return (isEmpty && type && noneOf(place, type, e)) || expression(place, e);
}

/** The list without elements that an array type of data declares. */
function noneOf(place: Place, type: ast.Type, { span }: ast.Expression): Typed | undefined {
  if (type.kind !== "tensor" || !isArrayOfData(place.scope, type)) return undefined;
  const of = annotation(place, type.element);
  return of.kind === "data" || of.kind === "tuple" ? emptyList(place, of, type.dims?.length ?? 1, span) : undefined;
}
