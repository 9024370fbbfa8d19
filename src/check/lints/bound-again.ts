// `[x | x in 1..6, x in 3..9]`: the second generator does not test the `x` of the first. It would
// hide it, so it is refused.

import type { Fix } from "../../diagnostics/diagnostic.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { report, type Place } from "../context.ts";
import { freshNames } from "../names/fresh-names.ts";
import { patternNames } from "../names/free-names.ts";

type Generator = Extract<ast.ComprehensionClause, { kind: "generator" }>;

/** Whether a generator binds a name of an earlier generator; then this is reported. */
export function refuseBoundAgain(place: Place, e: ast.Comprehension): boolean {
  const boundBy = new Map<string, Span>();
  for (const clause of e.clauses) {
    if (clause.kind !== "generator") continue;
    const names = patternNames(clause.pattern);
    const again = names.find((name) => boundBy.has(name));
    if (again !== undefined) {
      refuseAgain(place, clause, again, boundBy.get(again)!);
      return true;
    }
    for (const name of names) boundBy.set(name, clause.pattern.span);
  }
  return false;
}

function refuseAgain(place: Place, clause: Generator, name: string, before: Span): void {
  const filter = filterFor(clause);
  const other = "give this one another name";
  report(place, "E0314", `\`${name}\` is bound by the generator before it`, clause.pattern.span, {
    text: "this generator would hide the other",
    labels: [{ span: before, text: "bound here" }],
    help: filter === undefined ? other : `to filter, write \`${filter}\`; to walk both, ${other}`,
    fixes: filter === undefined ? [] : [asFilter(clause, filter)],
  });
}

function asFilter({ span }: Generator, filter: string): Fix {
  return { title: `filter: \`${filter}\``, edits: [{ span, text: filter }] };
}

/**
 * The filter that a second generator may have been meant as: `any[k](list[k] == x)` for `x in
 * list`. Undefined if the pattern is more than a name.
 */
function filterFor({ pattern, source, span }: Generator): string | undefined {
  if (pattern.kind !== "name") return undefined;
  if (source.kind === "range") return `(${textOf(span)})`;
  const list = textOf(source.span);
  const at = freshNames(1, textOf(span), "kijmn")[0]!;
  return source.kind === "path" ? `any[${at}](${list}[${at}] == ${pattern.name.text})` : undefined;
}
