// Prints blocks, `if`, `match`, and the values after `=` and `=>`.

import type { Arm, Block, Expression, If, Match } from "../tree/ast.ts";
import type { CommentCursor, Item } from "./comments.ts";
import { gapBefore, ownLines, sequence, suffixesBefore } from "./comments.ts";
import { parenthesised, printStanding, printExpression, printOperand } from "./operands.ts";
import { printPattern } from "./patterns.ts";
import type { Doc } from "./layout.ts";
import {
  closingHardline,
  closingLine,
  concat,
  concatAll,
  group,
  hardline,
  ifBroken,
  indent,
  line,
} from "./layout.ts";
import { showsBrace } from "../tree/precedence.ts";
import { strengths } from "../tree/strength.ts";

/** Prints `{ … }`. A block that is only a value may stand on one line. */
export function printBlock(cursor: CommentCursor, block: Block): Doc {
  const { statements, value, span } = block;
  const before = suffixesBefore(cursor, span.start);
  const items = statements.map((statement): Item => ({
    start: statement.span.start,
    end: statement.span.end,
    print: () => cursor.forms.statement(cursor, statement),
  }));
  if (value)
    items.push({
      start: value.span.start,
      end: value.span.end,
      print: () => printStanding(cursor, value),
    });
  const { opening, lines, commented } = sequence(cursor, items, span.source.text, span.end);
  if (lines.length === 0)
    return concat(before, "{", opening, commented ? closingHardline : "", "}");
  const short = statements.length === 0 && !commented;
  const body = indent(short ? line : hardline, concatAll(lines));
  return concat(before, "{", opening, body, short ? closingLine : closingHardline, "}");
}

export function printIf(cursor: CommentCursor, e: If): Doc {
  const parts: Doc[] = [];
  for (let at: If | Block | undefined = e; at;) {
    if (at.kind === "block") {
      parts.push(printBlock(cursor, at));
      break;
    }
    parts.push("if ", printHead(cursor, at.condition), " ", printBlock(cursor, at.then));
    at = at.otherwise;
    if (at) parts.push(" else ");
  }
  return group(concatAll(parts));
}

/** Prints the expression before the brace of an `if` or `match`. */
function printHead(cursor: CommentCursor, e: Expression): Doc {
  const doc = showsBrace(e) ? parenthesised(cursor, e) : printOperand(cursor, e, strengths.pipe);
  return concat(doc, suffixesBefore(cursor, e.span.end));
}

export function printMatch(cursor: CommentCursor, e: Match): Doc {
  const head = concat("match ", printHead(cursor, e.subject), " {");
  const last = e.arms.at(-1);
  const items = e.arms.map((arm): Item => ({
    start: arm.span.start,
    end: arm.span.end,
    print: () => concat(printArm(cursor, arm), arm === last ? ifBroken(",") : ","),
  }));
  const { opening, lines, commented } = sequence(cursor, items, e.span.source.text, e.span.end);
  if (lines.length === 0) return concat(head, opening, commented ? closingHardline : "", "}");
  return group(head, opening, indent(hardline, concatAll(lines)), closingHardline, "}");
}

function printArm(cursor: CommentCursor, arm: Arm): Doc {
  const pattern = printPattern(cursor, arm.pattern);
  const guard = arm.guard ? concat(" where ", printOperand(cursor, arm.guard, strengths.pipe)) : "";
  return printBound(cursor, concat(pattern, guard, " =>"), arm.body);
}

/**
 * Prints a value after `=` or `=>`: on the same line if it fits or opens brackets there, otherwise
 * indented on the next line.
 */
export function printBound(cursor: CommentCursor, head: Doc, value: Expression): Doc {
  const gap = gapBefore(cursor, value.span.start);
  const doc = printExpression(cursor, value);
  if (gap.own.length > 0) return concat(head, gap.after, indent(hardline, ownLines(gap.own), doc));
  if (hugs(value)) return concat(head, gap.after, " ", doc);
  return concat(head, gap.after, group(indent(line, doc)));
}

/**
 * Whether a value may start on the line of its `=` although it does not fit: it breaks inside its
 * own brackets, or before each `|>`.
 */
function hugs(e: Expression): boolean {
  let at = e;
  while (at.kind === "unary" || at.kind === "cast" || at.kind === "member")
    at = at.kind === "member" ? at.base : at.operand;
  return at.kind === "binary" ? at.operator === "|>" && at === e : hugging.has(at.kind);
}

const hugging: ReadonlySet<Expression["kind"]> = new Set([
  "call",
  "index",
  "if",
  "block",
  "match",
  "lambda",
  "tuple",
  "array",
  "comprehension",
  "struct-literal",
] as const);
