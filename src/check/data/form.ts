// The form of a value: how an instance takes it and gives it while the program runs. This file has
// only types; `form-of.ts` finds the form of a value.

import type { Layout } from "../../scalar/data.ts";
import type { Functions, Typed } from "../types/typed.ts";
import type { DataType, Element, Type } from "../types/types.ts";

export type Form =
  | { readonly kind: "scalar"; readonly element: Element }
  | { readonly kind: "parts"; readonly type: Type; readonly members: readonly Form[] }
  | BoxedForm
  /**
   * Some elements of a tensor that is the same in all calls of the instance. Two numbers are
   * passed: where the elements begin, and how many they are.
   */
  | { readonly kind: "window"; readonly base: Typed }
  /**
   * An array that is made while the program runs: its cells. If it has several axes, their extents
   * are passed too.
   */
  | { readonly kind: "array"; readonly element: Element; readonly rank: number }
  /** An array of structs or enums of a recursive type: a reference to each. */
  | { readonly kind: "references"; readonly of: BoxedForm; readonly rank: number }
  /** An array of functions: its codes. A code means the same in every call. */
  | { readonly kind: "functions"; readonly of: Functions; readonly codes: readonly Form[] }
  /** A value that is the same in all calls of the instance. */
  | { readonly kind: "fixed"; readonly value: Typed };

/** A struct or enum of a recursive type, by reference. */
export interface BoxedForm {
  readonly kind: "boxed";
  readonly type: DataType;
  readonly layout: Layout;
  /** The form of the value behind the reference; undefined if its declaration is wrong. */
  readonly inside: () => Form | undefined;
  /** The value behind a reference, with its parts. */
  readonly open: (box: Typed, span: Typed["span"]) => Typed;
  readonly ofType: (type: DataType) => BoxedForm;
  /** A value of this form, or a list of such values, whose own type leaves parts open. */
  readonly completed: (value: Typed) => Typed;
}
