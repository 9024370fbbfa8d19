// Places the comments when a tree is printed. The printers visit the tree in the order of the
// source, and a cursor hands out the comments before a given offset. So no comment is lost, and
// their order is kept.
//
// A comment on a line of its own is printed on its own line before the next anchor: a statement, an
// element of a list, an operand of a chain, or the value after `=`. Any other comment is a suffix:
// it waits for the end of its line. Every place where the printers may break a line is an anchor,
// so a second run finds each comment where it would put it.

import type { Comment, Expression, Statement } from "../tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import type { Doc } from "./layout.ts";
import {
  blankLine,
  closingHardline,
  closingLine,
  closingSoftline,
  concat,
  concatAll,
  forcedBreak,
  group,
  hardline,
  ifBroken,
  indent,
  line,
  softline,
  suffix,
} from "./layout.ts";

/**
 * The printers of forms that contain one another. The files of the formatter call these through the
 * cursor, so that no two files import each other.
 */
export interface Forms {
  /** Prints any expression without parentheses around it. */
  readonly expression: (cursor: CommentCursor, e: Expression) => Doc;
  readonly statement: (cursor: CommentCursor, statement: Statement) => Doc;
}

export interface CommentCursor {
  readonly comments: readonly Comment[];
  readonly forms: Forms;
  next: number;
}

export function cursorOver(comments: readonly Comment[], forms: Forms): CommentCursor {
  return { comments, forms, next: 0 };
}

function textOfComment(comment: Comment): string {
  return (comment.doc ? "///" : "//") + comment.text.trimEnd();
}

function takeBefore(cursor: CommentCursor, place: number): Comment[] {
  const first = cursor.next;
  while (cursor.next < cursor.comments.length && cursor.comments[cursor.next]!.span.start < place)
    cursor.next++;
  return cursor.comments.slice(first, cursor.next);
}

/** The original text of a part that could not be read, with the comments in it. */
export function originalText(cursor: CommentCursor, place: Span): Doc {
  const before = suffixesBefore(cursor, place.start);
  takeBefore(cursor, place.end);
  return concat(before, textOf(place));
}

/** Whether a comment that has not been printed yet stands between two offsets. */
export function commentWithin(cursor: CommentCursor, start: number, end: number): boolean {
  let low = cursor.next;
  let high = cursor.comments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cursor.comments[middle]!.span.start < start) low = middle + 1;
    else high = middle;
  }
  return low < cursor.comments.length && cursor.comments[low]!.span.start < end;
}

function standsAlone(comment: Comment): boolean {
  const { source, start } = comment.span;
  let at = start - 1;
  while (at >= 0 && (source.text[at] === " " || source.text[at] === "\t")) at--;
  return at < 0 || source.text[at] === "\n" || source.text[at] === "\r";
}

/**
 * All comments before an offset, as suffixes. Used where a comment cannot have a line of its own.
 */
export function suffixesBefore(cursor: CommentCursor, place: number): Doc {
  return concatAll(takeBefore(cursor, place).map((comment) => suffix(textOfComment(comment))));
}

/**
 * The comments before an anchor: `after` ends the line before the anchor, and `own` get lines of
 * their own.
 */
interface Gap {
  readonly after: Doc;
  readonly own: readonly Comment[];
  readonly empty: boolean;
}

export function gapBefore(cursor: CommentCursor, place: number): Gap {
  const comments = takeBefore(cursor, place);
  const first = comments.findIndex(standsAlone);
  const split = first < 0 ? comments.length : first;
  return {
    after: concatAll(comments.slice(0, split).map((comment) => suffix(textOfComment(comment)))),
    own: comments.slice(split),
    empty: comments.length === 0,
  };
}

/** Comments on their own lines, before a part that begins a line. */
export function ownLines(own: readonly Comment[]): Doc {
  return concatAll(own.flatMap((comment) => [textOfComment(comment), hardline]));
}

/** Comments on their own lines, between the last element and the closing bracket. */
export function danglingLines(own: readonly Comment[]): Doc {
  return concatAll(own.flatMap((comment) => [hardline, textOfComment(comment)]));
}

