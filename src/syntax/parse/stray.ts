// Finds a closing bracket whose opening bracket is missing at the end of a line. The lines between
// the two are then not reported.
//
//   let y = sum       a `(` may be missing here
//     x[1] + 2
//   );                this `)` closes nothing

import { after, fixed } from "../../diagnostics/fixes.ts";
import { beginsStatement, columnOf } from "./brackets.ts";
import { gap, report, spanOf, type Cursor } from "./cursor.ts";

/** How many tokens ahead the search for the closing bracket goes. */
const strayReach = 256;

/**
 * The index of a `)` or `]` without an opening bracket. The lines between must continue the current
 * statement: they are indented deeper than its first line.
 */
export function strayClosing(p: Cursor): number | undefined {
  const { parent, partner } = p.brackets;
  const { text } = p.source;
  if (columnOf(p.token, text) <= columnOf(p.tokens[p.statementAt]!, text)) return undefined;
  const level = parent[p.at]!;
  for (let index = p.at; index < p.at + strayReach && parent[index]! >= level; index++) {
    const { kind, fresh } = p.tokens[index]!;
    if (kind === ";" || kind === "end" || (fresh && beginsStatement(kind))) return undefined;
    if ((kind === ")" || kind === "]") && partner[index] === -1) return index;
  }
  return undefined;
}

/**
 * Reports the closing bracket at an index, and the end of the line where its opening bracket may be
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
