// What stands in one column of a `match`, and one case of the values there. The cases of a type are
// found in `exhaustive.ts` and `scalar-cases.ts`.

import type * as ast from "../../../syntax/tree/ast.ts";

export const wild = Symbol("any value");

/** What stands in one column of one row: a pattern, or anything. */
export type Cell = ast.Pattern | typeof wild;

/** One way to make a value of a type. */
export interface Case {
  readonly arity: number;
  /** The patterns for the parts; nothing where the pattern is for another case. */
  readonly partsOf: (cell: Cell) => readonly Cell[] | undefined;
  readonly show: (parts: readonly string[]) => string;
}
