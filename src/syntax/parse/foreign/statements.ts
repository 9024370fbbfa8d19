// This folder recognises forms of other languages and says how to write them in Einlang; the forms
// of Einlang are parsed in the folder above.
//
// This file reports statements of other languages, such as `while` and `return`, with one error
// each.

import { adviceOnStatement } from "../../../diagnostics/foreign/advice.ts";
import { moveTo, peek, report, skipStatement, spanOf, type Cursor } from "../cursor.ts";
import { defHelp } from "./python-functions.ts";
import { loopHelp } from "./loops.ts";
import { startsExpression, type Token } from "../../lex/tokens.ts";

/**
 * Reports and skips a statement that begins with a word of another language. Returns false if none
 * stands here.
 */
export function foreignStatement(p: Cursor): boolean {
  const word = p.token.text;
  if (!followedByStatement(p, word)) return false;
  const general = adviceOnStatement(word);
  if (general === undefined) return false;
  const { text } = p.source;
  const { start } = p.token;
  const own =
    word === "for" ? loopHelp(text, start) : word === "def" ? defHelp(text, start) : undefined;
  const help = own ?? general;
  const verb =
    word === "print" || word === "assert"
      ? "is a function and its arguments stand in parentheses"
      : "is not part of the language";
  report(p, "E0110", `\`${word}\` ${verb}`, spanOf(p, p.token), { help });
  if (/^(?:import|from|using)$/.test(word)) skipLine(p);
  else if (!(hasBody.has(word) && (skipIndented(p) || skipBody(p)))) skipStatement(p);
  return true;
}

/**
 * Moves behind the lines that stand deeper than the word, where its own line ends with `:`, as in
 * Python; false if it does not.
 */
function skipIndented(p: Cursor): boolean {
  const { parent } = p.brackets;
  const { text } = p.source;
  const indentOf = (start: number): number => start - (text.lastIndexOf("\n", start - 1) + 1);
  const isOutside = ({ kind, fresh }: Token, index: number): boolean =>
    kind === "end" || (fresh && index > p.at && parent[index]! <= parent[p.at]!);
  const body = p.tokens.findIndex((token, k) => k > p.at && isOutside(token, k));
  if (p.tokens[body - 1]!.kind !== ":") return false;
  const indent = indentOf(p.token.start);
  const isBehind = (token: Token, k: number): boolean =>
    k >= body && isOutside(token, k) && (token.kind === "end" || indentOf(token.start) <= indent);
  moveTo(p, p.tokens.findIndex(isBehind));
  return true;
}

/** Moves to the next line, or behind the `;` that ends the statement on this one. */
function skipLine(p: Cursor): void {
  const end = p.tokens.findIndex(({ kind, fresh }, k) => k > p.at && (kind === "end" || fresh));
  const semicolon = p.tokens.findIndex(({ kind }, k) => k > p.at && kind === ";");
  moveTo(p, semicolon >= 0 && semicolon < end ? semicolon + 1 : end);
}

/**
 * Whether the word begins a statement: an operand follows it on its line, so the word itself is no
 * operand.
 */
function followedByStatement(p: Cursor, word: string): boolean {
  const next = p.tokens[p.at + 1]!;
  const kind = peek(p, 1);
  if (word === "return")
    return kind === ";" || kind === "}" || (startsExpression(kind) && kind !== "[" && !next.fresh);
  // `val.0` is a member.
  if (next.fresh || (kind === "number" && next.start === p.token.end)) return false;
  if (
    kind === "name" ||
    kind === "number" ||
    kind === "string" ||
    kind === "true" ||
    kind === "false"
  )
    return true;
  if ((word === "while" || word === "for") && kind === "(") {
    const close = p.brackets.partner[p.at + 1]!;
    return close >= 0 && p.tokens[close + 1]!.kind === "{";
  }
  return (word === "loop" || word === "try") && kind === "{";
}

const hasBody: ReadonlySet<string> = new Set(
  "for while loop def func function class type switch try with".split(" "),
);

/**
 * Moves behind the `}` of the body of the statement. Returns false if the statement has no body.
 */
function skipBody(p: Cursor): boolean {
  const { parent, partner } = p.brackets;
  const level = parent[p.at]!;
  for (let index = p.at; p.tokens[index]!.kind !== "end" && parent[index]! >= level; index++) {
    const { kind } = p.tokens[index]!;
    if (parent[index] !== level) continue;
    if (kind === ";") return false;
    if (kind === "{" && partner[index]! >= 0) {
      moveTo(p, partner[index]! + 1);
      return true;
    }
  }
  return false;
}
