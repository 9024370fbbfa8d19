// This folder turns tokens into a syntax tree and reports all syntax errors; what names and types
// mean is decided in `check/`.

import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Module } from "../tree/ast.ts";
import { pairAsWritten } from "./brackets.ts";
import { cursorOf, type Forms } from "./cursor.ts";
import { withDivisions } from "./foreign/double-slash.ts";
import { lex } from "../lex/lexer.ts";
import { parseExpression } from "./expressions.ts";
import { parseModule, parseStatements } from "./statements.ts";
import { span, type Source } from "../../base/source.ts";

export interface Parsed {
  readonly module: Module;
  readonly diagnostics: Diagnostic[];
  /**
   * An offset in each statement that could not be read as it is written. Later stages draw no
   * conclusions from such a statement.
   */
  readonly damage: readonly number[];
}

/** The cursor hands this table to every parser. */
const forms: Forms = { expression: parseExpression, statements: parseStatements };

/**
 * Never throws. Every part that could not be read is a node of kind "missing" and has a diagnostic.
 */
export function parse(source: Source): Parsed {
  const { tokens, comments, diagnostics } = lex(source);
  const cursor = cursorOf(source, tokens, diagnostics, forms);
  const statements = parseModule(cursor);
  const module: Module = {
    source,
    statements,
    comments,
    span: span(source, 0, source.text.length),
  };
  const found = [...diagnostics, ...cursor.diagnostics].sort(byPlace);
  const { explained, halved } = withDivisions(module, found, parse);
  return { module, diagnostics: explained, damage: [...cursor.damage, ...halved] };
}

/**
 * Whether the only error of a text is that it ends too early: the prompt then waits for the next
 * line.
 */
export function isUnfinished(source: Source): boolean {
  const { tokens, diagnostics } = lex(source);
  // An open brace may still be closed by the next line, so no guess by indentation is made.
  const cursor = cursorOf(source, tokens, diagnostics, forms, pairAsWritten(tokens));
  parseModule(cursor);
  return cursor.firstError === "at the end";
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  return (a.span?.start ?? 0) - (b.span?.start ?? 0);
}
