// What every part of the compiler may need and what knows none of them: source places, failures,
// text in terminals, fresh names, components of graphs. The words of the language are not here.
//
// A source text and places in it. Messages point at the program with these.

export interface Source {
  /** The name of the text in messages: a path, `<command line>`, `<stdin>`, … */
  readonly name: string;
  readonly text: string;
}

/** A half-open range of one source, in UTF-16 units. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

export function span(source: Source, start: number, end: number): Span {
  return { source, start, end };
}

/** The smallest span that covers both. */
export function cover(a: Span, b: Span): Span {
  return { source: a.source, start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };
}

export function textOf(place: Span): string {
  return place.source.text.slice(place.start, place.end);
}

/** Whether a place is in the standard library, which a reader cannot change. */
export function isInLibrary({ source }: Span): boolean {
  return source.name.startsWith("std/");
}

/** A line and a column, both counted from 1. Columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The place of everything that the compiler itself makes. */
export const nowhere: Span = { source: { name: "<compiler>", text: "" }, start: 0, end: 0 };

const lineStartsOf = new WeakMap<Source, readonly number[]>();

/** The offsets at which the lines of a source begin. They are found once for each source. */
export function lineStarts(source: Source): readonly number[] {
  const known = lineStartsOf.get(source);
  if (known) return known;
  const starts = [0];
  for (let at = source.text.indexOf("\n"); at >= 0; at = source.text.indexOf("\n", at + 1))
    starts.push(at + 1);
  lineStartsOf.set(source, starts);
  return starts;
}

export function positionOf(source: Source, offset: number): Position {
  const starts = lineStarts(source);
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - starts[low]! + 1 };
}
