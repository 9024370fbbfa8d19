// The help for a pattern with too few or too many parts: the pattern with the right number of
// parts.
//
//   let (a, b) = (1, 2, 3);        `(a, b, _)`
//   let (a, b) = [1, 2];           `[a, b]`, because the value is an array
//   match p { S::B(c) => c }       `S::B(c, _)`, where `B` has two fields

import { nearest, write, type Repair } from "../../../diagnostics/fixes.ts";
import type * as ast from "../../../syntax/tree/ast.ts";
import { textOf } from "../../../base/source.ts";
import { constantOf } from "../../../affine/term.ts";
import { membersOf } from "../../values/tuples.ts";
import type { Typed } from "../../types/typed.ts";

type TuplePattern = Extract<ast.Pattern, { kind: "tuple" }>;
type VariantPattern = Extract<ast.Pattern, { kind: "variant" }>;

/**
 * The repair for a tuple pattern: `_` for each missing member, or brackets for an array. Empty if
 * the pattern has too many members.
 */
export function forAllMembers(
  { members, span }: TuplePattern,
  value: Typed,
): Repair | Record<string, never> {
  const { type } = value;
  const length = type.kind === "tensor" ? type.axes[0]?.extent : undefined;
  if (length && constantOf(length) === members.length)
    return write(span, `[${padded(members, members.length).join(", ")}]`);
  const all = value.type.kind === "tuple" ? membersOf(value)?.length : undefined;
  if (all === undefined || all <= members.length) return {};
  return write(span, `(${padded(members, all).join(", ")})`);
}

/**
 * The repair for the pattern of a variant: the right number of fields, or the nearest field name.
 */
export function forAllFields(
  { path, fields, span }: VariantPattern,
  names: readonly (string | undefined)[],
): Repair {
  const known = names.flatMap((name) => name ?? []);
  const stray = fields.find(({ name }) => name && !known.includes(name.text))?.name;
  if (stray) {
    const list = known.map((name) => `\`${name}\``).join(", ");
    const help =
      list === "" ? "its fields have no names and go by position" : `its fields are ${list}`;
    return nearest(stray.span, stray.text, known) ?? { help };
  }
  if (fields.some(({ name }) => name))
    return { help: "write `_` for a field that does not matter" };
  const parts = padded(
    fields.map(({ pattern }) => pattern),
    names.length,
  );
  const own = textOf(path.span);
  return write(span, parts.length === 0 ? own : `${own}(${parts.join(", ")})`);
}

function padded(patterns: readonly ast.Pattern[], count: number): readonly string[] {
  return Array.from({ length: count }, (_, k) => (patterns[k] ? textOf(patterns[k].span) : "_"));
}
