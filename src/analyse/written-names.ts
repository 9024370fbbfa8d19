// Coordinates as a reader knows them: by the name that is written, or by the position along what
// the compiler walks without one.

import type { Span } from "../base/source.ts";

/** Whether a name stands in the text that some places of one source lie in. */
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
