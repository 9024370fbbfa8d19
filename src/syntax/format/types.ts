// Prints types.

import type { Dim, Name, Type } from "../tree/ast.ts";
import type { Brackets, CommentCursor, Item } from "./comments.ts";
import {
  behindClosing,
  list,
  originalText,
  parentheses,
  squareBrackets,
  suffixesBefore,
} from "./comments.ts";
import type { Doc } from "./layout.ts";
import { concat, line } from "./layout.ts";
import { textOf } from "../../base/source.ts";

const angleBrackets: Brackets = { ...parentheses, open: "<", close: ">" };

export function printPath(segments: readonly Name[]): string {
  return segments.map((segment) => segment.text).join("::");
}

/** `<T, U>`, or nothing if the list is empty. */
export function printGenerics(generics: readonly Name[]): string {
  return generics.length === 0 ? "" : `<${generics.map((generic) => generic.text).join(", ")}>`;
}

export function printType(cursor: CommentCursor, type: Type): Doc {
  switch (type.kind) {
    case "named": {
      const name = printPath(type.path);
      if (type.arguments.length === 0) return name;
      const from = type.path.at(-1)?.span.end ?? type.span.start;
      return concat(
        name,
        list(cursor, angleBrackets, type.arguments.map(itemOf(cursor)), from, type.span.end),
      );
    }
    case "tensor": {
      const { element, dims, span } = type;
      if (!dims)
        return list(
          cursor,
          { ...squareBrackets, comma: "" },
          [itemOf(cursor)(element)],
          span.start,
          span.end,
        );
      // The element type and `;` stay on the line of the bracket. Only the list of dims breaks.
      const before = suffixesBefore(cursor, span.start);
      const head = concat("[", printType(cursor, element), ";");
      const items = dims.map((dim): Item => ({
        start: dim.span.start,
        end: dim.span.end,
        print: () => printDim(dim),
      }));
      return concat(before, head, list(cursor, dimBrackets, items, element.span.end, span.end));
    }
    case "tuple":
      return list(
        cursor,
        parentheses,
        type.members.map(itemOf(cursor)),
        type.span.start,
        type.span.end,
      );
    case "function": {
      const { parameters, result, span } = type;
      const close = behindClosing(span.source.text, parameters.at(-1)?.span.end ?? span.start, ")");
      const taken = list(cursor, parentheses, parameters.map(itemOf(cursor)), span.start, close);
      return concat(taken, " -> ", printType(cursor, result));
    }
    case "jagged": {
      const brackets: Brackets = { ...squareBrackets, open: "jagged[", comma: "" };
      return list(cursor, brackets, [itemOf(cursor)(type.element)], type.span.start, type.span.end);
    }
    case "missing":
      return originalText(cursor, type.span);
    default:
      return type satisfies never;
  }
}

/** The brackets of the dims. The tensor type has already opened them before its element type. */
const dimBrackets: Brackets = { ...squareBrackets, open: "", first: line };

function itemOf(cursor: CommentCursor): (type: Type) => Item {
  return (type) => ({
    start: type.span.start,
    end: type.span.end,
    print: () => printType(cursor, type),
  });
}

function printDim(dim: Dim): string {
  switch (dim.kind) {
    case "number":
      return String(dim.value);
    case "name":
      return dim.name.text;
    case "pack":
      return `..${dim.name.text}`;
    case "unknown":
      return "?";
    case "any-rank":
      return "*";
    case "missing":
      return textOf(dim.span);
    default:
      return dim satisfies never;
  }
}
