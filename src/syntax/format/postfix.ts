// Prints calls, indices and members: the forms that stand after the expression that they apply to.

import type {
  Argument,
  BracketItem,
  Call,
  Expression,
  Index,
  IndexItem,
  Member,
} from "../tree/ast.ts";
import type { Brackets, CommentCursor, Item } from "./comments.ts";
import {
  behindClosing,
  commentWithin,
  list,
  parentheses,
  squareBrackets,
  suffixesBefore,
} from "./comments.ts";
import { parenthesised, printExpression, printDrawn, printLeftOperand } from "./operands.ts";
import type { Doc } from "./layout.ts";
import { concat, concatAll } from "./layout.ts";
import { leadingMembership } from "../tree/precedence.ts";
import { strengths } from "../tree/strength.ts";

type Postfix = Index | Call | Member;

export function printPostfix(cursor: CommentCursor, e: Postfix): Doc {
  const links: Postfix[] = [e];
  let base = baseOf(e);
  // `(a[i])(x)` calls a cell. Without its parentheses it would be the coordinate call `a[i](x)`.
  while (isPostfix(base) && !callsCell(links.at(-1)!, base)) {
    links.push(base);
    base = baseOf(base);
  }
  const innermost = links.at(-1)!;
  const parts: Doc[] = [printBase(cursor, innermost, base)];
  for (const link of links.reverse()) parts.push(printLink(cursor, link));
  return concatAll(parts);
}

function isPostfix(e: Expression): e is Postfix {
  return e.kind === "index" || e.kind === "call" || e.kind === "member";
}

function baseOf(e: Postfix): Expression {
  return e.kind === "call" ? e.callee : e.base;
}

function callsCell(outer: Postfix, base: Postfix): boolean {
  return outer.kind === "call" && !outer.bracket && base.kind === "index";
}

function printBase(cursor: CommentCursor, outer: Postfix, base: Expression): Doc {
  // In `(1).shape` the point without parentheses would belong to the number.
  const merges = outer.kind === "member" && base.kind === "number";
  return isPostfix(base) || merges
    ? parenthesised(cursor, base)
    : printLeftOperand(cursor, base, strengths.postfix);
}

function printLink(cursor: CommentCursor, link: Postfix): Doc {
  switch (link.kind) {
    case "member":
      return concat(suffixesBefore(cursor, link.name.span.start), `.${link.name.text}`);
    case "index":
      return list(
        cursor,
        squareBrackets,
        link.items.map(indexItem(cursor)),
        link.base.span.end,
        link.span.end,
      );
    case "call": {
      const { callee, bracket, span } = link;
      if (!bracket) return printArguments(cursor, link, callee.span.end);
      const close = behindClosing(
        span.source.text,
        bracket.at(-1)?.span.end ?? callee.span.end,
        "]",
      );
      const coordinates = list(
        cursor,
        squareBrackets,
        bracket.map(bracketItem(cursor)),
        callee.span.end,
        close,
      );
      return concat(coordinates, printArguments(cursor, link, close));
    }
    default:
      return link satisfies never;
  }
}

function indexItem(cursor: CommentCursor): (item: IndexItem) => Item {
  return (item) => ({
    start: item.span.start,
    end: item.span.end,
    print: () => printIndexItem(cursor, item),
  });
}

function printIndexItem(cursor: CommentCursor, item: IndexItem): Doc {
  switch (item.kind) {
    case "expression":
      return printIndex(cursor, item.value);
    case "pack":
      return `..${item.name.text}`;
    case "pin":
      return concat(item.name.text, " = ", printExpression(cursor, item.value));
    default:
      return item satisfies never;
  }
}

/**
 * Prints an index. `(i in r && c)` keeps its parentheses, because `i in r && c` would be a
 * coordinate with the range `r && c`.
 */
function printIndex(cursor: CommentCursor, e: Expression): Doc {
  const coordinate =
    e.kind === "binary" && e.operator !== "in" && leadingMembership(e)?.left.kind === "path";
  return coordinate ? parenthesised(cursor, e) : printExpression(cursor, e);
}

/** An item in the bracket of a call, or a slot of an indexed `let`. Both are written alike. */
export function bracketItem(cursor: CommentCursor): (item: BracketItem) => Item {
  return (item) => ({
    start: item.span.start,
    end: item.span.end,
    print: () => printBracketItem(cursor, item),
  });
}

function printBracketItem(cursor: CommentCursor, item: BracketItem): Doc {
  switch (item.kind) {
    case "coordinate":
      return item.range
        ? concat(item.name.text, " in ", printDrawn(cursor, item.range))
        : item.name.text;
    case "pack":
      return `..${item.name.text}`;
    case "group":
      return `(${item.names.map((name) => name.text).join(", ")})`;
    case "expression":
      return printIndex(cursor, item.value);
    default:
      return item satisfies never;
  }
}

function printArguments(cursor: CommentCursor, call: Call, from: number): Doc {
  const last = call.arguments.at(-1);
  if (call.arguments.length === 1 && last && opensBrackets(last.value)) {
    const { start, end } = last.span;
    // A single argument with brackets of its own opens them on the line of the call.
    if (!commentWithin(cursor, from, start) && !commentWithin(cursor, end, call.span.end)) {
      return concat(suffixesBefore(cursor, from), "(", printArgument(cursor, last, last), ")");
    }
  }
  // The body of a reduction is no list, so it gets no trailing comma. After `e where c` a comma
  // would announce another guard.
  const body = call.bracket !== undefined && call.arguments.length === 1;
  const brackets: Brackets =
    body || last?.value.kind === "guarded" ? { ...parentheses, comma: "" } : parentheses;
  const items = call.arguments.map((argument): Item => ({
    start: argument.span.start,
    end: argument.span.end,
    print: () => printArgument(cursor, argument, last),
  }));
  return list(cursor, brackets, items, from, call.span.end);
}

function printArgument(cursor: CommentCursor, argument: Argument, last: Argument | undefined): Doc {
  const value =
    argument === last
      ? cursor.forms.expression(cursor, argument.value)
      : printExpression(cursor, argument.value);
  return argument.name ? concat(argument.name.text, " = ", value) : value;
}

function opensBrackets(e: Expression): boolean {
  switch (e.kind) {
    case "array":
    case "comprehension":
    case "struct-literal":
    case "tuple":
    case "block":
    case "match":
      return true;
    case "lambda":
      return opensBrackets(e.body);
    default:
      return false;
  }
}
