// The declaration of an `input` statement, in the form that hosts see.

import type { Span } from "../base/source.ts";
import type { ElementType } from "../scalar/types.ts";

/**
 * The declaration of an input. An extent is a number, a dimension name, or undefined if unknown.
 */
export interface DeclaredInput {
  readonly name: string;
  readonly dtype: ElementType;
  /** The place of the declaration. */
  readonly span?: Span;
  /** Absent for `[f32; *]`. */
  readonly shape?: readonly (number | string | undefined)[];
}
