// Parses what may stand before a statement: `allow(W0203)` and `pub`.

import type { Name } from "../tree/ast.ts";
import { beginsStatement } from "./brackets.ts";
import { advance, expectName, list, peek, report, spanOf, type Cursor } from "./cursor.ts";
import { isLintCode, startsExpression } from "../lex/tokens.ts";

/** The marks before a statement, and where they begin. */
export interface Lead {
  readonly start: number;
  readonly allow: readonly Name[];
  readonly public: boolean;
}

/** Reads `allow(W0203)` before a statement. `allow(x);` and `allow(x) + 1` are ordinary calls. */
export function parseAllow(p: Cursor): Name[] {
  const names: Name[] = [];
  while (p.kind === "name" && p.token.text === "allow" && peek(p, 1) === "(") {
    const close = p.brackets.partner[p.at + 1]!;
    if (close < 0) break;
    const after = p.tokens[close + 1]!;
    // Before a keyword on the same line, `allow(…)` is a mark, whatever the parentheses contain.
    const begins = beginsStatement(after.kind);
    const marks = listsLints(p, close)
      ? begins || startsExpression(after.kind)
      : begins && !after.fresh;
    if (!marks) break;
    advance(p);
    const opener = p.at;
    advance(p);
    for (const name of list(p, opener, ")", lintName)) names.push(name);
  }
  return names;
}

/** Whether the parentheses after `allow` contain only codes of lints. */
function listsLints(p: Cursor, close: number): boolean {
  const inner = p.tokens.slice(p.at + 2, close).filter(({ kind }) => kind !== ",");
  return inner.length > 0 && inner.every(({ kind, text }) => kind === "name" && isLintCode(text));
}

function lintName(p: Cursor): Name {
  if (p.kind === "name" && !isLintCode(p.token.text)) {
    const help = "write the code that the message begins with, as in `allow(W0203)`";
    report(p, "E0110", `\`${p.token.text}\` is not the code of a lint`, spanOf(p, p.token), {
      help,
    });
  }
  return expectName(p, "the code of a lint, such as `W0203`");
}
