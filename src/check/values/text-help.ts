// Help for habits of other languages: names of string methods, and notations for texts that Einlang
// does not have.

import { fixed, nearest, replace, type Repair } from "../../diagnostics/fixes.ts";
import { textOf, type Span } from "../../base/source.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textMethods } from "../../scalar/texts.ts";

/** Names of methods in other languages, with the methods of Einlang. */
const foreignMethods: Readonly<Record<string, string>> = {
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

/** `"%.3f" % loss` is `"{loss:.3f}"`. */
export function percentHelp(format: Span, values: Span): Repair {
  const [text, given] = [textOf(format), textOf(values)];
  const parts = /^\(.*\)$/s.test(given) ? given.slice(1, -1).split(",") : [given];
  const marks = text.match(/%[-+ 0]*\d*(?:\.\d+)?[a-z]/g) ?? [];
  const isPlain = /^"[^{}]*"$/.test(text) && parts.every((part) => /^[\s\w.[\]]+$/.test(part));
  if (!isPlain || marks.length !== parts.length || marks.length === 0)
    return { help: 'values stand in braces: `"{loss:.3f}"`' };
  let own = text;
  for (const [k, mark] of marks.entries()) {
    const decimals = /\.\d+/.exec(mark)?.[0];
    const spec = decimals && /[fe]$/.test(mark) ? `:${decimals}${mark.at(-1)!}` : "";
    own = own.replace(mark, `{${parts[k]!.trim()}${spec}}`);
  }
  own = own.replaceAll("%%", "%");
  const whole = { ...format, end: values.end };
  return {
    help: `values stand in braces: \`${own}\``,
    ...fixed(`write \`${own}\``, replace(whole, own)),
  };
}

/** The help for a method or member that texts do not have. */
export function methodHelp(
  base: ast.Expression,
  { text: name, span }: ast.Name,
  call?: Span,
): Repair {
  const foreign = Object.hasOwn(foreignMethods, name) ? foreignMethods[name] : undefined;
  if ((textMethods as readonly string[]).includes(name))
    return { help: `call it: \`${textOf(base.span)}.${name}(…)\`` };
  if (foreign !== undefined) {
    const text = `${textOf(base.span)}.${foreign}`;
    // A method without arguments replaces the whole call. Any other keeps the arguments that are
    // written.
    const isWhole =
      foreign.endsWith("()") &&
      !(call && /[^\s()]/.test(call.source.text.slice(span.end, call.end)));
    const edit = isWhole
      ? replace({ ...span, end: call?.end ?? span.end }, foreign)
      : replace(span, foreign.replace(/\(.*/, ""));
    return {
      help: `write \`${text}\``,
      ...(isWhole || call ? fixed(`write \`${text}\``, edit) : {}),
    };
  }
  if (name === "format") return { help: 'write the values into the text: `"{x:.2f}"`' };
  const all = textMethods.map((each) => `\`${each}\``).join(", ");
  return nearest(span, name, textMethods) ?? { help: `it has ${all}` };
}

/** The help for a call of a function that is a method of texts or an interpolation in Einlang. */
export function functionHelp(name: string): string | undefined {
  if (name === "str" || name === "string" || name === "format")
    return 'write the value into a text: `"{x}"`';
  if ((textMethods as readonly string[]).includes(name))
    return `it is a method of texts: \`s.${name}(…)\``;
  return undefined;
}

/** The help for `s[i]`. */
export function characterHelp({ base, items, span }: ast.Index): Repair {
  const text = textOf(base.span);
  const index = items.length === 1 ? textOf(items[0]!.span) : "i";
  if (!/^\w+$/.test(index)) return { help: `a piece of a text is \`${text}.slice(from, to)\`` };
  const end = /^\d+$/.test(index) ? Number(index) + 1 : `${index} + 1`;
  const piece = `${text}.slice(${index}, ${end})`;
  const help = `a character is a piece of one: \`${piece}\``;
  return { help, ...(items.length === 1 ? fixed(`write \`${piece}\``, replace(span, piece)) : {}) };
}
