// This folder writes a syntax tree as source text; reading text is the work of `lex/` and `parse/`.
//
// The layout is canonical: equal trees give equal texts, and formatting a text again changes
// nothing.

import type { Expression, Module, Pattern, Type, Statement } from "../tree/ast.ts";
import { cursorOver, sequence, type Forms } from "./comments.ts";
import { printBare } from "./expressions.ts";
import { printPattern } from "./patterns.ts";
import { printStatement, statementItem } from "./statements.ts";
import { printType } from "./types.ts";
import { concat, concatAll, layOut, layOutFlat } from "./layout.ts";

/** Lines are kept within this many characters where the program allows it. */
const width = 100;

/** The cursor hands this table to every printer. */
const forms: Forms = { expression: printBare, statement: printStatement };

/** The whole program with its comments. Single blank lines between statements are kept. */
export function format(module: Module): string {
  const cursor = cursorOver(module.comments, forms);
  const items = module.statements.map((statement) => statementItem(cursor, statement));
  const { opening, lines } = sequence(cursor, items, module.source.text, Infinity);
  if (lines.length === 0) return "";
  return layOut(concat(opening, concatAll(lines)), width) + "\n";
}

/** One statement, without comments. */
export function formatStatement(statement: Statement): string {
  const { span } = statement;
  return format({ source: span.source, statements: [statement], comments: [], span });
}

/** One line of source for a message or a fix. */
export function formatExpression(e: Expression): string {
  return layOutFlat(printBare(cursorOver([], forms), e));
}

export function formatType(type: Type): string {
  return layOutFlat(printType(cursorOver([], forms), type));
}

export function formatPattern(pattern: Pattern): string {
  return layOutFlat(printPattern(cursorOver([], forms), pattern));
}
