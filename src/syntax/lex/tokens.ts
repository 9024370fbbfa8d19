// What the lexer makes of the text: words, numbers, strings and signs, each with its place.

import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Comment } from "../tree/ast.ts";

export const keywords = [
  "let",
  "const",
  "fn",
  "pub",
  "use",
  "mod",
  "as",
  "where",
  "else",
  "if",
  "match",
  "true",
  "false",
  "enum",
  "struct",
] as const;

export type Keyword = (typeof keywords)[number];

/** Signs, longest first, so that the first one that fits is the right one. */
export const signs = [
  "..=",
  "==",
  "!=",
  "<=",
  ">=",
  "=>",
  "->",
  "::",
  "..",
  "**",
  "||",
  "|>",
  "&&",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  ",",
  ";",
  ":",
  ".",
  "=",
  "!",
  "<",
  ">",
  "+",
  "-",
  "*",
  "/",
  "%",
  "|",
  "@",
  "?",
] as const;

export type Sign = (typeof signs)[number];

/**
 * `in` is a kind of its own because it is an operator between operands and a name everywhere else.
 */
export type TokenKind = "name" | "in" | "number" | "string" | "end" | Keyword | Sign;

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** First of its line: where a missing semicolon is likely and where recovery may resume. */
  readonly fresh: boolean;
  /** The word itself for names, the digits for numbers, empty otherwise. */
  readonly text: string;
  /** For a string its parts. */
  readonly parts?: readonly TokenPart[] | undefined;
}

/** A stretch of a string: text with escapes resolved, or the tokens of `{value:format}`. */
export type TokenPart =
  | { readonly kind: "text"; readonly text: string; readonly start: number; readonly end: number }
  | {
      readonly kind: "value";
      readonly tokens: readonly Token[];
      readonly format?: string | undefined;
      readonly start: number;
      readonly end: number;
    };

/** The result of lexing: the tokens end with one of kind "end". */
export interface Lexed {
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The words for the types of one element. */
export const elementWords = [
  "i8",
  "i32",
  "i64",
  "f16",
  "bf16",
  "f32",
  "f64",
  "bool",
  "str",
] as const;

/** The words of a signature that leave the element type open. */
export const genericWords = ["float", "int", "num"] as const;

export const scalarTypes: ReadonlySet<string> = new Set([...elementWords, ...genericWords]);

/** Whether a word is the code of a lint, as in `allow(W0203)`. */
export function isLintCode(word: string): boolean {
  return /^W\d+$/.test(word);
}

const keywordSet: ReadonlySet<string> = new Set(keywords);

export function isKeyword(kind: string): kind is Keyword {
  return keywordSet.has(kind);
}

/** How a message calls a token. */
export function describe(token: Token): string {
  switch (token.kind) {
    case "end":
      return "the end of the file";
    case "string":
      return "a string";
    case "number":
    case "name":
      return `\`${token.text}\``;
    default:
      return isKeyword(token.kind) ? `the keyword \`${token.kind}\`` : `\`${token.kind}\``;
  }
}

/** What expressions begin with. */
const starters: ReadonlySet<TokenKind> = new Set<TokenKind>([
  "name",
  "in",
  "number",
  "string",
  "true",
  "false",
  "(",
  "[",
  "{",
  "-",
  "+",
  "!",
  "@",
  "|",
  "||",
  "if",
  "match",
]);

export function startsExpression(kind: TokenKind): boolean {
  return starters.has(kind);
}
