// Coordinates in messages: a coordinate that the program names is called by its name; one that the
// compiler made is called by its position.

import type { Span } from "../base/source.ts";

/** Whether a name occurs in the stretch of text that contains some places of one source. */
export function isWritten(name: string, spans: readonly Span[]): boolean {
  const [first] = spans;
  if (!first) return false;
  const own = spans.filter(({ source }) => source === first.source);
  const text = first.source.text.slice(
    Math.min(...own.map(({ start }) => start)),
    Math.max(...own.map(({ end }) => end)),
  );
  return new RegExp(`(?<![\\w.])${name}(?!\\w)`).test(text);
}
