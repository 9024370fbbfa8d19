// The tokens: words, numbers, strings and signs, each with its place in the text.

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

type Keyword = (typeof keywords)[number];

/** The signs, longest first: the first one that fits is the right one. */
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

/** `in` has a kind of its own: between operands it is an operator, everywhere else a name. */
export type TokenKind = "name" | "in" | "number" | "string" | "end" | Keyword | Sign;

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /**
   * Whether the token is the first of its line. A missing semicolon is likely before such a token,
   * and recovery may continue there.
   */
  readonly fresh: boolean;
  /** The word of a name, the digits of a number, otherwise the empty string. */
  readonly text: string;
  /** The parts of a string. */
  readonly parts?: readonly TokenPart[] | undefined;
}

/** One part of a string: a text with its escapes resolved, or the tokens of `{value:format}`. */
export type TokenPart =
  | { readonly kind: "text"; readonly text: string; readonly start: number; readonly end: number }
  | {
      readonly kind: "value";
      readonly tokens: readonly Token[];
      readonly format?: string | undefined;
      readonly start: number;
      readonly end: number;
    };

/** The result of lexing. The last token has the kind "end". */
export interface Lexed {
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The words for the types of elements. */
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

/** The words that leave the element type of a signature open. */
export const genericWords = ["float", "int", "num"] as const;

export const scalarTypes: ReadonlySet<string> = new Set([...elementWords, ...genericWords]);

/** Whether a word is the code of a lint, such as `W0203`. */
export function isLintCode(word: string): boolean {
  return /^W\d+$/.test(word);
}

const keywordSet: ReadonlySet<string> = new Set(keywords);

export function isKeyword(kind: string): kind is Keyword {
  return keywordSet.has(kind);
}

/** The words for a token in a message: "the keyword `let`". */
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

/** The kinds of tokens with which an expression begins. */
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
