// Recursion that is elaborated: on enums, structs, functions and texts, which live at compile time, a call is replaced by the body
// again and again, as long as the values say that it ends.

import type { Span } from "../syntax/source.ts";
import { notBuilt, type Checker, type Place } from "./context.ts";
import type { FunctionBinding } from "./scope.ts";
import type { Typed } from "./typed.ts";
import { known } from "./types.ts";

/** As many calls may be unrolled in one program. */
const most = 4000;

const unrolled = new WeakMap<Checker, number>();

/** Whether a call has an argument that no run can hold. */
export function mustUnroll(values: readonly Typed[]): boolean {
  return values.some(({ type }) => type.kind !== "tensor" || known(type.element) === "str");
}

/** Counts a call; one too many is reported, once. */
export function unrollFault(place: Place, callee: FunctionBinding, span: Span): Typed | undefined {
  const count = (unrolled.get(place.checker) ?? 0) + 1;
  unrolled.set(place.checker, count);
  if (count <= most) return undefined;
  const help =
    "it must end by values that are known when compiling: the variants of an enum, or integers that count down";
  return notBuilt(place, `the recursion of \`${callee.name}\` on values that live at compile time`, span, help);
}
