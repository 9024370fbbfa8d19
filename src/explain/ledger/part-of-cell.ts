// The share of one part in a held cell: its contributions, and what they add up to.

import { roundTo } from "../../scalar/round.ts";
import type { FloatType, Scalar as Value } from "../../scalar/types.ts";
import type { CellAccount, Contribution } from "./explanation.ts";

/** A cell that has one part only is that part. */
export function partOf(
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
