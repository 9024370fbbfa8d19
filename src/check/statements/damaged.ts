// Statements that the parser could not read as they stand: they are not checked, and names they may
// have meant to bind say nothing.

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

/** Whether the part of a function before its body could not be read. */
export function hasDamagedHead(checker: Checker, { span, body }: ast.Fn): boolean {
  return isDamaged(checker, { start: span.start, end: Math.max(body.span.start, span.start + 1) });
}

/** Whether a block's value, or its end, could not be read. */
export function hasDamagedEnd(checker: Checker, { statements, value, span }: ast.Block): boolean {
  const last = statements.at(-1);
  if (!value && last && isDamaged(checker, last.span)) return true;
  return isDamaged(checker, { start: last?.span.end ?? span.start, end: span.end });
}

/**
 * The names that a damaged statement binds for certain, and those that it may have been meant to
 * bind, the likeliest first.
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
 * `n = 16;`, `lett n = 16;`, `x: [f32; batch];`: where the word that makes it a definition is lost,
 * the names stand in front.
 */
function leadingNames({ kind }: ast.Statement, text: string): readonly string[] {
  if (kind !== "input" && kind !== "expression" && kind !== "missing") return [];
  const first = /^\W*(\w+)(?:\s+(\w+))?/.exec(text)?.slice(1).filter(Boolean) ?? [];
  // A type of an input introduces its dimension names.
  const type = /^[^=({:]*:([^=]*)/.exec(text)?.[1] ?? (kind === "input" ? text : "");
  return [...first, ...(type.match(/[A-Za-z_]\w*/g) ?? [])];
}

/** Every word of a damaged statement: it may read any of them. */
export function wordsOf(statement: ast.Statement): readonly string[] {
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
