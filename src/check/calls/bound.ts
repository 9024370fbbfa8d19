// The meaning of the names of a signature in one call. `signatures.ts` fills this record while the
// arguments are matched.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Axis, Element, Type } from "../types/types.ts";

/** The meaning of the names of a signature in one call. */
export interface Bound {
  /** Dimension names and coordinate parameters, with their axes. */
  readonly axes: Map<string, Axis>;
  readonly packs: Map<string, readonly Axis[]>;
  /** The element types of `float`, `int` and `num`; each word has one. */
  readonly words: Map<string, Element>;
  /** The names that the caller gives to each coordinate parameter. Only a pack has several. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  /** The coordinate parameters. In types they hide numbers with the same name in the scope. */
  readonly coordinates?: ReadonlySet<string>;
  /** The help for a bracket that names only some of the coordinate parameters. */
  readonly fully?: string;
  /** The call, for messages. */
  readonly call?: ast.Call;
  /** The declared type of the result. */
  readonly result?: ast.Type;
  /** The type parameters of an enum or struct. */
  readonly generics?: Map<string, Type>;
}

export function emptyBound(): Bound {
  return { axes: new Map(), packs: new Map(), words: new Map(), named: new Map() };
}
