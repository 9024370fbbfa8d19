// This folder recognises forms of other languages and says how to write them in Einlang; the forms
// of Einlang are parsed in the folder above.
//
// This file reports statements of other languages, such as `while` and `return`, with one error
// each.

import { adviceOnStatement } from "../../../diagnostics/foreign/advice.ts";
import { moveTo, peek, report, skipStatement, spanOf, type Cursor } from "../cursor.ts";
import { loopHelp } from "./loops.ts";
import { startsExpression } from "../../lex/tokens.ts";

/**
 * Reports and skips a statement that begins with a word of another language. Returns false if none
 * stands here.
 */
export function foreignStatement(p: Cursor): boolean {
  const word = p.token.text;
  if (!followedByStatement(p, word)) return false;
  const general = adviceOnStatement(word);
  if (general === undefined) return false;
  const help = word === "for" ? (loopHelp(p.source.text, p.token.start) ?? general) : general;
  const verb =
    word === "print" || word === "assert"
      ? "is a function and its arguments stand in parentheses"
      : "is not part of the language";
  report(p, "E0110", `\`${word}\` ${verb}`, spanOf(p, p.token), { help });
  if (!(hasBody.has(word) && skipBody(p))) skipStatement(p);
  return true;
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
