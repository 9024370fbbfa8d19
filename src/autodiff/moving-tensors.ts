// How tensors that functions read from around them move: one cell of a tensor by 1, and what is made of it along with it; or each cell of some tensors by what
// a direction says, which is a tensor of the same cells.
//
//   a read of z[e] moves by      1 where e is the cell that moves      or      v[e] along v, where e stands at a certain step or v has no steps
//
// Companions (functions.ts) are told the cell, or the step, in integers that stand behind their other arguments.

import { compared } from "../ir/integers.ts";
import type { Definition, Scalar } from "../ir/program.ts";
import type { FloatType } from "../ir/scalar/types.ts";
import type { Span } from "../syntax/source.ts";
import { tangentType } from "./handed-on.ts";
import { algebraOf } from "./products.ts";

type Read = Extract<Scalar, { kind: "read" }>;

export interface MovingTensors {
  /** Companions of one function for one key are one. */
  readonly key: object;
  readonly moves: (definition: Definition) => boolean;
  /** What the integers that companions are told are called. */
  readonly names: readonly string[];
  readonly told: readonly Scalar[];
  /** How a read of a tensor that moves does so, by what is told. */
  readonly tangent: (read: Read, told: readonly Scalar[]) => Scalar;
}

/** How other tensors move along with a cell of one: by their derivatives, which have the axes of that one behind their own. */
export type Others = (definition: Definition) => Definition | undefined;

export function movingCell(tensor: Definition, cell: readonly Scalar[], others?: Others): MovingTensors {
  return {
    key: others ?? tensor,
    moves: (definition) => definition === tensor || others?.(definition) !== undefined,
    names: tensor.axes.map((axis, k) => `at_${axis.name ?? k}`),
    told: cell,
    tangent: (read, told) => {
      if (read.definition === tensor) return unitAt(told, read.indices, tangentType(tensor), read.span);
      const along = others!(read.definition)!;
      return { ...read, type: along.element, definition: along, indices: [...read.indices, ...told] };
    },
  };
}

/** 1 at the cell that moves, 0 elsewhere. */
function unitAt(cell: readonly Scalar[], indices: readonly Scalar[], type: FloatType, span: Span): Scalar {
  const algebra = algebraOf(type, span);
  return indices.reduceRight<Scalar>((inner, index, k) => {
    return algebra.select(compared("equal", index, cell[k]!, span), inner, algebra.number(0));
  }, algebra.number(1));
}

/** A step, and the axis of a tensor that counts steps. */
export interface AtStep {
  readonly axis: number;
  readonly step: Scalar;
}

/** A tensor that moves along a direction, at all of its cells or at those of one step. */
export function movingAlong(tensor: Definition, direction: Definition, at?: AtStep): MovingTensors {
  return {
    key: direction,
    moves: (definition) => definition === tensor,
    names: at ? ["step"] : [],
    told: at ? [at.step] : [],
    tangent: (read, [step]) => {
      const type = direction.element as FloatType;
      const moved: Scalar = { ...read, type, definition: direction };
      if (!at) return moved;
      const algebra = algebraOf(type, read.span);
      const isHere = compared("equal", read.indices[at.axis]!, step!, read.span);
      return algebra.select(isHere, moved, algebra.number(0));
    },
  };
}
