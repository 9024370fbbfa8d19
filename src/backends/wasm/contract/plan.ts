// A contraction as tables and blocks: where the cells of both operands and of the target lie, and
// what is packed and multiplied at a time.
//
// The depth is walked in blocks whose panels fit into the nearest cache, the columns in blocks that
// fit into a farther one, and rows in blocks in between. Blocks depend on sizes alone, so a sum has
// the same bits in every run.

import { constant, constantOf, ofVariable, subtract, type Term } from "../../../affine/term.ts";
import { coefficientOf } from "../../../affine/visit.ts";
import type { Definition, Scalar } from "../../../ir/program.ts";
import type { Contraction, StepContraction } from "../../../plan/reductions/contraction.ts";
import { cellsIn, type Side } from "../../../plan/regions/regions.ts";
import { integerScalar } from "../../../ir/substitute.ts";
import type { Layout } from "../code/kernels.ts";
import { positionTerm } from "../code/terms.ts";
import { adjacentCells, scatteredCells } from "./packing.ts";
import { rowsAtOnce } from "./task.ts";
import { formFor, tallFormFor } from "./form.ts";
import { cellBytes, type Form } from "./tile.ts";

/**
 * One coordinate set of an operand or of the target as offsets in bytes, filled up to whole panels
 * with the last one.
 */
export interface Table {
  readonly length: number;
  readonly offsets: Int32Array;
}

/** The positions of rows or columns: offsets, and for each panel whether its cells are adjacent. */
export interface Panels extends Table {
  readonly kinds: Uint8Array;
}

export interface ContractionPlan {
  readonly form: Form;
  readonly left: Definition;
  readonly right: Definition;
  readonly target: Definition;
  readonly batch: readonly {
    readonly left: number;
    readonly right: number;
    readonly target: number;
  }[];
  /** Inside a recurrence: how far its positions move each of them. */
  readonly held?: { readonly left: Movement; readonly right: Movement; readonly target: Movement };
  readonly rows: Panels;
  readonly columns: Panels;
  readonly targetRows: Table;
  readonly targetColumns: Panels;
  readonly leftDepth: Table;
  readonly rightDepth: Table;
  /**
   * How far two positions of the depth lie apart in an operand that tiles can read as it lies; 0
   * where it is packed.
   */
  readonly leftStep: number;
  readonly rightStep: number;
  readonly blocks: Blocks;
  /**
   * Whether an operand has zeros for what guards leave out, so that the other one must be finite.
   */
  readonly leftMasked: boolean;
  readonly rightMasked: boolean;
}

/**
 * How many bytes a step moves something by: so many for each held position, and by its place in a
 * window of steps.
 */
export interface Movement {
  readonly by: readonly number[];
  readonly window?: {
    readonly held: number;
    readonly offset: number;
    readonly steps: number;
    readonly bytes: number;
  };
}

export interface Blocks {
  readonly depth: number;
  readonly rows: number;
  readonly columns: number;
}

/**
 * What is read as it lies instead of being packed, if what is read at a time lies in so few bytes
 * that a cache holds it: left operands whose cells follow one another along the depth, which tiles
 * read as streams; and right operands of few rows, for which packing would not pay.
 */
const nearStepBytes = 64;
const fewRows = 64;
const nearBytes = 1 << 18;

const blockDepth = 512;
const blockRows = 2048;
const blockColumns = 2048;

export function planContraction(
  contraction: Contraction,
  layoutOf: (definition: Definition) => Layout,
): ContractionPlan {
  const { element, left, right, target, indices: own, batch, rows, columns, depth } = contraction;
  const bytes = cellBytes(element);
  const placed = (definition: Definition, indices: readonly Scalar[]): Strides => {
    return { position: positionBesideWindow(layoutOf(definition), indices), bytes };
  };
  const a = placed(left.read.definition, left.read.indices);
  const b = placed(right.read.definition, right.read.indices);
  const c = placed(target, own);
  // Both operands are walked along the depth in one order: that in which the larger one lies.
  const walked = inOrder(depth, cellsIn(rows) >= cellsIn(columns) ? a : b);
  const firsts = (strides: Strides): Int32Array => offsets(batch, strides);
  const [leftBatch, rightBatch, targetBatch] = [firsts(a), firsts(b), firsts(c)];
  const [leftDepth, rightDepth] = [table(walked, a, 1), table(walked, b, 1)];
  // What has to be finite is looked at when it is packed.
  const leftStep = right.isMasked ? 0 : streamStep(table(rows, a, 1), leftDepth);
  const form =
    (leftStep === 0 ? undefined : tallFormFor(element, cellsIn(rows))) ?? formFor(element);
  const [leftRows, rightColumns] = [panels(rows, a, form.rows), panels(columns, b, form.columns)];
  const [aFirst, bFirst, cFirst] = [a, b, c].map(({ position }) => position.constant * bytes) as [
    number,
    number,
    number,
  ];
  return {
    form,
    left: left.read.definition,
    right: right.read.definition,
    target,
    batch: Array.from(leftBatch, (offset, k) => ({
      left: aFirst + offset,
      right: bFirst + rightBatch[k]!,
      target: cFirst + targetBatch[k]!,
    })),
    rows: leftRows,
    columns: rightColumns,
    targetRows: table(rows, c, form.rows),
    targetColumns: panels(columns, c, form.columns),
    leftDepth,
    rightDepth,
    leftStep,
    rightStep:
      left.isMasked || leftRows.length > fewRows
        ? 0
        : Math.max(0, nearStep(rightColumns, rightDepth)),
    blocks: {
      depth: evenly(cellsIn(depth), blockDepth, 1),
      rows: evenly(cellsIn(rows), blockRows, form.rows),
      columns: evenly(cellsIn(columns), blockColumns, form.columns),
    },
    leftMasked: left.isMasked,
    rightMasked: right.isMasked,
  };
}

