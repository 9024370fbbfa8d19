// Computes which parts of the program a message shows: for each source, the annotated spans and the
// lines to print.

import { lineStarts, positionOf, type Position, type Source, type Span } from "../base/source.ts";
import type { Diagnostic } from "./diagnostic.ts";

/**
 * A span of the message as lines, counted from 1, and offsets in those lines. On one line `end` may
 * equal `start`.
 */
export interface Annotation {
  readonly primary: boolean;
  readonly text: string;
  readonly startLine: number;
  readonly start: number;
  readonly endLine: number;
  readonly end: number;
}

/** The part of a message that concerns one source. */
export interface Section {
  readonly source: Source;
  /** Where the first span begins, for the line that names the file. */
  readonly at: Position;
  readonly annotations: readonly Annotation[];
  /** The lines to show, ascending. A step of more than one is a gap. */
  readonly lines: readonly number[];
}

/** The section of the primary span comes first, the others in the order of their labels. */
export function sectionsOf(diagnostic: Diagnostic): readonly Section[] {
  const marks = [
    ...(diagnostic.span
      ? [{ span: diagnostic.span, text: diagnostic.text ?? "", primary: true }]
      : []),
    ...diagnostic.labels.map((label) => ({ ...label, primary: false })),
  ];
  const groups: { source: Source; marks: typeof marks }[] = [];
  for (const mark of marks) {
    const group = groups.find(({ source }) => haveEqualText(source, mark.span.source));
    if (group) group.marks.push(mark);
    else groups.push({ source: mark.span.source, marks: [mark] });
  }
  return groups.map(({ source, marks }) => {
    const annotations = marks.map(({ span, text, primary }) => annotate(span, text, primary));
    return {
      source,
      at: startPositionOf(marks[0]!.span),
      annotations,
      lines: linesToShow(annotations),
    };
  });
}

/** Where a span begins. An offset behind the end of the source counts as the end. */
export function startPositionOf(span: Span): Position {
  return positionOf(span.source, clamp(span.start, span.source));
}

export function endPositionOf(span: Span): Position {
  return positionOf(
    span.source,
    Math.max(clamp(span.start, span.source), clamp(span.end, span.source)),
  );
}

/** The text of a line, counted from 1, without its line break. */
export function lineText(source: Source, line: number): string {
  const starts = lineStarts(source);
  const text = source.text.slice(
    starts[line - 1],
    line < starts.length ? starts[line]! - 1 : undefined,
  );
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** One file may have been read twice. The texts then decide. */
function haveEqualText(a: Source, b: Source): boolean {
  return a === b || (a.name === b.name && a.text === b.text);
}

function clamp(offset: number, source: Source): number {
  return Math.min(Math.max(offset, 0), source.text.length);
}

function annotate(span: Span, text: string, primary: boolean): Annotation {
  const { source } = span;
  const from = startPositionOf(span);
  let to = endPositionOf(span);
  // A span that includes a line break ends there, and not at the beginning of the next line.
  if (to.line > from.line && to.column === 1)
    to = positionOf(source, lineStarts(source)[to.line - 1]! - 1);
  return {
    primary,
    text,
    startLine: from.line,
    start: Math.min(from.column - 1, lineText(source, from.line).length),
    endLine: to.line,
    end: Math.min(to.column - 1, lineText(source, to.line).length),
  };
}

/** The lines on which annotations begin or end. A single line between two of them is shown too. */
function linesToShow(annotations: readonly Annotation[]): readonly number[] {
  const marked = [
    ...new Set(annotations.flatMap(({ startLine, endLine }) => [startLine, endLine])),
  ];
  marked.sort((a, b) => a - b);
  return marked.flatMap((line, index) =>
    marked[index - 1] === line - 2 ? [line - 1, line] : [line],
  );
}
