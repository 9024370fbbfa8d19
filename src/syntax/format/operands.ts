// Prints an expression in its place: with the parentheses that the place asks for, and no others.
// The expression itself is printed in `expressions.ts`.

import type { Expression } from "../tree/ast.ts";
import type { CommentCursor } from "./comments.ts";
import type { Doc } from "./layout.ts";
import { concat } from "./layout.ts";
import { beginsWithMark, isBlockLike, strengthOf } from "../tree/precedence.ts";
import { strengths } from "../tree/strength.ts";

/** Prints an expression in a place that takes any form. Only `e where …` gets parentheses. */
export function printExpression(cursor: CommentCursor, e: Expression): Doc {
  return e.kind === "guarded" ? parenthesised(cursor, e) : cursor.forms.expression(cursor, e);
}

/**
 * Prints an expression in parentheses. The tree keeps no place for the parentheses, so the comments
 * before the expression go to the end of the line.
 */
export function parenthesised(cursor: CommentCursor, e: Expression): Doc {
  return concat("(", cursor.forms.expression(cursor, e), ")");
}

/** Prints an operand. It gets parentheses if it binds less strongly than `least`. */
export function printOperand(cursor: CommentCursor, e: Expression, least: number): Doc {
  return strengthOf(e) < least ? parenthesised(cursor, e) : cursor.forms.expression(cursor, e);
}

/**
 * Prints an operand with an operator after it. A form that ends with `}` gets parentheses, because
 * the `}` would end the statement.
 */
export function printLeftOperand(cursor: CommentCursor, e: Expression, least: number): Doc {
  return isBlockLike(e) ? parenthesised(cursor, e) : printOperand(cursor, e, least);
}

/** Prints the expression after `in`. */
export function printDrawn(cursor: CommentCursor, e: Expression): Doc {
  return printOperand(cursor, e, strengths.range);
}

/**
 * Prints a statement or the value of a block. It gets parentheses if its start would be read as a
 * mark: `(allow(W0203) + 1);`.
 */
export function printStanding(cursor: CommentCursor, e: Expression): Doc {
  const value = e.kind === "guarded" ? e.value : e;
  return beginsWithMark(value) ? parenthesised(cursor, e) : cursor.forms.expression(cursor, e);
}
