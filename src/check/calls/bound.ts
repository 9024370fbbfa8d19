// The record of what the names of a signature stand for, filled while the arguments of one call are
// matched in `signatures.ts`. It matches nothing itself.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Axis, Element, Type } from "../types/types.ts";

/** What the names of a signature stand for in one call. */
export interface Bound {
  /** Dimension names and coordinate parameters, with the axis each took. */
  readonly axes: Map<string, Axis>;
  readonly packs: Map<string, readonly Axis[]>;
  /** `float`, `int`, `num`: one type for each word. */
  readonly words: Map<string, Element>;
  /** The name that the caller gave each coordinate parameter; a pack parameter takes several. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  /** The coordinate parameters: their names hide numbers of the scope around the function. */
  readonly coordinates?: ReadonlySet<string>;
  /** The call with a name for each coordinate parameter, where some have none. */
  readonly fully?: string;
  /** The call, for what is wrong with it. */
  readonly call?: ast.Call;
  /** The declared type of the result. */
  readonly result?: ast.Type;
  /** The type parameters of an enum or struct. */
  readonly generics?: Map<string, Type>;
}
