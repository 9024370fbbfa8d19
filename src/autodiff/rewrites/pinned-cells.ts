// Contributions to single cells of a tensor, each a clause of its own: where only some cells are
// read by their number, all others stay 0 and take no work.
//
//   loss = x[0]·x[1]      d_x[i] = x[1] where 0 == i,   d_x[i] = x[0] where 1 == i
//
// The position along an axis may also be what other coordinates say: M[i, i] only sends back to
// cells at which both are equal.

import { isOff } from "../../ir/rewrites.ts";
import { atMost, holds, lessThan, type Fact } from "../../affine/prove.ts";
import { constantOf, subtract, zero, type Term, type Variable } from "../../affine/term.ts";
import { coefficientOf, mentions, substitute, withoutVariable } from "../../affine/visit.ts";
import { isUnit } from "../../cost/cut.ts";
import { factsOf, loopFacts, type Opaque } from "../../analyse/facts.ts";
import { compared, integerOf } from "../../ir/integers.ts";
import type { Clause, Scalar } from "../../ir/program.ts";
import { instantiate, integerScalar, coordinateScalar } from "../../ir/substitute.ts";
import { freshLoops } from "../sweep/cells.ts";
import type { Arrived } from "../sweep/sweep.ts";
import type { Piece } from "../transpose/transpose.ts";

/** The one position along an axis that a contribution goes to. */
interface Pin {
  readonly axis: number;
  readonly at: Term;
  readonly said: Scalar;
}

/**
 * A clause for each cell, or row of cells, along the axis that all contributions are pinned along;
 * nothing where one of them is not, or is a sum, which is taken where its terms are.
 */
export function clausesOfCells(
  arrived: readonly Arrived[],
  summed: (arrived: readonly Arrived[]) => Clause,
): readonly Clause[] | undefined {
  if (isOff("pinned-cells")) return undefined;
  const axis = numbersOf(arrived[0]!.piece)[0]?.axis;
  if (axis === undefined || arrived.some(({ piece }) => piece.summed.length > 0)) return undefined;
  const cells = new Map<number, Arrived[]>();
  for (const each of arrived) {
    const pin = numbersOf(each.piece).find((other) => other.axis === axis);
    if (!pin) return undefined;
    const at = constantOf(pin.at)!;
    cells.set(at, [...(cells.get(at) ?? []), withoutPin(each, pin)]);
  }
  return [...cells].flatMap(([at, there]) =>
    // In a row there may be single cells again.
    (clausesOfCells(there, summed) ?? [summed(there)]).map((clause) => {
      const here = coordinateScalar(clause.loops[axis]!);
      const guard = compared(
        "equal",
        integerScalar({ constant: at, parts: [] }),
        here,
        clause.span,
      );
      return { ...clause, guards: [guard, ...clause.guards] };
    }),
  );
}

function withoutPin(arrived: Arrived, { said }: Pin): Arrived {
  const { piece } = arrived;
  return {
    ...arrived,
    piece: { ...piece, ranges: piece.ranges.filter((range) => range !== said) },
  };
}

/**
 * A piece in which coordinates that can only have one position stand as that position, wherever it
 * lies on their axes.
 */
export function withPlaces(
  piece: Piece,
  pins: readonly Pin[],
  opaque: Opaque,
  known: readonly Fact[],
): Piece {
  const by = new Map(pins.map(({ axis, at }) => [piece.axes[axis]!.variable, integerScalar(at)]));
  const summed = freshLoops(piece.summed, by);
  const written = (part: Scalar): Scalar => instantiate(part, by);
  const open = piece.axes.filter((_, axis) => !pins.some((pin) => pin.axis === axis));
  const ranges = piece.ranges
    .filter((range) => !pins.some(({ said }) => said === range))
    .map(written);
  const around = [...known, ...loopFacts(opaque, open, known)];
  const facts = [...around, ...ranges.flatMap((range) => factsOf(opaque, range, true, around))];
  const onAxes = pins.flatMap(({ axis, at }) => {
    // A cell that is read by its number is there.
    if (constantOf(at) !== undefined) return [];
    const extent = integerOf(piece.axes[axis]!.to)!;
    const compare = (operation: "lessEqual" | "less", a: Term, b: Term): Scalar =>
      compared(operation, integerScalar(a), integerScalar(b), piece.span);
    return [
      ...(holds(atMost(zero, at), facts) ? [] : [compare("lessEqual", zero, at)]),
      ...(holds(lessThan(at, extent), facts) ? [] : [compare("less", at, extent)]),
    ];
  });
  return {
    ...piece,
    axes: open,
    summed,
    ranges: [...onAxes, ...ranges],
    guards: piece.guards.map(written),
    ties: piece.ties.map(written),
    value: written(piece.value),
    inverse: new Map([...piece.inverse].map(([variable, at]) => [variable, written(at)])),
  };
}

/**
 * The positions that equations of the cell's own coordinates give, each of the last coordinate that
 * it can be solved for and that is not kept.
 */
export function pinsOf(
  { ranges, axes, summed }: Piece,
  kept: ReadonlySet<number> = new Set(),
): readonly Pin[] {
  const found = new Map<Variable, Pin>();
  for (const said of ranges) {
    if (said.kind !== "apply" || said.operation !== "equal" || said.within !== "i32") continue;
    const [left, right] = said.operands.map(integerOf);
    if (!left || !right) continue;
    const places = new Map([...found].map(([variable, { at }]) => [variable, at]));
    const gap = substitute(subtract(left, right), places);
    const axis = axes.findLastIndex(({ variable: v }, k) => !kept.has(k) && isUnit(gap, v));
    if (axis < 0 || summed.some((loop) => mentions(gap, loop.variable))) continue;
    const { variable: v } = axes[axis]!;
    const rest = withoutVariable(gap, v);
    const at = constantOf(coefficientOf(gap, v)!) === 1 ? subtract(zero, rest) : rest;
    for (const [other, pin] of found)
      found.set(other, { ...pin, at: substitute(pin.at, new Map([[v, at]])) });
    found.set(v, { axis, at, said });
  }
  return [...found.values()];
}

/** Those positions that are numbers. */
function numbersOf(piece: Piece): readonly Pin[] {
  return pinsOf(piece).filter(({ at }) => constantOf(at) !== undefined);
}
