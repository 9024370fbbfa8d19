// What to write for what one reaches for in other languages: names that their strings have, and notations that ours do without.

import { textOf } from "../syntax/source.ts";
import type * as ast from "../syntax/ast.ts";
import { textMethods } from "../ir/scalar/texts.ts";
import { didYouMean } from "../diagnostics/suggest.ts";

/** Names of methods elsewhere, with ours. */
const elsewhere: Readonly<Record<string, string>> = {
  length: "len()",
  size: "len()",
  toUpperCase: "upper()",
  uppercase: "upper()",
  toLowerCase: "lower()",
  lowercase: "lower()",
  strip: "trim()",
  substring: "slice(from, to)",
  substr: "slice(from, to)",
  charAt: "slice(i, i + 1)",
  index: "find(part)",
  indexOf: "find(part)",
  includes: "contains(part)",
  startswith: "starts_with(part)",
  startsWith: "starts_with(part)",
  endswith: "ends_with(part)",
  endsWith: "ends_with(part)",
  chars: 'split("")',
  replaceAll: "replace(part, other)",
};

/** For a method or member that a text does not have. */
export function methodHelp(base: ast.Expression, name: string): string {
  const own = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
  if ((textMethods as readonly string[]).includes(name)) return `call it: \`${textOf(base.span)}.${name}(…)\``;
  if (own !== undefined) return `write \`${textOf(base.span)}.${own}\``;
  if (name === "format") return 'write the values into the text: `"{x:.2f}"`';
  return didYouMean(name, textMethods) ?? `it has ${textMethods.map((each) => `\`${each}\``).join(", ")}`;
}

/** For a function that is a method here, or an interpolation. */
export function functionHelp(name: string): string | undefined {
  if (name === "str" || name === "string" || name === "format") return 'write the value into a text: `"{x}"`';
  if (name === "int" || name === "float") return `cast a number: \`x as ${name === "int" ? "i32" : "f32"}\``;
  if ((textMethods as readonly string[]).includes(name)) return `it is a method of texts: \`s.${name}(…)\``;
  return undefined;
}

/** For `s[i]`. */
export function characterHelp({ base, items }: ast.Index): string {
  const text = textOf(base.span);
  const index = items.length === 1 ? textOf(items[0]!.span) : "i";
  return /^\w+$/.test(index)
    ? `a character is a piece of one: \`${text}.slice(${index}, ${/^\d+$/.test(index) ? Number(index) + 1 : `${index} + 1`})\``
    : `a piece of a text is \`${text}.slice(from, to)\``;
}
