// Prints patterns.

import type { Name, Pattern } from "../tree/ast.ts";
import type { CommentCursor, Item } from "./comments.ts";
import {
  braces,
  gapBefore,
  list,
  originalText,
  ownLines,
  parentheses,
  squareBrackets,
  suffixesBefore,
} from "./comments.ts";
import { printExpression } from "./operands.ts";
import { printPath } from "./types.ts";
import type { Doc } from "./layout.ts";
import { concat, concatAll, forcedBreak, group, indent, line } from "./layout.ts";

export function printPattern(cursor: CommentCursor, pattern: Pattern): Doc {
  switch (pattern.kind) {
    case "wildcard":
      return "_";
    case "literal":
      return printExpression(cursor, pattern.value);
    case "name":
      return pattern.name.text;
    case "at":
      return concat(pattern.name.text, " @ ", single(cursor, pattern.pattern));
    case "tuple":
      return list(
        cursor,
        parentheses,
        pattern.members.map(itemOf(cursor)),
        pattern.span.start,
        pattern.span.end,
      );
    case "array": {
      const { before, rest, after, span } = pattern;
      const items = before.map(itemOf(cursor));
      if (rest)
        items.push({
          start: rest.span.start,
          end: rest.span.end,
          print: () => `..${rest.name?.text ?? ""}`,
        });
      for (const pattern of after) items.push(itemOf(cursor)(pattern));
      return list(cursor, squareBrackets, items, span.start, span.end);
    }
    case "range": {
      const from = printExpression(cursor, pattern.from);
      return concat(from, pattern.inclusive ? "..=" : "..", printExpression(cursor, pattern.to));
    }
    case "or":
      return alternatives(cursor, pattern.alternatives);
    case "variant": {
      const name = printPath(pattern.path.segments);
      // `Dot` without `::` or parentheses would be a name that matches anything.
      if (pattern.fields.length === 0) return pattern.path.segments.length > 1 ? name : `${name}()`;
      const items = pattern.fields.map(({ name: field, pattern: inner }): Item => ({
        start: field?.span.start ?? inner.span.start,
        end: inner.span.end,
        print: () => concat(field ? `${field.text} = ` : "", printPattern(cursor, inner)),
      }));
      return concat(
        name,
        list(cursor, parentheses, items, pattern.path.span.end, pattern.span.end),
      );
    }
    case "struct": {
      const { path, fields, rest, span } = pattern;
      const items = fields.map((field): Item => ({
        start: field.name.span.start,
        end: Math.max(field.name.span.end, field.pattern.span.end),
        print: () => structField(cursor, field.name, field.pattern),
      }));
      // The tree keeps no span for `..`. It is printed last, before the brace.
      if (rest) items.push({ start: span.end - 1, end: span.end - 1, print: () => ".." });
      const brackets = rest ? { ...braces, comma: "" as const } : braces;
      return concat(
        printPath(path.segments),
        " ",
        list(cursor, brackets, items, path.span.end, span.end),
      );
    }
    case "missing":
      return originalText(cursor, pattern.span);
    default:
      return pattern satisfies never;
  }
}

function structField(cursor: CommentCursor, name: Name, pattern: Pattern): Doc {
  if (pattern.kind === "name" && pattern.name.text === name.text) return name.text;
  return concat(name.text, ": ", printPattern(cursor, pattern));
}

function itemOf(cursor: CommentCursor): (pattern: Pattern) => Item {
  return (pattern) => ({
    start: pattern.span.start,
    end: pattern.span.end,
    print: () => printPattern(cursor, pattern),
  });
}

/** Prints a pattern in a place where alternatives need parentheses: `n @ (1 | 2)`. */
function single(cursor: CommentCursor, pattern: Pattern): Doc {
  const doc = printPattern(cursor, pattern);
  return pattern.kind === "or" ? concat("(", doc, ")") : doc;
}

function alternatives(cursor: CommentCursor, patterns: readonly Pattern[]): Doc {
  const parts: Doc[] = [];
  let first: Doc = "";
  let forced = false;
  patterns.forEach((pattern, k) => {
    const gap = k === 0 ? undefined : gapBefore(cursor, pattern.span.start);
    if (gap) {
      forced ||= !gap.empty;
      parts.push(gap.after, line, ownLines(gap.own), "| ");
    }
    const doc = concat(single(cursor, pattern), suffixesBefore(cursor, pattern.span.end));
    if (gap) parts.push(doc);
    else first = doc;
  });
  return group(forced ? forcedBreak : "", first, indent(concatAll(parts)));
}
