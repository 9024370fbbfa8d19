// The binding strength of each form of expression, in one table for the parser, the formatter and
// other printers of source.

import type { BinaryOperator } from "./ast.ts";

/**
 * From loosest to tightest. An operand needs parentheses if its strength is lower than its place
 * asks for: in `(a + b) * c` the sum (8) stands where a product (9) is asked for.
 */
export const strengths = {
  guarded: 0,
  lambda: 1,
  pipe: 2,
  or: 3,
  and: 4,
  equality: 5,
  comparison: 6,
  range: 7,
  sum: 8,
  product: 9,
  cast: 10,
  prefix: 11,
  power: 12,
  postfix: 13,
  atom: 14,
} as const;

/** The operators between two operands, and `as`, which stands before a type. */
export type InfixOperator = BinaryOperator | ".." | "..=" | "as";

export const infixStrengths = {
  "|>": strengths.pipe,
  "||": strengths.or,
  "&&": strengths.and,
  "==": strengths.equality,
  "!=": strengths.equality,
  "<": strengths.comparison,
  "<=": strengths.comparison,
  ">": strengths.comparison,
  ">=": strengths.comparison,
  in: strengths.comparison,
  "..": strengths.range,
  "..=": strengths.range,
  "+": strengths.sum,
  "-": strengths.sum,
  "*": strengths.product,
  "/": strengths.product,
  "%": strengths.product,
  as: strengths.cast,
  "**": strengths.power,
} as const satisfies Record<InfixOperator, number>;
