// Finds gathers: guards of a reduction that leave one position of a reduced coordinate.
//
// In  g[i] = sum[p](d[p] where idx[i] == p)  the guard fixes p for each i, so only one position has
// to be visited. This mirrors a scatter (ties.ts), where a reduced coordinate fixes a coordinate of
// the cell.

import { constantOf, negate, subtract } from "../affine/term.ts";
import { coefficientOf, mentions, withoutVariable } from "../affine/visit.ts";
import { eachScalar } from "../ir/parts.ts";
import type { Loop, Scalar } from "../ir/program.ts";
import { integerScalar } from "../ir/substitute.ts";
import { bothWays, conjuncts, isCoordinate, usesAny } from "./ties.ts";

/**
 * For each reduced coordinate, the one position that passes the guards, if it is known when the
 * loop is entered. Any other position can be skipped: there, either a guard fails, or the guards
 * fault as they do at this position.
 */
export function pinsOf(
  loops: readonly Loop[],
  guards: readonly Scalar[],
): readonly (Scalar | undefined)[] {
  const conditions = guards.flatMap(conjuncts);
  return loops.map((loop, k) => {
    const inside = loops.slice(k);
    if (inside.some(({ from, to }) => usesAny(from, [loop]) || usesAny(to, [loop])))
      return undefined;
    const first = conditions.findIndex((condition) => usesAny(condition, [loop]));
    for (const condition of first < 0 ? [] : conditions.slice(first)) {
      const at = positionBy(condition, loop);
      if (at && !usesAny(at, inside)) return at;
      if (!comparesCoordinates(condition)) return undefined;
    }
    return undefined;
  });
}

/** The position that a lookup gives a coordinate, as in `idx[i] == p`. */
export function lookedUpIn(condition: Scalar, loop: Loop): Scalar | undefined {
  const at = positionBy(condition, loop);
  return at?.kind === "integer" ? undefined : at;
}

/** The position of a coordinate at which an equation holds. */
export function positionBy(condition: Scalar, loop: Loop): Scalar | undefined {
  if (condition.kind !== "apply" || condition.operation !== "equal") return undefined;
  const [a, b] = condition.operands as [Scalar, Scalar];
  if (a.kind === "integer" && b.kind === "integer") {
    const difference = subtract(a.term, b.term);
    const slope = constantOf(coefficientOf(difference, loop.variable) ?? difference);
    const rest = withoutVariable(difference, loop.variable);
    if ((slope !== 1 && slope !== -1) || mentions(rest, loop.variable)) return undefined;
    return integerScalar(slope === 1 ? negate(rest) : rest);
  }
  const found = bothWays(condition.operands).find(([own]) => isCoordinate(own, loop.variable));
  return found?.[1];
}

/** Whether a condition only compares coordinates, and so never faults. */
function comparesCoordinates(condition: Scalar): boolean {
  let plain = true;
  eachScalar(condition, (part) => {
    if (part.kind !== "constant" && part.kind !== "integer" && part.type !== "bool") plain = false;
    if (part.kind === "read" || part.kind === "call" || part.kind === "local") plain = false;
  });
  return plain;
}
