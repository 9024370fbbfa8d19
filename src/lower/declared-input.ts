// What an `input` statement declares, as hosts see it.

import type { Span } from "../base/source.ts";
import type { ElementType } from "../scalar/types.ts";

/** What an `input` statement declares; an extent is a number, a dimension name, or unknown. */
export interface DeclaredInput {
  readonly name: string;
  readonly dtype: ElementType;
  /** Where it is declared. */
  readonly span?: Span;
  /** Absent for `[f32; *]`. */
  readonly shape?: readonly (number | string | undefined)[];
}
