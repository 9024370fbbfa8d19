// Prints expressions. Operands are printed through `operands.ts`, which adds the parentheses that
// their places ask for.

import type {
  Binary,
  Cast,
  Comprehension,
  ComprehensionClause,
  Expression,
  Lambda,
  Name,
  Path,
  Pattern,
  Range,
  Where,
} from "../tree/ast.ts";
import type { CommentCursor, Item } from "./comments.ts";
import { braces, cursorOver, danglingLines, gapBefore, list, ownLines } from "./comments.ts";
import { originalText, parentheses, squareBrackets, suffixesBefore } from "./comments.ts";
import { printBlock, printIf, printMatch } from "./blocks.ts";
import {
  parenthesised,
  printDrawn,
  printExpression,
  printLeftOperand,
  printOperand,
} from "./operands.ts";
import { printPattern } from "./patterns.ts";
import { printPostfix } from "./postfix.ts";
import { printString } from "./strings.ts";
import { printPath, printType } from "./types.ts";
import type { Doc } from "./layout.ts";
import {
  closingSoftline,
  concat,
  concatAll,
  forcedBreak,
  group,
  indent,
  layOutFlat,
} from "./layout.ts";
import { line, softline } from "./layout.ts";
import {
  endsInOpenIf,
  endsInTypeName,
  groupsToTheLeft,
  leadingMembership,
  strengthOf,
} from "../tree/precedence.ts";
import { infixStrengths, strengths } from "../tree/strength.ts";

/** Prints any expression without parentheses around it, in places that also take `e where …`. */
export function printBare(cursor: CommentCursor, e: Expression): Doc {
  switch (e.kind) {
    case "number":
      return e.text + (e.suffix ?? "");
    case "string":
      return printString(e, (value) =>
        layOutFlat(printExpression(cursorOver([], cursor.forms), value)),
      );
    case "bool":
      return String(e.value);
    case "path":
      return printPath(e.segments);
    case "unary":
      return concat(e.operator, printLeftOperand(cursor, e.operand, strengths.prefix));
    case "binary":
      return printBinary(cursor, e);
    case "range":
      return printRange(cursor, e);
    case "cast":
      return printCast(cursor, e);
    case "index":
    case "call":
    case "member":
      return printPostfix(cursor, e);
    case "if":
      return printIf(cursor, e);
    case "block":
      return group(printBlock(cursor, e));
    case "match":
      return printMatch(cursor, e);
    case "lambda":
      return printLambda(cursor, e);
    case "tuple":
      return list(cursor, parentheses, e.members.map(itemOf(cursor)), e.span.start, e.span.end);
    case "array":
      return list(cursor, squareBrackets, e.elements.map(itemOf(cursor)), e.span.start, e.span.end);
    case "comprehension":
      return printComprehension(cursor, e);
    case "struct-literal": {
      const items = e.fields.map(({ name, value }): Item => ({
        start: name.span.start,
        end: Math.max(name.span.end, value.span.end),
        print: () => printField(cursor, name, value),
      }));
      return concat(
        printPath(e.path.segments),
        " ",
        list(cursor, braces, items, e.path.span.end, e.span.end),
      );
    }
    case "guarded":
      return printWhere(cursor, printLeftOperand(cursor, e.value, strengths.pipe), e.where);
    case "missing":
      return originalText(cursor, e.span);
    default:
      return e satisfies never;
  }
}

function itemOf(cursor: CommentCursor): (e: Expression) => Item {
  return (e) => ({ start: e.span.start, end: e.span.end, print: () => printExpression(cursor, e) });
}

function printField(cursor: CommentCursor, name: Name, value: Expression): Doc {
  if (value.kind === "path" && value.segments.length === 1 && value.segments[0]!.text === name.text)
    return name.text;
  return concat(name.text, ": ", printExpression(cursor, value));
}

/**
 * The operations of one strength at the start of an expression, innermost first: `a - b + c` gives
 * `a - b` and the whole. The list can be as long as the text.
 */
function linksOf(e: Binary): Binary[] {
  const links: Binary[] = [e];
  for (let at = e.left; at.kind === "binary" && strengthOf(at) === strengthOf(e); at = at.left)
    links.push(at);
  return links.reverse();
}

