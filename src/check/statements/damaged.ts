// Statements that the parser could not read in full. They are not checked. Every name that one may
// have been meant to bind is marked as wrong, so that its readers report nothing:
//
//   lett n = 16;   // `n` was meant to be bound

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { patternNames } from "../names/free-names.ts";
import { isKeyword, scalarTypes } from "../../syntax/lex/tokens.ts";
import type { Checker } from "../context.ts";

export function isDamaged(
  { damage }: Checker,
  { start, end }: Pick<Span, "start" | "end">,
): boolean {
  return damage.some((at) => at >= start && at < end);
}

/** Whether the parser could not read the part of a function before its body. */
export function hasDamagedHead(checker: Checker, { span, body }: ast.Fn): boolean {
  return isDamaged(checker, { start: span.start, end: Math.max(body.span.start, span.start + 1) });
}

/** Whether the parser could not read the value or the end of a block. */
export function hasDamagedEnd(checker: Checker, { statements, value, span }: ast.Block): boolean {
  const last = statements.at(-1);
  if (!value && last && isDamaged(checker, last.span)) return true;
  return isDamaged(checker, { start: last?.span.end ?? span.start, end: span.end });
}

/**
 * The names that a damaged statement certainly binds, and the names that it may have been meant to
 * bind, the most likely first.
 */
export function meantNames(statement: ast.Statement): {
  readonly certain: readonly string[];
  readonly likely: readonly string[];
} {
  const text = textOf(statement.span).replaceAll(/\/\/[^\n]*/g, "");
  const swallowed = [...text.matchAll(/^\s*(?:pub\s+)?(?:let|const|fn|input)\s+(\w+)/gm)].map(
    (match) => match[1]!,
  );
  const likely = [...leadingNames(statement, text), ...swallowed].filter(
    (word) => !isKeyword(word) && !scalarTypes.has(word),
  );
  return { certain: boundNames(statement), likely: [...new Set(likely)] };
}

/**
 * The first names of a statement whose keyword is lost: `n = 16;`, `lett n = 16;`,
 * `x: [f32; batch];`.
 */
function leadingNames({ kind }: ast.Statement, text: string): readonly string[] {
  if (kind !== "input" && kind !== "expression" && kind !== "missing") return [];
  const first = /^\W*(\w+)(?:\s+(\w+))?/.exec(text)?.slice(1).filter(Boolean) ?? [];
  // The type of an input declares its dimension names.
  const type = /^[^=({:]*:([^=]*)/.exec(text)?.[1] ?? (kind === "input" ? text : "");
  return [...first, ...(type.match(/[A-Za-z_]\w*/g) ?? [])];
}

/** Every word of a damaged statement. It may read any of them. */
export function wordsOfStatement(statement: ast.Statement): readonly string[] {
  return textOf(statement.span).match(/[A-Za-z_]\w*/g) ?? [];
}

function boundNames(statement: ast.Statement): readonly string[] {
  switch (statement.kind) {
    case "let":
      return patternNames(statement.pattern);
    case "const":
    case "input":
    case "indexed-let":
      return [statement.name.text];
    default:
      return [];
  }
}
