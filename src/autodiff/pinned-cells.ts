// Contributions to single cells of a tensor, each a clause of its own: where only some cells are read by their number, all others stay 0 and take no work.
//
//   loss = x[0]·x[1]      d_x[i] = x[1] where 0 == i,   d_x[i] = x[0] where 1 == i

import { constant, constantOf, equal, ofVariable } from "../ir/affine/term.ts";
import { compared, integerOf } from "../ir/integers.ts";
import type { Clause, Scalar } from "../ir/program.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { freshLoops } from "./cells.ts";
import type { Arrived } from "./sweep.ts";
import type { Piece } from "./transpose.ts";

/** The one position along an axis that a contribution goes to. */
export interface Pin {
  readonly axis: number;
  readonly at: number;
  readonly said: Scalar;
}

/**
 * A clause for each cell, or row of cells, along the axis that all contributions are pinned along; nothing where one of them is not, or is a sum,
 * which is taken where its terms are.
 */
export function clausesOfCells(
  arrived: readonly Arrived[],
  summed: (arrived: readonly Arrived[]) => Clause,
): readonly Clause[] | undefined {
  const axis = pinsOf(arrived[0]!.piece)[0]?.axis;
  if (axis === undefined || arrived.some(({ piece }) => piece.summed.length > 0)) return undefined;
  const cells = new Map<number, Arrived[]>();
  for (const each of arrived) {
    const pin = pinsOf(each.piece).find((other) => other.axis === axis);
    if (!pin) return undefined;
    cells.set(pin.at, [...(cells.get(pin.at) ?? []), withoutPin(each, pin)]);
  }
  return [...cells].map(([at, there]) => {
    const clause = summed(there);
    const here = integerScalar(ofVariable(clause.loops[axis]!.variable));
    const guard = compared("equal", integerScalar({ constant: at, parts: [] }), here, clause.span);
    return { ...clause, guards: [guard, ...clause.guards] };
  });
}

function withoutPin(arrived: Arrived, { said }: Pin): Arrived {
  const { piece } = arrived;
  return { ...arrived, piece: { ...piece, ranges: piece.ranges.filter((range) => range !== said) } };
}

/** A piece in which coordinates that can only have one position stand as its number. */
export function withNumbers(piece: Piece, pins: readonly Pin[]): Piece {
  const by = new Map(pins.map(({ axis, at }) => [piece.axes[axis]!.variable, integerScalar(constant(at))]));
  const summed = freshLoops(piece.summed, by);
  const written = (part: Scalar): Scalar => instantiate(part, by);
  const ranges = piece.ranges.filter((range) => !pins.some(({ said }) => said === range));
  return {
    ...piece,
    summed,
    ranges: ranges.map(written),
    guards: piece.guards.map(written),
    ties: piece.ties.map(written),
    value: written(piece.value),
    inverse: new Map([...piece.inverse].map(([variable, at]) => [variable, written(at)])),
  };
}

export function pinsOf({ ranges, axes }: Piece): readonly Pin[] {
  return ranges.flatMap((said): readonly Pin[] => {
    if (said.kind !== "apply" || said.operation !== "equal" || said.within !== "i32") return [];
    const [position, cell] = said.operands.map(integerOf);
    const at = position && constantOf(position);
    const axis = cell ? axes.findIndex((loop) => equal(cell, ofVariable(loop.variable))) : -1;
    return at === undefined || axis < 0 ? [] : [{ axis, at, said }];
  });
}
