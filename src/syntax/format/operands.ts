// An expression in its place, with the parentheses that the place asks for and no others. What
// stands between them is printed in `syntax/format/expressions.ts`.

import type { Expression } from "../tree/ast.ts";
import type { CommentCursor } from "./comments.ts";
import type { Doc } from "./layout.ts";
import { concat } from "./layout.ts";
import { beginsWithMark, isBlockLike, strengthOf } from "../tree/precedence.ts";
import { strengths } from "../tree/strength.ts";

/** An expression where any may stand, but `e where …` only in parentheses. */
export function printExpression(cursor: CommentCursor, e: Expression): Doc {
  return e.kind === "guarded" ? parenthesised(cursor, e) : cursor.forms.expression(cursor, e);
}

/**
 * An expression in parentheses; comments before it end some line, since the parentheses have no
 * place in the tree.
 */
export function parenthesised(cursor: CommentCursor, e: Expression): Doc {
  return concat("(", cursor.forms.expression(cursor, e), ")");
}

/** An expression that must bind at least as strongly as its place asks for. */
export function printOperand(cursor: CommentCursor, e: Expression, least: number): Doc {
  return strengthOf(e) < least ? parenthesised(cursor, e) : cursor.forms.expression(cursor, e);
}

/**
 * An operand with something behind it: a closing brace there would read as the end of the
 * statement.
 */
export function printLeftOperand(cursor: CommentCursor, e: Expression, least: number): Doc {
  return isBlockLike(e) ? parenthesised(cursor, e) : printOperand(cursor, e, least);
}

/** What stands behind `in`. */
export function printDrawn(cursor: CommentCursor, e: Expression): Doc {
  return printOperand(cursor, e, strengths.range);
}

/**
 * An expression that is a statement or the value of a block, in parentheses where its start would
 * read as a mark.
 */
export function printStanding(cursor: CommentCursor, e: Expression): Doc {
  const value = e.kind === "guarded" ? e.value : e;
  return beginsWithMark(value) ? parenthesised(cursor, e) : cursor.forms.expression(cursor, e);
}