function printBinary(cursor: CommentCursor, e: Binary): Doc {
  const links = linksOf(e);
  const before = suffixesBefore(cursor, e.span.start);
  if (groupsToTheLeft(strengthOf(e)))
    return concat(before, printChain(cursor, printFirst(cursor, links[0]!), links));
  let doc = concat(suffixesBefore(cursor, links[0]!.span.start), printFirst(cursor, links[0]!));
  links.forEach((link, k) => {
    doc = printChain(cursor, k === 0 ? doc : concat("(", doc, ")"), [link]);
  });
  return concat(before, doc);
}

/** Prints the left operand of the innermost operation of a chain. */
function printFirst(cursor: CommentCursor, { operator, left }: Binary): Doc {
  if (operator === "<" && endsInTypeName(left)) return parenthesised(cursor, left);
  return printLeftOperand(
    cursor,
    left,
    operator === "**" ? strengths.postfix : infixStrengths[operator] + 1,
  );
}

/**
 * Prints operators of one strength that group to the left as one chain. The chain breaks before
 * each operator or nowhere.
 */
function printChain(cursor: CommentCursor, head: Doc, links: readonly Binary[]): Doc {
  const parts: Doc[] = [];
  let forced = false;
  let end = links[0]!.left.span.end;
  for (const link of links) {
    parts.push(suffixesBefore(cursor, end));
    const gap = gapBefore(cursor, link.right.span.start);
    forced ||= !gap.empty;
    const right =
      link.operator === "in"
        ? printDrawn(cursor, link.right)
        : printOperand(cursor, link.right, operandStrength(link));
    parts.push(gap.after, line, ownLines(gap.own), `${link.operator} `, right);
    end = link.right.span.end;
  }
  return group(forced ? forcedBreak : "", head, indent(concatAll(parts)));
}

/**
 * The strength that the right operand needs. After `**` a prefix or another `**` needs no
 * parentheses.
 */
function operandStrength({ operator }: Binary): number {
  return operator === "**" ? strengths.prefix : infixStrengths[operator] + 1;
}

/** `e as T as U` nests as deep as it is long, so it is walked in a loop. */
function printCast(cursor: CommentCursor, e: Cast): Doc {
  const casts: Cast[] = [e];
  while (casts.at(-1)!.operand.kind === "cast") casts.push(casts.at(-1)!.operand as Cast);
  const parts: Doc[] = [printLeftOperand(cursor, casts.at(-1)!.operand, strengths.cast)];
  for (const cast of casts.reverse()) parts.push(" as ", printType(cursor, cast.type));
  return concatAll(parts);
}

function printRange(cursor: CommentCursor, e: Range): Doc {
  const ranges: Range[] = [e];
  while (ranges.at(-1)!.from.kind === "range") ranges.push(ranges.at(-1)!.from as Range);
  let doc = printLeftOperand(cursor, ranges.at(-1)!.from, strengths.range + 1);
  ranges.reverse().forEach((range, k) => {
    const to = printOperand(cursor, range.to, strengths.range + 1);
    doc = concat(k === 0 ? doc : concat("(", doc, ")"), range.inclusive ? "..=" : "..", to);
  });
  return doc;
}

function printLambda(cursor: CommentCursor, e: Lambda): Doc {
  const parameters = e.parameters.flatMap(({ name, type }, k): Doc[] => [
    k === 0 ? name.text : `, ${name.text}`,
    type ? concat(": ", printType(cursor, type)) : "",
  ]);
  return concatAll(["|", ...parameters, "| ", printExpression(cursor, e.body)]);
}

