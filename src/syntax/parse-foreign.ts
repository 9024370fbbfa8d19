// Statements that other languages have and this one writes differently: one error each, with the way to say it here.

import { moveTo, peek, report, skipStatement, spanOf, type Cursor } from "./cursor.ts";
import { startsExpression } from "./parse-primary.ts";

const advice: ReadonlyMap<string, string> = new Map([
  ["return", "the last expression of a function is its value: leave out `return` and the `;`"],
  ["for", "write a comprehension `[e | i in 0..n]`, a declaration `let y[i in 0..n] = …;`, or a recurrence over `t`"],
  ["while", "write a recurrence `let h[t in 1..T] = … h[t-1] …;`, or a recursive function"],
  ["loop", "write a recurrence `let h[t in 1..T] = … h[t-1] …;`, or a recursive function"],
  ["def", "a function is written `fn f(x) { … }`"],
  ["func", "a function is written `fn f(x) { … }`"],
  ["function", "a function is written `fn f(x) { … }`"],
  ["var", "write `let x = …;`: bindings are immutable"],
  ["val", "write `let x = …;`"],
  ["import", "write `use std::math::{exp};`"],
  ["from", "write `use std::math::{exp};`"],
  ["class", "write `struct Name { x: f32 }`"],
  ["type", "write `struct Name { … }` or `enum Name { … }`"],
  ["print", 'write `print(…);`, for example `print("loss {x:.4f}");`'],
  ["assert", "write `assert(…);`"],
]);

/** Reports and skips a statement that begins with a word of another language. */
export function foreignStatement(p: Cursor): boolean {
  const word = p.token.text;
  const help = advice.get(word);
  if (help === undefined || !followedByStatement(p, word)) return false;
  const verb =
    word === "print" || word === "assert"
      ? "is a function and its arguments stand in parentheses"
      : "is not part of the language";
  report(p, "E0110", `\`${word}\` ${verb}`, spanOf(p, p.token), { help });
  if (!(hasBody.has(word) && skipBody(p))) skipStatement(p);
  return true;
}

/** A word that is followed by an operand on its line is no operand itself. */
function followedByStatement(p: Cursor, word: string): boolean {
  const next = p.tokens[p.at + 1]!;
  const kind = peek(p, 1);
  if (word === "return") return kind === ";" || kind === "}" || (startsExpression(kind) && kind !== "[" && !next.fresh);
  // `val.0` is a member.
  if (next.fresh || (kind === "number" && next.start === p.token.end)) return false;
  if (kind === "name" || kind === "number" || kind === "string" || kind === "true" || kind === "false") return true;
  if ((word === "while" || word === "for") && kind === "(") {
    const close = p.brackets.partner[p.at + 1]!;
    return close >= 0 && p.tokens[close + 1]!.kind === "{";
  }
  return word === "loop" && kind === "{";
}

const hasBody: ReadonlySet<string> = new Set(["for", "while", "loop", "def", "func", "function", "class", "type"]);

/** Moves behind the `}` of the body that follows in this statement; false if there is none. */
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
