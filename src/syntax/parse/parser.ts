// The parser's front: one source text in, a whole tree and all syntax errors out.

import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Module } from "../tree/ast.ts";
import { pairAsWritten } from "./brackets.ts";
import { cursorOf, type Forms } from "./cursor.ts";
import { divisionHelp, withDivisions } from "./foreign/double-slash.ts";
import { lex } from "../lex/lexer.ts";
import { parseExpression } from "./expressions.ts";
import { parseModule, parseStatements } from "./statements.ts";
import { span, type Source } from "../../base/source.ts";

export interface Parsed {
  readonly module: Module;
  readonly diagnostics: Diagnostic[];
  /**
   * A place in each statement that could not be read as it stands: what such a statement means is
   * anybody's guess.
   */
  readonly damage: readonly number[];
}

/** The one table of forms; the cursor hands it to every parser. */
const forms: Forms = { expression: parseExpression, statements: parseStatements };

/**
 * Never throws; every part that could not be read is a node of kind "missing" and has a diagnostic.
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
  const said = withDivisions(module, found, parse);
  // Half of a division stands in its comment: what follows from the other half says nothing.
  const halved = said.flatMap(({ help, span: place }) =>
    help === divisionHelp && place ? [Math.max(0, place.start - 1)] : [],
  );
  return { module, diagnostics: said, damage: [...cursor.damage, ...halved] };
}

/**
 * Whether nothing is wrong with a text but that it ends too early: what it lacks may still come.
 */
export function isUnfinished(source: Source): boolean {
  const { tokens, diagnostics } = lex(source);
  // Nobody has to guess where an open brace should have been closed, as long as its end can come.
  const cursor = cursorOf(source, tokens, diagnostics, forms, pairAsWritten(tokens));
  parseModule(cursor);
  return cursor.firstError === "at the end";
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  return (a.span?.start ?? 0) - (b.span?.start ?? 0);
}
