// The statement of the source around a place, as its author wrote it.

import { statementsOf } from "../../check/lints/allow.ts";
import { formatStatement } from "../../syntax/format/format.ts";
import type { Statement } from "../../syntax/tree/ast.ts";
import { positionOf, type Span } from "../../base/source.ts";

/** The innermost `let` around a span, laid out in the standard way, and its line. */
export function statementAt(
  span: Span,
): { readonly text: string; readonly line: number } | undefined {
  const innermost = statementAround(span);
  if (!innermost) return undefined;
  let text = texts.get(innermost);
  if (text === undefined) texts.set(innermost, (text = formatStatement(innermost).trimEnd()));
  return {
    text,
    line: positionOf(innermost.span.source, innermost.span.start).line,
  };
}

/** A statement is asked for by each of its parts. */
const texts = new WeakMap<Statement, string>();

export function statementAround(span: Span): Statement | undefined {
  const [innermost] = statementsOf(span.source)
    .filter(({ kind }) => kind === "let" || kind === "indexed-let")
    .filter((statement) => statement.span.start <= span.start && span.end <= statement.span.end)
    .sort((a, b) => a.span.end - a.span.start - (b.span.end - b.span.start));
  return innermost;
}
