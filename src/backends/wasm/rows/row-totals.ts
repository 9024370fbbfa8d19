// Adds up blocks of rows while the rows are computed. The terms of a row are added to the cells of
// the row's block, which the first row of the block sets to zero.
//
//   part[b, j] = sum[k in 0..B](f(B·b + k, j))      is, in row i:   part[i / B, j] += f(i, j)
//   part[b] = sum[k in 0..B, j](f(B·b + k, j))      is, in row i:   part[i / B] += sum[j](f(i, j))
//
// The terms of a cell are added in the same order as by the kernel of the blocks.

import { constant, ofVariable, type Variable } from "../../../affine/term.ts";
import { valueOf } from "../../../analyse/can-fail.ts";
import type { Local, Scalar } from "../../../ir/program.ts";
import { instantiate, integerScalar, coordinateScalar } from "../../../ir/substitute.ts";
import {
  freshVariable,
  loopsOfSides,
  type Blocks,
  type Reduction,
  type Sized,
} from "../../../plan/regions/regions.ts";
import { branch, constI32, op } from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import { emitMap, type Piece } from "../code/maps.ts";
import { loopOf, sideOf, type Line, type Step } from "./passes.ts";
import { emitOfRow } from "./rows-ahead.ts";
import { emitValue } from "../code/scalars.ts";
import { emitStore } from "../code/stores.ts";
import { applied } from "../../../ir/simple-scalars.ts";

/** The blocks of rows, as work of each row. */
export interface RowTotal {
  readonly parts: Sized;
  readonly size: number;
  /** The block of a row. */
  readonly block: Variable;
  readonly term: Scalar;
  /**
   * Whether each position of the line has a cell of its own. Otherwise all positions share one
   * cell.
   */
  readonly isAlong: boolean;
}

/**
 * The row total of some blocks. `undefined` unless they are sums over rows that have either a cell
 * at each position of the line, or one cell for all positions.
 */
export function rowTotalOf(
  { parts, size, at }: Blocks,
  row: Variable,
  line: Line,
): RowTotal | undefined {
  const { regions, shape, element } = parts;
  // The last block may be a region of its own, which differs in its length only.
  const [region] = regions;
  const [only, ...others] = region?.cases ?? [];
  const [reduced, ...more] = only?.reductions ?? [];
  if (!region || region.cells || region.scan || region.scatters) return undefined;
  if (!only || !reduced || only.guards.length > 0 || others.length > 0 || more.length > 0)
    return undefined;
  const { reduction, loops, guards, value } = reduced.body;
  const [blocks, ...alongSides] = region.sides;
  if (
    reduction !== "sum" ||
    guards.length > 0 ||
    !blocks ||
    alongSides.length > 1 ||
    shape.length !== 1 + alongSides.length
  )
    return undefined;
  if (element !== "f32" && element !== "f64") return undefined;
  const loop = loops[at]!;
  const [position, ...further] = [
    ...alongSides.map((side) => loopsOfSides([side])[0]!),
    ...loops.filter((each) => each !== loop),
  ];
  if (
    !position ||
    further.length > 0 ||
    valueOf(position.from) !== 0 ||
    valueOf(position.to) !== line.length
  )
    return undefined;
  // Row B·b + k of block b is row k of block 0.
  const term = instantiate(
    value,
    new Map([
      [blocks.variable, integerScalar(constant(0))],
      [loop.variable, integerScalar(ofVariable(row))],
      [position.variable, coordinateScalar(line)],
    ]),
  );
  return { parts, size, block: freshVariable("block"), term, isAlong: alongSides.length === 1 };
}

/** Binds the block of the row. */
export function enterBlock(kernel: Kernel, { size, block }: RowTotal, row: Variable): void {
  const { coordinates } = kernel.emitter;
  coordinates.set(
    block,
    emitOfRow(kernel, row, `/${size}`, (code) => {
      constI32(code, size);
      op(code, "i32.div_s");
    }),
  );
}

export function stepsOfTotal(
  kernel: Kernel,
  total: RowTotal,
  row: Variable,
  line: Line,
): readonly Step[] {
  const { parts, size, block, term, isAlong } = total;
  kernel.known.set(block, { least: 0, most: parts.shape[0]! - 1 });
  const { definition, element } = parts;
  const variables = isAlong ? [block, line.variable] : [block];
  const indices = variables.map((variable) => integerScalar(ofVariable(variable)));
  const { span } = definition;
  const before: Scalar = { kind: "read", type: element, definition, indices, span };
  const added = (value: Scalar): Scalar => applied("add", [before, value], span);
  const zero: Scalar = { kind: "constant", type: element, value: 0 };
  const piece = (value: Scalar): Piece => ({
    sized: parts,
    indices,
    only: { guards: [], reductions: [], value },
  });
  const storeTotal = (value: Scalar): void =>
    emitStore(kernel, parts, indices, emitValue(kernel, value));
  const storeZeroInFirstRow = (): void => {
    const isFirst = emitOfRow(kernel, row, `%${size}==0`, (code) => {
      constI32(code, size);
      op(code, "i32.rem_s");
      op(code, "i32.eqz");
    });
    branch(kernel.emitter, isFirst, () =>
      isAlong ? emitMap(kernel, piece(zero), [sideOf(line)]) : storeTotal(zero),
    );
  };
  const start: Step = { kind: "once", definition, reads: [], emit: storeZeroInFirstRow };
  if (isAlong) return [start, { kind: "cells", piece: piece(added(term)) }];
  const name: Local = { name: definition.name, value: before };
  const body: Reduction = {
    kind: "reduce",
    reduction: "sum",
    loops: [loopOf(line)],
    guards: [],
    value: term,
    span,
  };
  const sum: Scalar = { kind: "local", type: element, local: name };
  return [
    start,
    { kind: "sum", sum: { name, body } },
    { kind: "once", definition, reads: [sum], emit: () => storeTotal(added(sum)) },
  ];
}
