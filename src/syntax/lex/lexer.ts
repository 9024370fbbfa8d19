// This folder turns text into tokens and comments; which tokens form an expression or statement is
// decided in `parse/`.
//
// A character outside of the language becomes a diagnostic. Where its meaning is clear, it also
// becomes the token that was meant: `×` becomes `*`.

import { endToken, isDigit, isWordStart, lineEnd, push, wordEnd, type Lexer } from "./cursor.ts";
import { lexNumber } from "./number.ts";
import { lexStranger } from "./stranger.ts";
import { lexString } from "./string.ts";
import { span, type Source } from "../../base/source.ts";
import { isKeyword, signs, type Lexed, type Sign, type Token } from "./tokens.ts";

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
    readToken,
  };
  const tokens: Token[] = [];
  while (skipBlanks(lexer)) readToken(lexer, tokens);
  tokens.push(endToken(lexer.text.length));
  return { tokens, comments: lexer.comments, diagnostics: lexer.diagnostics };
}

/** Moves over white space and comments. Returns false at the end of the text. */
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

/**
 * White space that editors and web pages insert: no-break and zero-width spaces, form feeds, a
 * second byte order mark.
 */
function isOddBlank(code: number): boolean {
  return (
    code === 0xa0 ||
    code === 0x0b ||
    code === 0x0c ||
    code === 0xfeff ||
    (code >= 0x2000 && code <= 0x200a)
  );
}

/**
 * Leaves `at` on the last character of the comment: the loop of the caller then steps behind it.
 */
function readComment(lexer: Lexer): void {
  const start = lexer.at;
  let end = lineEnd(lexer.text, start);
  lexer.at = end - 1;
  if (lexer.text.charCodeAt(end - 1) === 13) end--;
  const doc = lexer.text[start + 2] === "/" && lexer.text[start + 3] !== "/";
  const text = lexer.text.slice(start + (doc ? 3 : 2), end);
  lexer.comments.push({ doc, text, span: span(lexer.source, start, end) });
}

/** Reads one token. A character outside of the language may be skipped without a token. */
function readToken(lexer: Lexer, tokens: Token[]): void {
  const { text, at } = lexer;
  const code = text.charCodeAt(at);
  if (isWordStart(code)) {
    const end = wordEnd(text, at);
    const word = text.slice(at, end);
    return push(lexer, tokens, word === "in" || isKeyword(word) ? word : "name", end, word);
  }
  // `.5` is one token everywhere. In `pair.0` the parser knows from the place after an operand that
  // `.0` is a member.
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

const signsByFirst = new Map<string, readonly Sign[]>();
for (const sign of signs) signsByFirst.set(sign[0]!, [...(signsByFirst.get(sign[0]!) ?? []), sign]);

function signAt(text: string, at: number): Sign | undefined {
  return signsByFirst.get(text[at]!)?.find((sign) => text.startsWith(sign, at));
}
