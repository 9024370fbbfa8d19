// The state of the lexer, and the helpers that all parts of the lexer share: reporting, adding a
// token, finding the end of a word or a line. `lexer.ts` decides which token a text is.

import type { Code } from "../../diagnostics/codes.ts";
import { error, type Diagnostic, type DiagnosticParts } from "../../diagnostics/diagnostic.ts";
import { span, type Source } from "../../base/source.ts";
import type { Comment } from "../tree/ast.ts";
import type { Token, TokenKind } from "./tokens.ts";

/** The functions of this folder move `at` forward through `text`. */
export interface Lexer {
  readonly source: Source;
  readonly text: string;
  at: number;
  /** Whether the next token is the first of its line. */
  fresh: boolean;
  /** How many strings contain the current place: 2 in the inner string of `"{f("x")}"`. */
  nesting: number;
  /**
   * Before this offset `{` is plain text in strings: an interpolation of this line has been
   * reported as broken.
   */
  plainUntil: number;
  readonly comments: Comment[];
  readonly diagnostics: Diagnostic[];
  /** Reads one token. The reader of strings calls it for the code between braces. */
  readonly readToken: (lexer: Lexer, tokens: Token[]) => void;
}

export function endToken(at: number): Token {
  return { kind: "end", start: at, end: at, fresh: true, text: "", parts: undefined };
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
