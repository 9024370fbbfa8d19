// An agreement: two extents that must be equal for the program to make sense.

import type { Span } from "../base/source.ts";
import type { Term } from "./term.ts";

/**
 * Two extents that meet in a program, as the lengths of `x` and `y` in `x[i] * y[i]`. If they are
 * equal for some sizes only, a run checks them.
 */
export interface Agreement {
  readonly left: Term;
  readonly right: Term;
  /** What the two are extents of, for messages. */
  readonly text: string;
  readonly span: Span;
}
