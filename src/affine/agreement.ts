// Extents that a program needs to be equal.

import type { Span } from "../base/source.ts";
import type { Term } from "./term.ts";

/** Two extents that meet: equal for some sizes, so held to it when the sizes are known. */
export interface Agreement {
  readonly left: Term;
  readonly right: Term;
  /** What they are the extents of. */
  readonly text: string;
  readonly span: Span;
}
