// `[x * x for x in a if x > 0]`: one array, or rows of different lengths where the elements are
// such. How the cells of either are made is said in `comprehensions.ts` and `jagged.ts`.

import type * as ast from "../../syntax/tree/ast.ts";
import { attemptCheck, type Attempt } from "../attempt.ts";
import { rectangular } from "../data/rows/comprehensions.ts";
import type { Place } from "../context.ts";
import { comprehendedRows } from "../data/rows/jagged.ts";
import type { Typed } from "../types/typed.ts";
import { openElement } from "../types/types.ts";

/** A tensor; or ragged rows, where the elements are rows whose length depends on the generators. */
export function comprehensionOf(place: Place, e: ast.Comprehension): Typed {
  const whole = attemptCheck(place, () => rectangular(place, e));
  if (!isVarying(whole)) return whole.keep();
  whole.undo();
  const rows = attemptCheck(place, () => comprehendedRows(place, e, openElement()));
  if (!rows.isWrong) return rows.keep();
  rows.undo();
  return whole.keep();
}

/** Whether nothing else is wrong than that the rows of the result have no common length. */
function isVarying({ isWrong, said }: Attempt): boolean {
  const errors = said.filter(({ level }) => level === "error");
  return isWrong && errors.length > 0 && errors.every(({ code }) => code === "E0408");
}
