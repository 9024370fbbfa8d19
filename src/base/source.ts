// A source text and places in it: what every later stage uses to point at the program.

export interface Source {
  /** What messages call this text: a path, `<command line>`, `<stdin>`, … */
  readonly name: string;
  readonly text: string;
}

/** A half-open stretch of one source, in UTF-16 units. */
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

/** Whether a place is in the standard library, which is not the reader's to mend. */
export function isInLibrary({ source }: Span): boolean {
  return source.name.startsWith("std/");
}

/** A 1-based line and column; columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where what the compiler makes stands. */
export const nowhere: Span = { source: { name: "<compiler>", text: "" }, start: 0, end: 0 };

const lineStartsOf = new WeakMap<Source, readonly number[]>();

/** Offsets at which the lines of a source begin (found once for each source). */
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
