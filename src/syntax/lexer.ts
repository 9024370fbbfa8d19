// Turns text into tokens and comments; what is not part of the language becomes a diagnostic and,
// where the meaning is clear, the token that was meant.

import { error, type Diagnostic, type DiagnosticParts } from "../diagnostics/diagnostic.ts";
import type { Code } from "../diagnostics/codes.ts";
import type { Comment } from "./ast.ts";
import { lexNumber } from "./lex-number.ts";
import { lexString } from "./lex-string.ts";
import { span, type Source } from "./source.ts";
import { isKeyword, signs, type Lexed, type Sign, type Token, type TokenKind } from "./tokens.ts";

/** Where the lexer stands; the functions of the `lex-*` files move `at` forward. */
export interface Lexer {
  readonly source: Source;
  readonly text: string;
  at: number;
  /** The token read next is the first of its line. */
  fresh: boolean;
  /** How many strings the current place is nested in. */
  nesting: number;
  /** Up to here `{` in strings is plain text: an interpolation of this line was found broken and reported. */
  plainUntil: number;
  readonly comments: Comment[];
  readonly diagnostics: Diagnostic[];
}

export function lex(source: Source): Lexed {
  const lexer: Lexer = {
    source,
    text: source.text,
    at: source.text.charCodeAt(0) === 0xfeff ? 1 : 0,
    fresh: true,
    nesting: 0,
    plainUntil: 0,
    comments: [],
    diagnostics: [],
  };
  const tokens: Token[] = [];
  while (skipBlanks(lexer)) lexToken(lexer, tokens);
  tokens.push(endToken(lexer.text.length));
  return { tokens, comments: lexer.comments, diagnostics: lexer.diagnostics };
}

export function endToken(at: number): Token {
  return { kind: "end", start: at, end: at, fresh: true, text: "", parts: undefined };
}

/**
 * The tokens of an interpolation, up to the `}` or the `:` that ends it, which stays unread.
 * Undefined if the line ends first.
 */
export function lexInterpolation(lexer: Lexer): Token[] | undefined {
  const tokens: Token[] = [];
  const { text } = lexer;
  let depth = 0;
  for (;;) {
    while (text[lexer.at] === " " || text[lexer.at] === "\t") lexer.at++;
    const here = text[lexer.at];
    if (here === undefined || here === "\n" || text.startsWith("//", lexer.at)) return undefined;
    if (depth === 0 && (here === "}" || (here === ":" && beginsFormat(text, lexer.at)))) return tokens;
    if (here === "(" || here === "[" || here === "{") depth++;
    if (here === ")" || here === "]" || here === "}") depth = Math.max(0, depth - 1);
    lexToken(lexer, tokens);
  }
}

/** Whether the `:` at a place begins a format, and not the `::` of a path; in `::>8` the second one is what fills. */
function beginsFormat(text: string, at: number): boolean {
  return text[at + 1] !== ":" || /[<^>]/.test(text[at + 2] ?? "");
}

export function report(
  lexer: Lexer,
  code: Code,
  title: string,
  start: number,
  end: number,
  parts?: DiagnosticParts,
): void {
  lexer.diagnostics.push(error(code, title, span(lexer.source, start, end), parts));
}

/** Moves over white space and comments; false at the end of the text. */
function skipBlanks(lexer: Lexer): boolean {
  const { text } = lexer;
  for (; lexer.at < text.length; lexer.at++) {
    const code = text.charCodeAt(lexer.at);
    if (code === 10) lexer.fresh = true;
    else if (code === 47 && text.charCodeAt(lexer.at + 1) === 47) readComment(lexer);
    else if (code !== 32 && code !== 9 && code !== 13 && !isOddBlank(code)) return true;
  }
  return false;
}

/** White space that editors and web pages slip in: no-break and zero-width spaces, form feed, a second byte order mark. */
function isOddBlank(code: number): boolean {
  return code === 0xa0 || code === 0x0b || code === 0x0c || code === 0xfeff || (code >= 0x2000 && code <= 0x200a);
}

/** Leaves `at` on the comment's last character, so that the caller's step lands behind it. */
function readComment(lexer: Lexer): void {
  const start = lexer.at;
  let end = lineEnd(lexer.text, start);
  lexer.at = end - 1;
  if (lexer.text.charCodeAt(end - 1) === 13) end--;
  const doc = lexer.text[start + 2] === "/" && lexer.text[start + 3] !== "/";
  const text = lexer.text.slice(start + (doc ? 3 : 2), end);
  lexer.comments.push({ doc, text, span: span(lexer.source, start, end) });
}

export function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isWordStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

export function wordEnd(text: string, from: number): number {
  let end = from;
  for (let code = text.charCodeAt(end); isWordStart(code) || isDigit(code); code = text.charCodeAt(end)) end++;
  return end;
}

