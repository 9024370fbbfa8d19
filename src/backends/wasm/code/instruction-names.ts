// The names of the instructions for operations. They are the same for single values and for
// vectors; only the prefix differs: `f32.add` and `f32x4.add`.

import type { OperationName } from "../../../scalar/operations.ts";

export const floatInstructions: Partial<Record<OperationName, string>> = {
  add: "add",
  subtract: "sub",
  multiply: "mul",
  divide: "div",
  max: "max",
  min: "min",
  negate: "neg",
  abs: "abs",
  floor: "floor",
  ceil: "ceil",
  round: "nearest",
  sqrt: "sqrt",
};

export const comparisonInstructions: Partial<
  Record<OperationName, { readonly float: string; readonly integer: string }>
> = {
  equal: { float: "eq", integer: "eq" },
  notEqual: { float: "ne", integer: "ne" },
  less: { float: "lt", integer: "lt_s" },
  lessEqual: { float: "le", integer: "le_s" },
  greater: { float: "gt", integer: "gt_s" },
  greaterEqual: { float: "ge", integer: "ge_s" },
};
