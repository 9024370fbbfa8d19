// Plans a contraction as tables and blocks: where the cells of both operands and of the target lie,
// and how much is packed and multiplied at a time.
//
// The depth is divided into blocks whose panels fit into the nearest cache, the columns into blocks
// that fit into a farther cache, and the rows into blocks of a size in between. Blocks depend on
// sizes alone, so a sum has the same bits in every run.

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
 * The byte offsets of the positions of some coordinates. The last offset is repeated up to a whole
 * panel.
 */
export interface Table {
  readonly length: number;
  readonly offsets: Int32Array;
}

/** The offsets of rows or columns, and for each panel whether its cells are adjacent. */
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
  /** Inside a recurrence: how the held positions move each of the three. */
  readonly held?: { readonly left: Movement; readonly right: Movement; readonly target: Movement };
  readonly rows: Panels;
  readonly columns: Panels;
  readonly targetRows: Table;
  readonly targetColumns: Panels;
  readonly leftDepth: Table;
  readonly rightDepth: Table;
  /**
   * The bytes between two positions of the depth in an operand that tiles read in place; 0 for an
   * operand that is packed.
   */
  readonly leftStep: number;
  readonly rightStep: number;
  readonly blocks: Blocks;
  /**
   * Whether an operand has zeros for terms that guards leave out. Then the other operand must be
   * finite.
   */
  readonly leftMasked: boolean;
  readonly rightMasked: boolean;
}

/**
 * How many bytes an address moves: `by` for each held position, and further by its place in a
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

interface Blocks {
  readonly depth: number;
  readonly rows: number;
  readonly columns: number;
}

/**
 * An operand is read in place instead of being packed, if the cells that are read at a time lie
 * within `nearBytes`, which fit into a cache. This holds for left operands with neighbouring cells
 * along the depth, which tiles read as streams, and for right operands of few rows, for which
 * packing would not pay.
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
  const {
    element,
    left,
    right,
    target,
    indices: targetIndices,
    batch,
    rows,
    columns,
    depth,
  } = contraction;
  const bytes = cellBytes(element);
  const stridesOfCells = (definition: Definition, indices: readonly Scalar[]): Strides => {
    return { position: positionWithoutWindow(layoutOf(definition), indices), bytes };
  };
  const leftStrides = stridesOfCells(left.read.definition, left.read.indices);
  const rightStrides = stridesOfCells(right.read.definition, right.read.indices);
  const targetStrides = stridesOfCells(target, targetIndices);
  // Both operands are walked along the depth in the same order: the order of the larger one in
  // memory.
  const orderedDepth = longestStridesFirst(
    depth,
    cellsIn(rows) >= cellsIn(columns) ? leftStrides : rightStrides,
  );
  const batchOffsets = (strides: Strides): Int32Array => offsetsOf(batch, strides);
  const [leftBatch, rightBatch, targetBatch] = [
    batchOffsets(leftStrides),
    batchOffsets(rightStrides),
    batchOffsets(targetStrides),
  ];
  const [leftDepth, rightDepth] = [
    newTable(orderedDepth, leftStrides, 1),
    newTable(orderedDepth, rightStrides, 1),
  ];
  // The check for finite cells is a part of packing, so an operand that needs the check is packed.
  const leftStep = right.isMasked ? 0 : stepOfStream(newTable(rows, leftStrides, 1), leftDepth);
  const form =
    (leftStep === 0 ? undefined : tallFormFor(element, cellsIn(rows))) ?? formFor(element);
  const [leftRows, rightColumns] = [
    newPanels(rows, leftStrides, form.rows),
    newPanels(columns, rightStrides, form.columns),
  ];
  const [aFirst, bFirst, cFirst] = [leftStrides, rightStrides, targetStrides].map(
    ({ position }) => position.constant * bytes,
  ) as [number, number, number];
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
    targetRows: newTable(rows, targetStrides, form.rows),
    targetColumns: newPanels(columns, targetStrides, form.columns),
    leftDepth,
    rightDepth,
    leftStep,
    rightStep:
      left.isMasked || leftRows.length > fewRows
        ? 0
        : Math.max(0, stepOfNearColumns(rightColumns, rightDepth)),
    blocks: {
      depth: evenBlockLength(cellsIn(depth), blockDepth, 1),
      rows: evenBlockLength(cellsIn(rows), blockRows, form.rows),
      columns: evenBlockLength(cellsIn(columns), blockColumns, form.columns),
    },
    leftMasked: left.isMasked,
    rightMasked: right.isMasked,
  };
}

const zeroIndex = integerScalar(constant(0));

/**
 * The position of a cell without its place in a window of steps. It is always a term, because the
 * indices of a contraction's operands are sums of coordinates.
 */