const nothing = integerScalar(constant(0));

/**
 * The position of a cell but for its place in a window of steps; operands that are read as they lie
 * have one.
 */
function positionBesideWindow({ strides, window }: Layout, indices: readonly Scalar[]): Term {
  return positionTerm(
    { strides },
    indices.map((index, axis) => (axis === window?.axis ? nothing : index)),
  )!;
}

/**
 * A contraction of the steps of a recurrence; nothing where steps are looked up in a window in
 * another way than one by one.
 */
export function planStep(
  contraction: StepContraction,
  layoutOf: (definition: Definition) => Layout,
): ContractionPlan | undefined {
  const { left, right, target, indices: own, held } = contraction;
  const plan = planContraction(contraction, layoutOf);
  const bytes = cellBytes(contraction.element);
  const steps = [...held.values()];
  const movement = (definition: Definition, indices: readonly Scalar[]): Movement | undefined => {
    const layout = layoutOf(definition);
    if (layout.element !== contraction.element) return undefined;
    const position = positionBesideWindow(layout, indices);
    const by = steps.map((side) => strideOf({ position, bytes }, side));
    const { strides, window } = layout;
    if (!window) return { by };
    const index = indices[window.axis]!;
    if (index.kind !== "integer") return undefined;
    const offsets = steps.map(({ variable }) =>
      constantOf(subtract(index.term, ofVariable(variable))),
    );
    const at = offsets.findIndex((offset) => offset !== undefined);
    if (at < 0) return undefined;
    const bytesOfStep = strides[window.axis]! * bytes;
    return {
      by,
      window: { held: at, offset: offsets[at]!, steps: window.steps, bytes: bytesOfStep },
    };
  };
  const [a, b, c] = [
    movement(left.read.definition, left.read.indices),
    movement(right.read.definition, right.read.indices),
    movement(target, own),
  ];
  return a && b && c && { ...plan, held: { left: a, right: b, target: c } };
}

/** A position as a sum of coordinates, in cells. */
interface Strides {
  readonly position: Term;
  readonly bytes: number;
}

function strideOf({ position, bytes }: Strides, { variable }: Side): number {
  const coefficient = coefficientOf(position, variable);
  return (coefficient ? constantOf(coefficient)! : 0) * bytes;
}

/** Coordinates with the longest strides first. */
function inOrder(sides: readonly Side[], strides: Strides): readonly Side[] {
  return sides.toSorted((x, y) => Math.abs(strideOf(strides, y)) - Math.abs(strideOf(strides, x)));
}

/** Offsets of all positions of some coordinates, the last coordinate fastest. */
function offsets(sides: readonly Side[], strides: Strides): Int32Array {
  let all = Int32Array.of(0);
  for (const side of sides) {
    const stride = strideOf(strides, side);
    const extent = side.to - side.from;
    const next = new Int32Array(all.length * extent);
    let at = 0;
    for (const before of all)
      for (let k = 0; k < extent; k++) next[at++] = before + (side.from + k) * stride;
    all = next;
  }
  return all;
}

function table(sides: readonly Side[], strides: Strides, width: number): Table {
  const all = offsets(sides, strides);
  const filled = new Int32Array(Math.ceil(all.length / width) * width).fill(all.at(-1)!);
  filled.set(all);
  return { length: all.length, offsets: filled };
}

function streamStep(rows: Table, depth: Table): number {
  const step = stepOf(depth);
  const isNear = Math.min(1, rowsAtOnce / rows.length) * spanOf(rows) <= nearBytes;
  return Math.abs(step) <= nearStepBytes && isNear ? step : 0;
}

function nearStep(columns: Table, depth: Table): number {
  const step = stepOf(depth);
  return spanOf(columns) + Math.abs(step) * Math.min(depth.length, blockDepth) <= nearBytes
    ? step
    : 0;
}

/** How far the positions of a table lie apart; 0 where distances differ. */
function stepOf({ length, offsets: all }: Table): number {
  if (length < 2) return 0;
  const step = all[1]! - all[0]!;
  for (let k = 2; k < length; k++) if (all[k]! - all[k - 1]! !== step) return 0;
  return step;
}

/** How many bytes lie between the first and the last of a table's positions. */
function spanOf({ offsets: all }: Table): number {
  let [least, most] = [all[0]!, all[0]!];
  for (const offset of all) {
    least = Math.min(least, offset);
    most = Math.max(most, offset);
  }
  return most - least;
}

function panels(sides: readonly Side[], strides: Strides, width: number): Panels {
  const { length, offsets: all } = table(sides, strides, width);
  const kinds = new Uint8Array(all.length / width);
  for (let panel = 0; panel < kinds.length; panel++) {
    const first = panel * width;
    let isAdjacent = first + width <= length;
    for (let k = 1; isAdjacent && k < width; k++)
      isAdjacent = all[first + k] === all[first]! + k * strides.bytes;
    kinds[panel] = isAdjacent ? adjacentCells : scatteredCells;
  }
  return { length, offsets: all, kinds };
}

/** Blocks of about one size, at most `most` long and whole panels wide. */
function evenly(length: number, most: number, width: number): number {
  const count = Math.ceil(length / most);
  return Math.ceil(length / count / width) * width;
}
