// The cells in a column of patterns of a `match`, and the cases of their type. The cases are found
// in `exhaustive.ts` and `scalar-cases.ts`.

import type * as ast from "../../../syntax/tree/ast.ts";

export const wild = Symbol("any value");

/** A cell of a column: a pattern, or any value. */
export type Cell = ast.Pattern | typeof wild;

/** One way to make a value of a type, for example one variant of an enum. */
export interface Case {
  readonly arity: number;
  /** The patterns for the parts; undefined if the pattern is for another case. */
  readonly partsOf: (cell: Cell) => readonly Cell[] | undefined;
  readonly show: (parts: readonly string[]) => string;
}
