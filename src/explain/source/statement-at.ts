// Finds the statement of the source that contains a span.

import { statementsOf } from "../../check/lints/allow.ts";
import { formatStatement } from "../../syntax/format/format.ts";
import type { Statement } from "../../syntax/tree/ast.ts";
import { positionOf, type Span } from "../../base/source.ts";

/** The innermost `let` around a span, formatted, and its line. */
export function statementAt(
  span: Span,
): { readonly text: string; readonly line: number } | undefined {
  const innermost = statementAround(span);
  if (!innermost) return undefined;
  let text = formattedTexts.get(innermost);
  if (text === undefined)
    formattedTexts.set(innermost, (text = formatStatement(innermost).trimEnd()));
  return {
    text,
    line: positionOf(innermost.span.source, innermost.span.start).line,
  };
}

/** Every part of a statement asks for its text, so the formatted text is kept. */
const formattedTexts = new WeakMap<Statement, string>();

export function statementAround(span: Span): Statement | undefined {
  const [innermost] = statementsOf(span.source)
    .filter(({ kind }) => kind === "let" || kind === "indexed-let")
    .filter((statement) => statement.span.start <= span.start && span.end <= statement.span.end)
    .sort((a, b) => a.span.end - a.span.start - (b.span.end - b.span.start));
  return innermost;
}
