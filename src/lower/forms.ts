// Asks for the lowered form of an expression or a binding. The functions that answer import this
// file, so they are called through the table of forms (`lower/site.ts`).

import type { Span } from "../base/source.ts";
import type { TensorBinding, Typed, ValueBinding } from "../check/types/typed.ts";
import type { Lowered, Site } from "./site.ts";
import type { Scalar } from "../ir/program.ts";

/** One cell of an expression of rank r, at r indices. */
export function lowerAt(site: Site, value: Typed, indices: readonly Scalar[]): Scalar {
  return site.lowering.forms.at(site, value, indices);
}

/** An expression without axes. */
export function lower(site: Site, value: Typed): Scalar {
  return lowerAt(site, value, []);
}

/** The definition of a binding. It is lowered when it is first asked for. */
export function define(site: Site, binding: ValueBinding | TensorBinding): Lowered {
  return site.lowering.forms.define(site, binding);
}

/** A definition for an expression, tensor or scalar. */
export function materialise(site: Site, value: Typed, span: Span, name: string): Lowered {
  return site.lowering.forms.materialise(site, value, span, name);
}
