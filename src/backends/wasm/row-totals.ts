// Sums over rows, in blocks of them, while a row is there: its terms are added to the cells of its block, which the first row of the block has set to zero.
//
//   part[b, j] = sum[k in 0..B](f(B·b + k, j))   is, in row i:   part[i / B, j] += f(i, j)
//
// Terms come in the order in which the block by itself would add them up.

import { constant, ofVariable, type Variable } from "../../ir/affine/term.ts";
import type { Scalar } from "../../ir/program.ts";
import { instantiate, integerScalar } from "../../ir/substitute.ts";
import { freshVariable, type Blocks, type Sized } from "../../optimise/regions.ts";
import { branch, constI32, op } from "./emitter.ts";
import type { Kernel } from "./kernel.ts";
import { emitMap, type Piece } from "./maps.ts";
import { sideOf, type Line, type Step } from "./passes.ts";
import { ofRow } from "./rows-ahead.ts";

/** What blocks of rows come to, as something that is done in each row. */
export interface RowTotal {
  readonly parts: Sized;
  readonly size: number;
  /** Which block a row is in. */
  readonly block: Variable;
  readonly term: Scalar;
}

/** Nothing where blocks are more than sums over rows that have a cell at each position of the line. */
export function rowTotalOf({ parts, size }: Blocks, row: Variable, line: Line): RowTotal | undefined {
  const { regions, shape, element } = parts;
  // The last block may be a region of its own, which differs in its length alone.
  const [region] = regions;
  const [only, ...others] = region?.cases ?? [];
  const [reduced, ...more] = only?.reductions ?? [];
  if (!region || region.cells || region.scan || region.scatters) return undefined;
  if (!only || !reduced || only.guards.length > 0 || others.length > 0 || more.length > 0) return undefined;
  const { reduction, loops, guards, value } = reduced.body;
  const [loop, ...inner] = loops;
  const [blocks, along, ...further] = region.sides;
  if (reduction !== "sum" || guards.length > 0 || !loop || inner.length > 0 || further.length > 0) return undefined;
  if (!blocks || along?.from !== 0 || along.to !== line.length || shape.length !== 2) return undefined;
  if (element !== "f32" && element !== "f64") return undefined;
  // Row B·b + k of block b is row k of block 0.
  const term = instantiate(
    value,
    new Map([
      [blocks.variable, integerScalar(constant(0))],
      [loop.variable, integerScalar(ofVariable(row))],
      [along.variable, integerScalar(ofVariable(line.variable))],
    ]),
  );
  return { parts, size, block: freshVariable("block"), term };
}

/** Says which block the row is in. */
export function enterBlock(kernel: Kernel, { size, block }: RowTotal, row: Variable): void {
  const { coordinates } = kernel.emitter;
  coordinates.set(block, ofRow(kernel, row, `/${size}`, (code) => {
    constI32(code, size);
    op(code, "i32.div_s");
  })); // prettier-ignore
}

export function stepsOfTotal(kernel: Kernel, total: RowTotal, row: Variable, line: Line): readonly Step[] {
  const { parts, size, block, term } = total;
  kernel.known.set(block, { least: 0, most: parts.shape[0]! - 1 });
  const { definition, element } = parts;
  const indices = [block, line.variable].map((variable) => integerScalar(ofVariable(variable)));
  const { span } = definition;
  const piece = (value: Scalar): Piece => ({ sized: parts, indices, only: { guards: [], reductions: [], value } });
  const before: Scalar = { kind: "read", type: element, definition, indices, span };
  const sum: Scalar = {
    kind: "apply",
    type: element,
    within: element,
    operation: "add",
    operands: [before, term],
    span,
  };
  const zero: Scalar = { kind: "constant", type: element, value: 0 };
  const begin = (): void => {
    const isFirst = ofRow(kernel, row, `%${size}==0`, (code) => {
      constI32(code, size);
      op(code, "i32.rem_s");
      op(code, "i32.eqz");
    });
    branch(kernel.emitter, isFirst, () => emitMap(kernel, piece(zero), [sideOf(line)]));
  };
  return [
    { kind: "once", definition, reads: [], emit: begin },
    { kind: "cells", piece: piece(sum) },
  ];
}
