// The cast that makes a value fit a type: `a as i64`, with brackets where `as` would take less than the value.

import { write, type Repair } from "../diagnostics/fixes.ts";
import { castAllowed } from "../scalar/casts.ts";
import { textOf } from "../base/source.ts";
import type { Typed } from "./typed.ts";
import { decided, known, type Element } from "./types.ts";

/** Nothing where there is no such cast, or where the type is still open. */
export function castRepair(value: Typed, to: Element): Repair | Record<string, never> {
  if (value.type.kind !== "tensor" || known(to) === undefined) return {};
  const [from, type] = [decided(value.type.element), decided(to)];
  return castAllowed(from, type) ? write(value.span, `${asOperand(value)} as ${type}`) : {};
}

/** The text of a value as what a cast can follow: `(a + b) as f32`. */
function asOperand({ kind, span }: Typed): string {
  const text = textOf(span);
  const isOpen = (kind === "apply" || kind === "integer" || kind === "select") && /\s/.test(text);
  return isOpen && !/^\([^()]*\)$/.test(text) ? `(${text})` : text;
}
