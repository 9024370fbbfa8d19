// `[x * x | x in a, x > 0]` is a tensor, or ragged rows if its elements are rows of different
// lengths. `comprehensions.ts` and `jagged.ts` make the cells.

import type * as ast from "../../syntax/tree/ast.ts";
import { attemptCheck, type Attempt } from "../attempt.ts";
import { rectangular } from "../data/rows/comprehensions.ts";
import type { Place } from "../context.ts";
import { comprehendedRows } from "../data/rows/jagged.ts";
import type { Typed } from "../types/typed.ts";
import { openElement } from "../types/types.ts";

/**
 * Tries a tensor first, and then ragged rows if the length of the elements depends on the
 * generators.
 */
export function comprehensionOf(place: Place, e: ast.Comprehension): Typed {
  const whole = attemptCheck(place, () => rectangular(place, e));
  if (!hasVaryingRows(whole)) return whole.keep();
  whole.undo();
  const rows = attemptCheck(place, () => comprehendedRows(place, e, openElement()));
  if (!rows.isWrong) return rows.keep();
  rows.undo();
  return whole.keep();
}

/** Whether the only mistake is that the rows of the result have different lengths. */
function hasVaryingRows({ isWrong, said }: Attempt): boolean {
  const errors = said.filter(({ level }) => level === "error");
  return isWrong && errors.length > 0 && errors.every(({ code }) => code === "E0408");
}
