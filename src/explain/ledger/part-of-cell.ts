// The contributions of one part to a held cell, and their sum.

import { roundTo } from "../../scalar/round.ts";
import type { FloatType, Scalar as Value } from "../../scalar/types.ts";
import type { CellAccount, Contribution } from "./explanation.ts";

/** A cell with only one part is that part, without rounding again. */
export function shareOfPart(
  { type, contributions, value }: CellAccount,
  part: number,
): { readonly contributions: readonly Contribution[]; readonly value: Value } {
  const own = contributions.filter(({ through }) => through === part);
  if (own.length === contributions.length) return { contributions: own, value };
  return {
    contributions: own,
    value: roundTo(
      type as FloatType,
      own.reduce((sum, each) => sum + Number(each.value), 0),
    ),
  };
}
