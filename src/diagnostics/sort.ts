// Sorts diagnostics by place and drops duplicates.

import type { Diagnostic } from "./diagnostic.ts";

/**
 * Sorts by the name of the source and the place in it; errors and warnings are mixed. Diagnostics
 * without a place come first. At one place errors come before warnings, then the code decides.
 */
export function ordered(diagnostics: Iterable<Diagnostic>): Diagnostic[] {
  const unique = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) {
    const key = textOfAllParts(diagnostic);
    if (!unique.has(key)) unique.set(key, diagnostic);
  }
  return [...unique.values()].sort(byPlace);
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (!a.span || !b.span)
    return Number(a.span !== undefined) - Number(b.span !== undefined) || byWeight(a, b);
  return (
    compareText(a.span.source.name, b.span.source.name) ||
    a.span.start - b.span.start ||
    a.span.end - b.span.end ||
    byWeight(a, b)
  );
}

function byWeight(a: Diagnostic, b: Diagnostic): number {
  return compareText(a.level, b.level) || compareText(a.code, b.code);
}

/** Compares by code units, so that the order does not depend on the locale of the machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Equal for diagnostics that look alike when shown. */
function textOfAllParts({ level, code, title, span, text, labels, help }: Diagnostic): string {
  const places = [{ span, text }, ...labels].map((label) => [
    label.span?.source.name,
    label.span?.start,
    label.span?.end,
    label.text,
  ]);
  return JSON.stringify([level, code, title, help, places]);
}
