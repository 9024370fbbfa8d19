// Sums of the same terms are one sum: operands that stand beside one another get the same.
//
//   f[t, s] = logsumexp[r](f[t - 1, r] + p[t - 1, r] + q[r, s])
//
// sends the same sum over s to f and to p: the second one reads the cells of the first.

import { equal, subtract, zero } from "../../affine/term.ts";
import { holds, nonNegative } from "../../affine/prove.ts";
import type { Definition } from "../../ir/program.ts";
import { isOff } from "../../ir/rewrites.ts";
import { integerScalar } from "../../ir/substitute.ts";
import type { Sweep } from "../sweep/sweep.ts";
import { keyOfPiece, type Piece } from "../transpose/transpose.ts";

/** The definition with the sum of a piece: one that is there already, or a new one. */
export function sumOnce(sweep: Sweep, piece: Piece, define: () => Definition): Definition {
  const known = sumBefore(sweep, piece);
  if (known) return known;
  const made = define();
  const key = keyOfSum(piece);
  if (!sweep.sums.has(key)) sweep.sums.set(key, made);
  return made;
}

/** The definition that has the sum of a piece in its cells already. */
export function sumBefore(sweep: Sweep, piece: Piece): Definition | undefined {
  if (sweep.sums.size === 0 || isOff("same-sums")) return undefined;
  const known = sweep.sums.get(keyOfSum(piece));
  return known && hasCellsOf(known, piece, sweep) ? known : undefined;
}

function hasCellsOf({ axes }: Definition, piece: Piece, { known }: Sweep): boolean {
  return piece.axes.every(({ from, to }, k) => {
    if (from.kind !== "integer" || to.kind !== "integer" || !equal(from.term, zero)) return false;
    return holds(nonNegative(subtract(axes[k]!.extent, to.term)), known);
  });
}

/** A text that is the same for sums of the same, wherever their cells end. */
function keyOfSum(piece: Piece): string {
  const nowhere = { from: integerScalar(zero), to: integerScalar(zero) };
  const axes = piece.axes.map((axis) => ({ ...axis, ...nowhere }));
  return `${piece.value.type} ${keyOfPiece({ ...piece, axes })}`;
}