function printComprehension(cursor: CommentCursor, e: Comprehension): Doc {
  const before = suffixesBefore(cursor, e.span.start);
  const opening = gapBefore(cursor, e.element.span.start);
  const element = printOperand(cursor, e.element, strengths.pipe);
  const head = [
    opening.after,
    softline,
    ownLines(opening.own),
    element,
    suffixesBefore(cursor, e.element.span.end),
  ];
  let forced = !opening.empty;
  const clauses: Doc[] = [];
  e.clauses.forEach((clause, k) => {
    const gap = gapBefore(cursor, clause.span.start);
    forced ||= !gap.empty;
    const doc = concat(printClause(cursor, clause), suffixesBefore(cursor, clause.span.end));
    if (k === 0) {
      head.push(gap.after, line, ownLines(gap.own), "| ");
      clauses.push(doc);
    } else clauses.push(",", gap.after, line, ownLines(gap.own), doc);
  });
  const rest = gapBefore(cursor, e.span.end);
  forced ||= !rest.empty;
  const body = indent(...head, indent(concatAll(clauses)), rest.after, danglingLines(rest.own));
  return concat(before, group(forced ? forcedBreak : "", "[", body, closingSoftline, "]"));
}

function printClause(cursor: CommentCursor, clause: ComprehensionClause): Doc {
  switch (clause.kind) {
    case "generator": {
      const pattern = printPattern(cursor, clause.pattern);
      const source = printDrawn(cursor, clause.source);
      return concat(
        drawsBare(clause.pattern) ? pattern : concat("(", pattern, ")"),
        " in ",
        source,
      );
    }
    case "guard":
      return readsAsGenerator(clause.condition)
        ? parenthesised(cursor, clause.condition)
        : printExpression(cursor, clause.condition);
    case "binding":
      return concat(clause.name.text, " = ", printExpression(cursor, clause.value));
    default:
      return clause satisfies never;
  }
}

/** Whether the parser reads `pattern in …` as a generator. Other patterns need parentheses. */
function drawsBare(pattern: Pattern): boolean {
  switch (pattern.kind) {
    case "name":
    case "wildcard":
    case "tuple":
    case "array":
      return true;
    case "struct":
      return isCapitalised(pattern.path);
    case "variant":
      return (
        isCapitalised(pattern.path) &&
        (pattern.fields.length > 0 || pattern.path.segments.length === 1)
      );
    default:
      return false;
  }
}

function isCapitalised(path: Path): boolean {
  return /^[A-Z]/.test(path.segments.at(-1)?.text ?? "");
}

/**
 * Whether a guard begins like a generator: a possible pattern, then `in`. The guard then needs
 * parentheses.
 */
function readsAsGenerator(condition: Expression): boolean {
  const left = leadingMembership(condition)?.left;
  switch (left?.kind) {
    case "path":
    case "tuple":
    case "array":
    case "comprehension":
    case "struct-literal":
    case "lambda":
    case "if":
    case "block":
    case "match":
      return true;
    case "call":
      return left.callee.kind === "path" && isCapitalised(left.callee);
    default:
      return false;
  }
}

/** Prints a body with `where …` after it, on the same line or indented on the next line. */
export function printWhere(cursor: CommentCursor, body: Doc, where: Where): Doc {
  const gap = gapBefore(cursor, where.span.start);
  const items: Doc[] = [];
  let forced = false;
  where.items.forEach((item, k) => {
    const between = k === 0 ? undefined : gapBefore(cursor, item.span.start);
    if (between) {
      forced ||= !between.empty;
      items.push(",", between.after, line, ownLines(between.own));
    } else items.push(suffixesBefore(cursor, item.span.start));
    const value = item.kind === "guard" ? item.condition : item.value;
    const open =
      k === where.items.length - 1 && where.otherwise !== undefined && endsInOpenIf(value);
    const name = item.kind === "guard" ? "" : `${item.name.text} = `;
    const doc = concat(
      name,
      open ? parenthesised(cursor, value) : printOperand(cursor, value, strengths.pipe),
    );
    items.push(doc, suffixesBefore(cursor, item.span.end));
  });
  const tail: Doc[] = [];
  if (where.otherwise) {
    const last = gapBefore(cursor, where.otherwise.span.start);
    const otherwise = printOperand(cursor, where.otherwise, strengths.pipe);
    tail.push(last.after, line, ownLines(last.own), "else ", otherwise);
    tail.push(suffixesBefore(cursor, where.otherwise.span.end));
  }
  const guards = group(forced ? forcedBreak : "", "where ", indent(concatAll(items)));
  return group(body, gap.after, indent(line, ownLines(gap.own), group(guards, ...tail)));
}