function positionWithoutWindow({ strides, window }: Layout, indices: readonly Scalar[]): Term {
  return positionTerm(
    { strides },
    indices.map((index, axis) => (axis === window?.axis ? zeroIndex : index)),
  )!;
}

/**
 * Plans a contraction of the steps of a recurrence. `undefined` where the index in a window of
 * steps is not a held position plus a constant.
 */
export function planStep(
  contraction: StepContraction,
  layoutOf: (definition: Definition) => Layout,
): ContractionPlan | undefined {
  const { left, right, target, indices: targetIndices, held } = contraction;
  const plan = planContraction(contraction, layoutOf);
  const bytes = cellBytes(contraction.element);
  const steps = [...held.values()];
  const movement = (definition: Definition, indices: readonly Scalar[]): Movement | undefined => {
    const layout = layoutOf(definition);
    if (layout.element !== contraction.element) return undefined;
    const position = positionWithoutWindow(layout, indices);
    const by = steps.map((side) => strideOf({ position, bytes }, side));
    const { strides, window } = layout;
    if (!window) return { by };
    const index = indices[window.axis]!;
    if (index.kind !== "integer") return undefined;
    const offsets = steps.map(({ variable }) =>
      constantOf(subtract(index.term, ofVariable(variable))),
    );
    const heldIndex = offsets.findIndex((offset) => offset !== undefined);
    if (heldIndex < 0) return undefined;
    const bytesOfStep = strides[window.axis]! * bytes;
    return {
      by,
      window: {
        held: heldIndex,
        offset: offsets[heldIndex]!,
        steps: window.steps,
        bytes: bytesOfStep,
      },
    };
  };
  const [a, b, c] = [
    movement(left.read.definition, left.read.indices),
    movement(right.read.definition, right.read.indices),
    movement(target, targetIndices),
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

/** Sorts coordinates by their strides, the longest first. */
function longestStridesFirst(sides: readonly Side[], strides: Strides): readonly Side[] {
  return sides.toSorted((x, y) => Math.abs(strideOf(strides, y)) - Math.abs(strideOf(strides, x)));
}

/** The offsets of all positions of some coordinates; the last coordinate changes fastest. */
function offsetsOf(sides: readonly Side[], strides: Strides): Int32Array {
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

function newTable(sides: readonly Side[], strides: Strides, width: number): Table {
  const all = offsetsOf(sides, strides);
  const padded = new Int32Array(Math.ceil(all.length / width) * width).fill(all.at(-1)!);
  padded.set(all);
  return { length: all.length, offsets: padded };
}

function stepOfStream(rows: Table, depth: Table): number {
  const step = constantStepOf(depth);
  const isNear = Math.min(1, rowsAtOnce / rows.length) * spanOf(rows) <= nearBytes;
  return Math.abs(step) <= nearStepBytes && isNear ? step : 0;
}

function stepOfNearColumns(columns: Table, depth: Table): number {
  const step = constantStepOf(depth);
  return spanOf(columns) + Math.abs(step) * Math.min(depth.length, blockDepth) <= nearBytes
    ? step
    : 0;
}

/** The distance between neighbouring positions of a table; 0 if the distances differ. */
function constantStepOf({ length, offsets: all }: Table): number {
  if (length < 2) return 0;
  const step = all[1]! - all[0]!;
  for (let k = 2; k < length; k++) if (all[k]! - all[k - 1]! !== step) return 0;
  return step;
}

/** The bytes between the least and the greatest offset of a table. */
function spanOf({ offsets: all }: Table): number {
  let [least, most] = [all[0]!, all[0]!];
  for (const offset of all) {
    least = Math.min(least, offset);
    most = Math.max(most, offset);
  }
  return most - least;
}

function newPanels(sides: readonly Side[], strides: Strides, width: number): Panels {
  const { length, offsets: all } = newTable(sides, strides, width);
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

/** The length of blocks of equal size: at most about `most`, and whole panels wide. */
function evenBlockLength(length: number, most: number, width: number): number {
  const count = Math.ceil(length / most);
  return Math.ceil(length / count / width) * width;
}