/** An element of a list or sequence. `print` is called in the order of the source. */
export interface Item {
  readonly start: number;
  readonly end: number;
  readonly print: () => Doc;
}

export interface Brackets {
  readonly open: string;
  readonly close: string;
  /**
   * The line breaks after the opening and before the closing bracket: `softline` for `(a)`, `line`
   * for `{ a }`.
   */
  readonly first: Doc;
  readonly last: Doc;
  /** The text after the last element of a broken list. */
  readonly comma: "," | "";
}

/**
 * Prints a list in brackets, on one line or with one element on each line. The opening bracket
 * stands at or after `from`, the closing bracket before `to`.
 */
export function list(
  cursor: CommentCursor,
  brackets: Brackets,
  items: readonly Item[],
  from: number,
  to: number,
): Doc {
  const before = suffixesBefore(cursor, from);
  const parts: Doc[] = [];
  let forced = false;
  items.forEach((item, k) => {
    const gap = gapBefore(cursor, item.start);
    forced ||= !gap.empty;
    parts.push(k === 0 ? "" : ",", gap.after, k === 0 ? brackets.first : line, ownLines(gap.own));
    parts.push(item.print(), suffixesBefore(cursor, item.end));
  });
  const rest = gapBefore(cursor, to);
  forced ||= !rest.empty;
  if (items.length > 0) parts.push(ifBroken(brackets.comma));
  parts.push(rest.after, danglingLines(rest.own));
  const close = items.length > 0 ? brackets.last : rest.empty ? "" : closingHardline;
  return concat(
    before,
    group(
      forced ? forcedBreak : "",
      brackets.open,
      indent(concatAll(parts)),
      close,
      brackets.close,
    ),
  );
}

export const parentheses: Brackets = {
  open: "(",
  close: ")",
  first: softline,
  last: closingSoftline,
  comma: ",",
};
export const squareBrackets: Brackets = { ...parentheses, open: "[", close: "]" };
export const braces: Brackets = {
  open: "{",
  close: "}",
  first: line,
  last: closingLine,
  comma: ",",
};

/** The lines of statements or arms, with their comments and single blank lines between them. */
interface Sequence {
  /** The comments on the line of the opening brace. */
  readonly opening: Doc;
  readonly lines: readonly Doc[];
  readonly commented: boolean;
}

export function sequence(
  cursor: CommentCursor,
  items: readonly Item[],
  text: string,
  to: number,
): Sequence {
  const lines: Doc[] = [];
  let opening: Doc = "";
  let commented = false;
  const begin = (start: number): void => {
    if (lines.length === 0) return;
    lines.push(hardline);
    if (blankLineBefore(text, start)) lines.push(blankLine);
  };
  const place = (gap: Gap): void => {
    commented ||= !gap.empty;
    if (lines.length === 0) opening = gap.after;
    else lines.push(gap.after);
    for (const comment of gap.own) {
      begin(comment.span.start);
      lines.push(textOfComment(comment));
    }
  };
  for (const item of items) {
    place(gapBefore(cursor, item.start));
    begin(item.start);
    lines.push(item.print(), suffixesBefore(cursor, item.end));
  }
  place(gapBefore(cursor, to));
  return { opening, lines, commented };
}

function blankLineBefore(text: string, start: number): boolean {
  let lineBreaks = 0;
  for (let at = start - 1; at >= 0 && /\s/.test(text[at]!); at--)
    if (text[at] === "\n") lineBreaks++;
  return lineBreaks > 1;
}

/**
 * The offset after the next closing bracket. Only commas, parentheses and comments may stand
 * between `place` and the bracket.
 */
export function behindClosing(text: string, place: number, bracket: ")" | "]"): number {
  for (let at = place; at < text.length; at++) {
    if (text.startsWith("//", at)) {
      const end = text.indexOf("\n", at);
      if (end < 0) return text.length;
      at = end;
    } else if (text[at] === bracket) return at + 1;
  }
  return place;
}
