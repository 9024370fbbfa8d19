// The types of the table of elaborators. A form of the syntax finds the elaborators of other forms
// in this table, so that the files of the forms do not import one another. `elaborator-table.ts`
// makes the table.

import type * as ast from "../syntax/tree/ast.ts";
import type { Bound } from "./calls/bound.ts";
import type { Place } from "./context.ts";
import type { Action, Typed } from "./types/typed.ts";

/** The kind of an expression node, such as "binary" or "call". */
export type ExpressionKind = ast.Expression["kind"];

export type ExpressionOf<K extends ExpressionKind> = Extract<ast.Expression, { readonly kind: K }>;

/** The elaborators that files further left in the order of imports need to call. */
export interface Elaborators {
  /** One elaborator for each form. `expression` in `elaborate.ts` calls them. */
  readonly expressions: {
    readonly [K in ExpressionKind]: (place: Place, e: ExpressionOf<K>) => Typed;
  };
  /**
   * Elaborates the statements of a block or file, in order. A path in them may name a module that
   * has not been checked yet.
   */
  readonly statements: (place: Place, list: readonly ast.Statement[]) => readonly Action[];
  /**
   * Whether a value fits a declared type: an enum, a struct, a tuple or a function type.
   * `undefined` for the type of a scalar or tensor. Checking a function means calling it, and the
   * call again compares values with declared types.
   */
  readonly matchData: (
    place: Place,
    bound: Bound,
    type: ast.Type,
    value: Typed,
    what: string,
  ) => boolean | undefined;
}