/** Reads one token, or moves over something that gives none. */
function lexToken(lexer: Lexer, tokens: Token[]): void {
  const { text, at } = lexer;
  const code = text.charCodeAt(at);
  if (isWordStart(code)) {
    const end = wordEnd(text, at);
    const word = text.slice(at, end);
    return push(lexer, tokens, word === "in" || isKeyword(word) ? word : "name", end, word);
  }
  // `.5` is one token everywhere: the parser knows the `.0` of `pair.0` by its place behind an operand.
  if (isDigit(code) || (code === 46 && isDigit(text.charCodeAt(at + 1)))) {
    const end = lexNumber(lexer);
    return push(lexer, tokens, "number", end, text.slice(at, end));
  }
  if (code === 34) {
    const fresh = lexer.fresh;
    lexer.fresh = false;
    const parts = lexString(lexer);
    tokens.push({ kind: "string", start: at, end: lexer.at, fresh, text: "", parts });
    return;
  }
  const sign = text.startsWith("/*", at) ? undefined : signAt(text, at);
  if (sign) return push(lexer, tokens, sign, at + sign.length, "");
  return lexStranger(lexer, tokens);
}

function push(lexer: Lexer, tokens: Token[], kind: TokenKind, end: number, text: string): void {
  tokens.push({ kind, start: lexer.at, end, fresh: lexer.fresh, text, parts: undefined });
  lexer.at = end;
  lexer.fresh = false;
}

const signsByFirst = new Map<string, readonly Sign[]>();
for (const sign of signs) signsByFirst.set(sign[0]!, [...(signsByFirst.get(sign[0]!) ?? []), sign]);

function signAt(text: string, at: number): Sign | undefined {
  return signsByFirst.get(text[at]!)?.find((sign) => text.startsWith(sign, at));
}

/** Signs of other alphabets and languages, with the one that was meant. */
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

/** A character that starts no token. */
function lexStranger(lexer: Lexer, tokens: Token[]): void {
  const { text, at } = lexer;
  const char = String.fromCodePoint(text.codePointAt(at)!);
  const after = at + char.length;
  const sign = meant.get(char);
  if (sign) {
    report(lexer, "E0101", `\`${char}\` is not an operator of the language`, at, after, { help: `write \`${sign}\`` });
    return push(lexer, tokens, sign, after, "");
  }
  if (char === "#" || text.startsWith("/*", at)) return skipForeignComment(lexer);
  if (char === "'" || "‘’“”".includes(char)) return lexForeignString(lexer, tokens, char);
  letter.lastIndex = at;
  const word = letter.exec(text)?.[0];
  if (word) {
    const title = `names are written with the letters A to Z, digits and \`_\`: \`${word}\` is not a name`;
    report(lexer, "E0101", title, at, at + word.length, { help: spelled(word) });
    return push(lexer, tokens, "name", at + word.length, word);
  }
  strange.lastIndex = at;
  const end = at + (strange.exec(text)?.[0].length ?? char.length);
  report(lexer, "E0101", `${nameOf(text.slice(at, end))} is not part of the language`, at, end);
  lexer.at = end;
}

function nameOf(stretch: string): string {
  const code = stretch.codePointAt(0)!;
  if (stretch.length > 2) return `\`${stretch.slice(0, 20)}\``;
  const visible = code > 32 && (code < 0x7f || code > 0xa0) && !(code >= 0xd800 && code <= 0xdfff) && code < 0xe000;
  return visible ? `\`${stretch}\`` : `the character U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

const greek = new Map(
  Object.entries({ α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "eps", η: "eta", θ: "theta", λ: "lambda" }).concat(
    Object.entries({ μ: "mu", π: "pi", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", ψ: "psi", ω: "omega", Σ: "sum" }),
  ),
);

function spelled(word: string): string | undefined {
  const name = greek.get(word);
  return name ? `write \`${name}\`` : undefined;
}

function skipForeignComment(lexer: Lexer): void {
  const { text, at } = lexer;
  const block = text.startsWith("/*", at) ? text.indexOf("*/", at + 2) : -1;
  const end = block >= 0 ? block + 2 : lineEnd(text, at);
  const title = text[at] === "#" ? "`#` does not start a comment" : "`/*` does not start a comment";
  report(lexer, "E0101", title, at, at + (text[at] === "#" ? 1 : 2), {
    help: "comments start with `//` and end with the line",
  });
  if (text.slice(at, end).includes("\n")) lexer.fresh = true;
  lexer.at = end;
}

/** `'…'` or typographic quotes: read as the string that was meant, if it closes on its line. */
function lexForeignString(lexer: Lexer, tokens: Token[], quote: string): void {
  const { text, at } = lexer;
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
  const help = `write \`"${content}"\``;
  report(lexer, "E0101", "strings are written with double quotes", at, end + 1, { help });
  push(lexer, tokens, "string", end + 1, "");
  const token = tokens.pop()!;
  tokens.push({ ...token, parts: [{ kind: "text", text: content, start: at + 1, end }] });
}
