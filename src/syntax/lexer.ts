// Turns text into tokens and comments; what is not part of the language becomes a diagnostic and,
// where the meaning is clear, the token that was meant.

import { error, type Diagnostic, type DiagnosticParts } from "../diagnostics/diagnostic.ts";
import type { Code } from "../diagnostics/codes.ts";
import type { Comment } from "./ast.ts";
import { lexNumber } from "./lex-number.ts";
import { lexStranger } from "./lex-stranger.ts";
import { lexString } from "./lex-string.ts";
import { span, type Source } from "../base/source.ts";
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
    if (depth === 0 && (here === "}" || (here === ":" && beginsFormat(text, lexer.at))))
      return tokens;
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
  return (
    code === 0xa0 ||
    code === 0x0b ||
    code === 0x0c ||
    code === 0xfeff ||
    (code >= 0x2000 && code <= 0x200a)
  );
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
  for (
    let code = text.charCodeAt(end);
    isWordStart(code) || isDigit(code);
    code = text.charCodeAt(end)
  )
    end++;
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

export function push(
  lexer: Lexer,
  tokens: Token[],
  kind: TokenKind,
  end: number,
  text: string,
): void {
  tokens.push({ kind, start: lexer.at, end, fresh: lexer.fresh, text, parts: undefined });
  lexer.at = end;
  lexer.fresh = false;
}

const signsByFirst = new Map<string, readonly Sign[]>();
for (const sign of signs) signsByFirst.set(sign[0]!, [...(signsByFirst.get(sign[0]!) ?? []), sign]);

function signAt(text: string, at: number): Sign | undefined {
  return signsByFirst.get(text[at]!)?.find((sign) => text.startsWith(sign, at));
}

/** A character that starts no token. */
