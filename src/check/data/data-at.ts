// Looks up the enums, structs and variants that paths name.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Place } from "../context.ts";
import { variantOf, type VariantOf } from "./data.ts";
import { throughModules } from "../names/module-paths.ts";
import { lookUpType, type DataBinding } from "../names/scope.ts";

/** The enum or struct that a path names, possibly in a module. Undefined if there is none. */
export function dataAt(place: Place, path: ast.Path): DataBinding | "wrong" | undefined {
  if (path.segments.length === 1) return lookUpType(place.scope, path.segments[0]!.text);
  const found = throughModules(place, path);
  if (!found || found === "wrong") return found;
  return found.path.segments.length === 1
    ? lookUpType(found.place.scope, found.path.segments[0]!.text)
    : undefined;
}

/**
 * The variant that a path names: `Shape::Circle`. A variant that the enum does not have is
 * reported.
 */
export function variantAt(place: Place, { segments }: ast.Path): VariantOf | "wrong" | undefined {
  const [variant] = segments.slice(-1);
  if (segments.length < 2 || !variant) return undefined;
  const of = dataAt(place, {
    kind: "path",
    segments: segments.slice(0, -1),
    span: segments[0]!.span,
  });
  return of && of !== "wrong" ? variantOf(place, of, variant) : of;
}
