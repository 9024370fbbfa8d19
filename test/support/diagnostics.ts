// Finds spans by their text, for the tests of diagnostics.

import { span, type Source, type Span } from "../../src/base/source.ts";

/** The span of the nth (from 1) occurrence of a text in a source. */
export function spanOf(source: Source, text: string, nth = 1): Span {
  let at = -1;
  for (let count = 0; count < nth; count++) {
    at = source.text.indexOf(text, at + 1);
    if (at < 0) throw new Error(`"${text}" does not occur ${nth} times in ${source.name}`);
  }
  return span(source, at, at + text.length);
}
