// What the form of a value is: how a function takes and gives it while the program runs. Types
// only; the form that a value has is found in `form-of.ts`.

import type { Layout } from "../../scalar/data.ts";
import type { Functions, Typed } from "../types/typed.ts";
import type { DataType, Element, Type } from "../types/types.ts";

export type Form =
  | { readonly kind: "scalar"; readonly element: Element }
  | { readonly kind: "parts"; readonly type: Type; readonly members: readonly Form[] }
  | BoxedForm
  /**
   * Some elements of a tensor that is the same wherever the instance is called: where they begin,
   * and how many they are.
   */
  | { readonly kind: "window"; readonly base: Typed }
  /**
   * An array that is made while the program runs: its cells and, where it has several axes, their
   * extents.
   */
  | { readonly kind: "array"; readonly element: Element; readonly rank: number }
  /** An array of structs or enums whose type comes back to itself: each of them by reference. */
  | { readonly kind: "references"; readonly of: BoxedForm; readonly rank: number }
  /** An array of functions: its codes, which mean the same in every call. */
  | { readonly kind: "functions"; readonly of: Functions; readonly codes: readonly Form[] }
  /** The same wherever the instance is called. */
  | { readonly kind: "fixed"; readonly value: Typed };

/** A struct or enum by reference: where its type would have no end. */
export interface BoxedForm {
  readonly kind: "boxed";
  readonly type: DataType;
  readonly layout: Layout;
  /** What lies behind the reference; nothing where its declaration is wrong. */
  readonly inside: () => Form | undefined;
  /** The value behind a reference, of which the parts are at hand. */
  readonly open: (box: Typed, span: Typed["span"]) => Typed;
  readonly ofType: (type: DataType) => BoxedForm;
  /** A value of this form, or an array of some, whose own type says less. */
  readonly completed: (value: Typed) => Typed;
}
