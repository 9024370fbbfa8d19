// Moves range guards into the ranges of the coordinates that they bound, so that a loop visits only
// the positions that pass.
//
// A guard `value in f..t` bounds the innermost coordinate k that it mentions:
//
//   ⌊e/d⌋ + c in f..t    ⇔  e in d·(f - c)..d·(t - c)
//   a·k + s in f..t      ⇔  k in the preimage of f..t under a·k + s       (range.ts)
//
// So `sum[k in 0..3](… where p - k in 0..5)` runs over k in max(0, p - 4)..min(3, p + 1). Guards of
// other forms stay.

import type { Assumptions, Fact } from "./prove.ts";
import { within } from "./prove.ts";
import { intersect, preimage, single } from "./range.ts";
import type { Range } from "./range.ts";
import { simplifyRange } from "./simplify.ts";
import type { Coordinate, Guard } from "./solve.ts";
import { constantOf, multiply, ofVariable, plus } from "./term.ts";
import type { Term, Variable } from "./term.ts";
import { coefficientOf, mentions, withoutVariable } from "./visit.ts";

export interface Narrowed {
  readonly coordinates: readonly Coordinate[];
  readonly guards: readonly Guard[];
}

/**
 * The same set of points with fewer guards. The coordinates are in nest order and keep that order.
 */
export function narrow(
  coordinates: readonly Coordinate[],
  guards: readonly Guard[],
  assumptions: Assumptions,
): Narrowed {
  const ranges = new Map(coordinates.map(({ variable, range }) => [variable, range]));
  const kept = guards.filter((guard) => {
    const bound = guard.kind === "in" ? boundOf(guard.value, guard.range, coordinates) : undefined;
    if (!bound) return true;
    ranges.set(bound.variable, intersect(ranges.get(bound.variable)!, bound.range));
    return false;
  });
  let facts: readonly Fact[] = assumptions;
  const narrowed = coordinates.map(({ variable }) => {
    const range = simplifyRange(ranges.get(variable)!, facts);
    facts = [...facts, ...within(ofVariable(variable), range)];
    return { variable, range };
  });
  return { coordinates: narrowed, guards: kept };
}

/** The bound that a guard puts on the innermost coordinate that it mentions. */
function boundOf(
  value: Term,
  target: Range,
  coordinates: readonly Coordinate[],
): Coordinate | undefined {
  const inner = coordinates.findLast(({ variable }) =>
    [value, target.from, target.to].some((term) => mentions(term, variable)),
  );
  if (!inner || mentions(target.from, inner.variable) || mentions(target.to, inner.variable))
    return undefined;
  return linearBound(value, target, inner.variable) ?? quotientBound(value, target, inner.variable);
}

function linearBound(value: Term, target: Range, variable: Variable): Coordinate | undefined {
  const a = constantOf(coefficientOf(value, variable) ?? ofVariable(variable));
  if (a === undefined || a === 0) return undefined;
  return { variable, range: preimage(a, single(withoutVariable(value, variable)), target) };
}

function quotientBound(value: Term, target: Range, variable: Variable): Coordinate | undefined {
  const [part] = value.parts;
  const atom = part?.factors[0];
  if (value.parts.length > 1 || part?.factors.length !== 1 || part.coefficient !== 1)
    return undefined;
  if (atom?.kind !== "floor" || mentions(atom.divisor, variable)) return undefined;
  const scaled = (bound: Term): Term => multiply(atom.divisor, plus(bound, -value.constant));
  return linearBound(atom.dividend, { from: scaled(target.from), to: scaled(target.to) }, variable);
}
