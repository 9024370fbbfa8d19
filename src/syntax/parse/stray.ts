// Finds a closing bracket whose opening one is missing at the end of a line, so that the lines
// between are not errors of their own.

import { after, fixed } from "../../diagnostics/fixes.ts";
import { beginsStatement } from "./brackets.ts";
import { gap, report, spanOf, type Cursor } from "./cursor.ts";
import type { Token } from "../lex/tokens.ts";

/**
 * How many tokens further a closing bracket is looked for whose opening one may be missing here.
 */
const strayReach = 256;

/**
 * The index of a `)` or `]` that nothing has opened, in the lines that continue the current
 * statement: they stand deeper than its first line. Its opening bracket was to stand here, at the
 * end of a line.
 */
export function strayClosing(p: Cursor): number | undefined {
  const { parent, partner } = p.brackets;
  const { text } = p.source;
  const column = (token: Token) => token.start - (text.lastIndexOf("\n", token.start - 1) + 1);
  if (column(p.token) <= column(p.tokens[p.statementAt]!)) return undefined;
  const level = parent[p.at]!;
  for (let index = p.at; index < p.at + strayReach && parent[index]! >= level; index++) {
    const { kind, fresh } = p.tokens[index]!;
    if (kind === ";" || kind === "end" || (fresh && beginsStatement(kind))) return undefined;
    if ((kind === ")" || kind === "]") && partner[index] === -1) return index;
  }
  return undefined;
}

/**
 * Reports the closing bracket at an index, and the end of the line where the opening one can be
 * missing.
 */
export function reportStray(p: Cursor, index: number): void {
  const token = p.tokens[index]!;
  const opening = token.kind === ")" ? "(" : "[";
  const labels = [{ span: gap(p), text: `a \`${opening}\` may be missing here` }];
  report(p, "E0113", `this \`${token.kind}\` closes nothing`, spanOf(p, token), {
    labels,
    help: "remove it, or open the bracket before it",
    ...fixed(`add \`${opening}\``, after(gap(p), ` ${opening}`)),
  });
}
