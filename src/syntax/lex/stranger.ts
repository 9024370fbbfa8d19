// Reads characters that are not part of the language: a message says what is wrong, and where the
// meaning is clear, the token that was meant follows.

import type { Edit } from "../../diagnostics/diagnostic.ts";
import { fixed, replace, write } from "../../diagnostics/fixes.ts";
import { adviceOnNotation } from "../../diagnostics/foreign/advice.ts";
import { lineEnd, push, report, type Lexer } from "./cursor.ts";
import { span } from "../../base/source.ts";
import type { Sign, Token } from "./tokens.ts";

/** Signs of other alphabets and languages, each with the sign that was meant. */
const meant: ReadonlyMap<string, Sign> = new Map<string, Sign>([
  ["×", "*"],
  ["·", "*"],
  ["⋅", "*"],
  ["∗", "*"],
  ["÷", "/"],
  ["∕", "/"],
  ["−", "-"],
  ["–", "-"],
  ["—", "-"],
  ["≤", "<="],
  ["⩽", "<="],
  ["≥", ">="],
  ["⩾", ">="],
  ["≠", "!="],
  ["≡", "=="],
  ["∧", "&&"],
  ["∨", "||"],
  ["¬", "!"],
  ["~", "!"],
  ["→", "->"],
  ["⇒", "=>"],
  ["…", ".."],
  ["∂", "@"],
  ["&", "&&"],
  ["^", "**"],
  ["，", ","],
  ["；", ";"],
  ["：", ":"],
  ["（", "("],
  ["）", ")"],
]);

const letter = /[\p{L}\p{N}_]+/uy;

const strange = /[^\s\p{L}A-Za-z0-9_"'()[\]{},;:.=!<>+\-*/%|@?&^#]+/uy;

export function lexStranger(lexer: Lexer, tokens: Token[]): void {
  const { text, at } = lexer;
  const char = String.fromCodePoint(text.codePointAt(at)!);
  const after = at + char.length;
  const sign = meant.get(char);
  if (sign) {
    const place = span(lexer.source, at, after);
    report(
      lexer,
      "E0101",
      `\`${char}\` is not an operator of the language`,
      at,
      after,
      write(place, sign),
    );
    return push(lexer, tokens, sign, after, "");
  }
  if (char === "#" || text.startsWith("/*", at)) return skipForeignComment(lexer);
  if (char === "'" || "‘’“”".includes(char)) return lexForeignString(lexer, tokens, char);
  letter.lastIndex = at;
  const word = letter.exec(text)?.[0];
  if (word) {
    const rule = "names are written with the letters A to Z, digits and `_`";
    const title = `${rule}: \`${word}\` is not a name`;
    const name = greek.get(word);
    const parts = name ? write(span(lexer.source, at, at + word.length), name) : {};
    report(lexer, "E0101", title, at, at + word.length, parts);
    return push(lexer, tokens, "name", at + word.length, word);
  }
  strange.lastIndex = at;
  const end = at + (strange.exec(text)?.[0].length ?? char.length);
  report(
    lexer,
    "E0101",
    `${showCharacters(text.slice(at, end))} is not part of the language`,
    at,
    end,
    char === "\\" ? { help: adviceOnNotation("A \\ w") } : {},
  );
  lexer.at = end;
}

function showCharacters(stretch: string): string {
  const code = stretch.codePointAt(0)!;
  if (stretch.length > 2) return `\`${stretch.slice(0, 20)}\``;
  const visible =
    code > 32 &&
    (code < 0x7f || code > 0xa0) &&
    !(code >= 0xd800 && code <= 0xdfff) &&
    code < 0xe000;
  return visible
    ? `\`${stretch}\``
    : `the character U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

const greek = new Map(
  Object.entries({
    α: "alpha",
    β: "beta",
    γ: "gamma",
    δ: "delta",
    ε: "eps",
    η: "eta",
    θ: "theta",
    λ: "lambda",
  }).concat(
    Object.entries({
      μ: "mu",
      π: "pi",
      ρ: "rho",
      σ: "sigma",
      τ: "tau",
      φ: "phi",
      ψ: "psi",
      ω: "omega",
      Σ: "sum",
    }),
  ),
);

function skipForeignComment(lexer: Lexer): void {
  const { text, at } = lexer;
  const block = text.startsWith("/*", at) ? text.indexOf("*/", at + 2) : -1;
  const end = block >= 0 ? block + 2 : lineEnd(text, at);
  const title = text[at] === "#" ? "`#` does not start a comment" : "`/*` does not start a comment";
  report(lexer, "E0101", title, at, at + (text[at] === "#" ? 1 : 2), {
    help: "comments start with `//` and end with the line",
    ...fixed("write `//`", ...asComment(lexer, end)),
  });
  if (text.slice(at, end).includes("\n")) lexer.fresh = true;
  lexer.at = end;
}

/**
 * The edits that turn a comment of another language into `//`. There are none if the statement
 * continues before or after the comment on the same line.
 */
function asComment({ source, text, at }: Lexer, end: number): readonly Edit[] {
  if (!/(?:^|\n|[;{},([|])[ \t]*$/.test(text.slice(Math.max(0, at - 200), at))) return [];
  if (text[at] === "#") return [replace(span(source, at, at + 1), "//")];
  const written = text.slice(at + 2, end - 2);
  const isLast = end === lineEnd(text, end) && text.startsWith("*/", end - 2);
  if (!isLast) return [];
  const lines = written.split("\n").map((line) => `//${line}`.trimEnd());
  return [replace(span(source, at, end), lines.join("\n"))];
}

/** A string in `'…'` or typographic quotes. It is read as a string if it is closed on its line. */
function lexForeignString(lexer: Lexer, tokens: Token[], quote: string): void {
  const { text, at } = lexer;
  // After a name or bracket, `'` is the transpose of other languages (`A'`). After a single small
  // letter it is the quote of a text (`f'…'`).
  if (quote === "'" && /(?:\w\w|[A-Z)\]])$/.test(text.slice(Math.max(0, at - 2), at))) {
    const help = adviceOnNotation("A'");
    report(lexer, "E0101", "`'` is not an operator of the language", at, at + 1, { help });
    lexer.at = at + 1;
    return;
  }
  const closing = quote === "'" ? ["'"] : ["‘", "’", "“", "”", '"'];
  const limit = lineEnd(text, at);
  let end = at + 1;
  while (end < limit && !closing.includes(text[end]!)) end++;
  if (end === limit) {
    report(lexer, "E0101", `\`${quote}\` is not part of the language`, at, at + 1, {
      help: 'strings are written `"…"`',
    });
    lexer.at = at + 1;
    return;
  }
  const content = text.slice(at + 1, end);
  const place = span(lexer.source, at, end + 1);
  const isPlain = !/["{}\\]/.test(content);
  const { help, fixes } = write(place, `"${content}"`);
  const parts = isPlain ? { help, fixes } : { help };
  report(lexer, "E0101", "strings are written with double quotes", at, end + 1, parts);
  push(lexer, tokens, "string", end + 1, "");
  const token = tokens.pop()!;
  tokens.push({ ...token, parts: [{ kind: "text", text: content, start: at + 1, end }] });
}
