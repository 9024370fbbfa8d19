// Reads the `;` at the end of a statement. If another token stands there, a message says what may
// be wrong.

import { after, fix, repair, replace } from "../../diagnostics/fixes.ts";
import { beginsStatement } from "./brackets.ts";
import {
  eat,
  expected,
  gap,
  isInBracket,
  report,
  skipStatement,
  spanOf,
  type Cursor,
} from "./cursor.ts";
import { signHelp } from "./foreign/signs.ts";
import { span } from "../../base/source.ts";
import { reportStray, strayClosing } from "./stray.ts";
import { isLintCode, startsExpression } from "../lex/tokens.ts";

/** Consumes the `;` of a statement, or reports that it is missing. */
export function endStatement(p: Cursor, opener: number): void {
  if (eat(p, ";")) return;
  if (p.kind === "end" && opener < 0) return;
  // A `}` without a partner is reported elsewhere.
  if (p.kind === "}" && p.brackets.partner[p.at] === -1) return;
  const closesBlock = p.kind === "}" || p.kind === "end" || !isInBracket(p, opener);
  const opens = startsExpression(p.kind) || beginsStatement(p.kind);
  const stray = p.token.fresh && !beginsStatement(p.kind) ? strayClosing(p) : undefined;
  if (stray !== undefined) {
    reportStray(p, stray);
    skipStatement(p);
    return;
  }
  if (closesBlock || (p.token.fresh && opens) || (beginsStatement(p.kind) && !p.damaged)) {
    report(p, "E0111", "missing `;` after this statement", gap(p), {
      text: "the statement ends here",
      ...repair("add `;`", after(gap(p), ";")),
    });
    // What begins here is another statement: a word of another language is a mistake of its own.
    p.lastReport = p.at - 1;
    return;
  }
  unexpected(p);
  skipStatement(p);
}

/** Reports the token that stands where the statement could have ended. */
function unexpected(p: Cursor): void {
  if (p.kind === "where") {
    const place = span(p.source, p.previousEnd, p.token.end);
    const fixes = [fix("write `,`", replace(place, ","))];
    return expected(p, "`;`", "only one `where` may follow; separate its items with commas", fixes);
  }
  if (p.kind === "else")
    return expected(p, "`;`", "`else` follows the block of an `if` or the items of a `where`");
  if (p.kind === "=") {
    const fixes = [fix("write `==`", replace(spanOf(p, p.token), "=="))];
    return expected(p, "`;`", "write `==` to compare", fixes);
  }
  if (p.kind === "?") return expected(p, "`;`", "write a choice as `if c { a } else { b }`");
  if (p.kind === ":")
    return expected(
      p,
      "an operator or `;`",
      "a type stands in a declaration; a struct literal begins with its name, as in `P { x: 1 }`",
    );
  expected(p, "an operator or `;`", unexpectedHelp(p));
}

/** Advice about a sign of another language, or one that belongs in another place. */
function unexpectedHelp(p: Cursor): string | undefined {
  const before = p.tokens[p.at - 1]?.text;
  if (before === "allow" && isLintCode(p.token.text))
    return `write \`allow(${p.token.text})\` before a statement`;
  return signHelp(p);
}
