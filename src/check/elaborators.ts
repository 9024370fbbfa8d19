// The functions of the checker that are found through a table, so that a form of the syntax imports
// no other form: types only. The table is made in `elaborator-table.ts` and handed to the checker.

import type * as ast from "../syntax/tree/ast.ts";
import type { Bound } from "./calls/bound.ts";
import type { Place } from "./context.ts";
import type { Action, Typed } from "./types/typed.ts";

/** A form of expressions, by the kind of its nodes. */
export type ExpressionKind = ast.Expression["kind"];

export type ExpressionOf<K extends ExpressionKind> = Extract<ast.Expression, { readonly kind: K }>;

/** Functions that files to the left of theirs call. */
export interface Elaborators {
  /** One for each form: `expression` in `elaborate.ts` calls them. */
  readonly expressions: {
    readonly [K in ExpressionKind]: (place: Place, e: ExpressionOf<K>) => Typed;
  };
  /** The statements of a block or file, in order. A path may name a module not checked before. */
  readonly statements: (place: Place, list: readonly ast.Statement[]) => readonly Action[];
  /**
   * Whether a value fits a declared type: an enum or struct, a tuple, a function. Nothing where the
   * type is one of scalars and tensors. A function is called to find out whether it fits, and the
   * call matches values with declared types again.
   */
  readonly matchData: (
    place: Place,
    bound: Bound,
    type: ast.Type,
    value: Typed,
    what: string,
  ) => boolean | undefined;
}
