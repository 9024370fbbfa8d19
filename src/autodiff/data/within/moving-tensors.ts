// How tensors that functions read from around them move: one cell of a tensor by 1, and what is
// made of it along with it; or each cell of some tensors by what a direction says, which is a
// tensor of the same cells.
//
//   a read of z[e] moves by      1 where e is the cell that moves      or
//   r·v[e] at a rate r along v, where e stands at the step if there is one
//
// Companions (functions.ts) are told the cell, or where they are called, in integers that stand
// behind their other arguments.

import { compared } from "../../../ir/integers.ts";
import type { Definition, Loop, Scalar } from "../../../ir/program.ts";
import type { FloatType } from "../../../scalar/types.ts";
import { instantiate, coordinateScalar, atIndices } from "../../../ir/substitute.ts";
import type { Span } from "../../../base/source.ts";
import { asType } from "../../sweep/cells.ts";
import { tangentType } from "../../legality/handed-on.ts";
import { algebraOf } from "../../scalar/products.ts";

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

/**
 * How other tensors move along with a cell of one: by their derivatives, which have the axes of
 * that one behind their own.
 */
export type Others = (definition: Definition) => Definition | undefined;

export function movingCell(
  tensor: Definition,
  cell: readonly Scalar[],
  others?: Others,
): MovingTensors {
  return {
    key: others ?? tensor,
    moves: (definition) => definition === tensor || others?.(definition) !== undefined,
    names: tensor.axes.map((axis, k) => `at_${axis.name ?? k}`),
    told: cell,
    tangent: (read, told) => {
      if (read.definition === tensor)
        return unitAt(told, read.indices, tangentType(tensor), read.span);
      const along = others!(read.definition)!;
      return {
        ...read,
        type: along.element,
        definition: along,
        indices: [...read.indices, ...told],
      };
    },
  };
}

/** 1 at the cell that moves, 0 elsewhere. */
function unitAt(
  cell: readonly Scalar[],
  indices: readonly Scalar[],
  type: FloatType,
  span: Span,
): Scalar {
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

/**
 * A tensor that moves at a rate: along a direction, or in all of its cells alike; at all steps, or
 * at one.
 */
export interface Way {
  readonly tensor: Definition;
  readonly rate?: Scalar;
  readonly direction?: Definition;
  readonly at?: AtStep;
}

/** Tensors that move in some ways, which are said in the coordinates of loops. */
export function movingAlong(loops: readonly Loop[], ways: readonly Way[]): MovingTensors {
  return {
    key: ways,
    moves: (definition) => ways.some(({ tensor }) => tensor === definition),
    names: loops.map((loop) => loop.variable.name),
    told: loops.map(coordinateScalar),
    tangent: (read, told) => {
      const type = tangentType(read.definition);
      const algebra = algebraOf(type, read.span);
      const by = atIndices(loops, told);
      const moved = ways
        .filter(({ tensor }) => tensor === read.definition)
        .map(({ rate, direction, at }): Scalar => {
          const along: readonly Scalar[] = direction
            ? [{ ...read, type: direction.element, definition: direction }]
            : [];
          const factors = [...(rate ? [asType(instantiate(rate, by), type)] : []), ...along];
          const whole = factors.reduce((a, b) => algebra.apply("multiply", a, b));
          if (!at) return whole;
          const isHere = compared(
            "equal",
            read.indices[at.axis]!,
            instantiate(at.step, by),
            read.span,
          );
          return algebra.select(isHere, whole, algebra.number(0));
        });
      return moved.reduce((a, b) => algebra.apply("add", a, b));
    },
  };
}
