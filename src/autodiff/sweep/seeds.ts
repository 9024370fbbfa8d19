// The cotangents with which a sweep starts: 1 for a scalar numerator, given cotangents for a
// tensor, or a unit for each cell in a lane of its own.

import { ofVariable } from "../../affine/term.ts";
import type { Axis, Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { integerScalar, coordinateScalar } from "../../ir/substitute.ts";
import { compared } from "../../ir/integers.ts";
import type { Span } from "../../base/source.ts";
import { readCell, wholeLoops } from "./cells.ts";
import { tangentType } from "../legality/handed-on.ts";
import { loopsFor, axesFor, type Adjoint, type Sweep } from "./sweep.ts";
import type { Lane, Piece } from "../transpose/transpose.ts";

/**
 * The axes of the lanes: those of the numerator if each cell has a lane, or the axes of the seed
 * that stand before the axes of the numerator.
 */
export function lanesOf(
  numerator: Definition,
  seed: Definition | undefined,
  eachCell: boolean,
  common: ReadonlySet<number>,
): readonly Axis[] {
  if (eachCell) return numerator.axes.filter((_, axis) => !common.has(axis));
  return seed ? seed.axes.slice(0, seed.axes.length - numerator.axes.length) : [];
}

/** Receives given cotangents at the numerator, without a change. */
export function receiveSeed(sweep: Sweep, numerator: Definition, seed: Definition): void {
  sweep.adjoints.set(seed, { definition: seed, zeros: "none" });
  const axes = loopsFor(sweep, numerator);
  const value = readCell(seed, axes, numerator.span);
  const piece = asItIs(axes, value, numerator.span);
  sweep.pieces.set(numerator, [{ from: numerator, piece, zeros: "none" }]);
  sweep.trace.pullbacks.push({
    output: numerator,
    through: { kind: "start" },
    read: readCell(numerator, axes, numerator.span),
    loops: axes,
    incoming: value,
    local: { kind: "constant", type: tangentType(numerator), value: 1 },
    piece,
  });
}

/** A contribution that stays at its position: the transpose of y[i] = x[i]. */
export function asItIs(axes: readonly Loop[], value: Scalar, span: Span): Piece {
  const inverse = new Map(axes.map((axis) => [axis.variable, coordinateScalar(axis)]));
  return { axes, summed: [], ranges: [], guards: [], ties: [], value, inverse, span };
}

/** What one definition sends to another as a tensor of its own, and that tensor as a piece. */
export function ownContribution(
  sweep: Sweep,
  from: Definition,
  target: Definition,
  clause: Clause,
): { readonly sum: Definition; readonly piece: Piece } {
  const { name, span } = target;
  const axes = axesFor(sweep, target);
  const sum = sweep.define(
    `d_${name}_from_${from.name}`,
    tangentType(target),
    axes,
    [clause],
    span,
  );
  const loops = loopsFor(sweep, target);
  return { sum, piece: asItIs(loops, readCell(sum, loops, span), span) };
}

/** 1 in the lane of each cell, and 0 in all other lanes. */
export function unitDefinition(sweep: Sweep, numerator: Definition): Definition {
  const axes = [...sweep.lanes, ...numerator.axes];
  const loops = loopsFor(sweep, numerator);
  const own = loops.slice(sweep.lanes.length).filter((_, axis) => !sweep.common.has(axis));
  const type = tangentType(numerator);
  const guards = own.map((loop, k) => {
    const [lane, cell] = [loops[k]!, loop].map(({ variable }) =>
      integerScalar(ofVariable(variable)),
    );
    return compared("equal", lane!, cell!, numerator.span);
  });
  const one: Scalar = { kind: "constant", type, value: 1 };
  const clause: Clause = { loops, guards, body: { kind: "map", value: one }, span: numerator.span };
  return sweep.define(`d_${numerator.name}`, type, axes, [clause], numerator.span);
}

/** The derivative of a scalar by itself: 1. */
export function seedDefinition(sweep: Sweep, definition: Definition): Definition {
  const one: Scalar = { kind: "constant", type: definition.element, value: 1 };
  return sweep.define(
    `d_${definition.name}`,
    definition.element,
    [],
    [{ loops: [], guards: [], body: { kind: "map", value: one }, span: definition.span }],
    definition.span,
  );
}

/**
 * A coordinate for each lane. Without an incoming gradient, each cell of the numerator is in its
 * own lane.
 */
export function lanesAt(
  sweep: Sweep,
  definition: Definition,
  clause: Clause,
  adjoint: Adjoint | undefined,
): readonly Lane[] {
  const loops = wholeLoops({ axes: sweep.lanes });
  if (adjoint || definition !== sweep.cells) return loops.map((loop) => ({ loop }));
  const own = clause.loops.filter((_, axis) => !sweep.common.has(axis));
  return loops.map((loop, k) => ({ loop, cell: own[k]!.variable }));
}
