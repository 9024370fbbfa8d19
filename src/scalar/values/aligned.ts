// The layout of a value at a terminal: a header with the coordinates and their extents, then
// aligned columns. A large value is abridged.
//
//   C = [i: 2, j: 2] f32
//     1.0  20.5
//     3.0   4.0

import { quoted } from "../../syntax/lex/escape.ts";
import { showScalar } from "./show.ts";
import { at, sizeOf, stridesOf } from "./value.ts";
import type { TensorValue } from "./value.ts";

export interface AlignedOptions {
  /** The name of the value, for the header. */
  readonly name?: string;
  /** Names of the coordinates, one for each axis. An axis without a name has undefined. */
  readonly names?: readonly (string | undefined)[];
  /** Columns of the terminal. */
  readonly width: number;
  readonly color: boolean;
}

/** A value with more cells than this is abridged to the edges of each axis. */
const mostCells = 1000;
const indent = "  ";
const gap = "  ";

/** A position along an axis, or the gap between the two edges. */
type Slot = number | "…";

export function showAligned(value: TensorValue, options: AlignedOptions): string {
  const { shape } = value;
  if (shape.length === 0) return showScalar(value.dtype, at(value, 0));
  const faint = options.color
    ? (text: string) => `\u001b[2m${text}\u001b[22m`
    : (text: string) => text;
  const lines = [faint(header(value, options))];
  if (sizeOf(shape) === 0) return [...lines, faint(`${indent}(no elements)`)].join("\n");
  const slots = abridge(shape);
  if (shape.length === 1) lines.push(...vector(value, slots[0]!, options.width, faint));
  else lines.push(...blocks(value, slots, options, faint));
  return lines.join("\n");
}

/** The first line, `C = [i: 2, j: 2] f32`. An axis without a name shows only its extent. */
function header(value: TensorValue, options: AlignedOptions): string {
  const axes = value.shape.map((extent, axis) => {
    const name = options.names?.[axis];
    return name ? `${name}: ${extent}` : String(extent);
  });
  return `${
    options.name === undefined ? "" : `${options.name} = `
  }[${axes.join(", ")}] ${value.dtype}`;
}

/**
 * The positions to show along each axis. If there are too many cells, only edges are shown, as wide
 * as `mostCells` allows.
 */
function abridge(shape: readonly number[]): readonly (readonly Slot[])[] {
  if (sizeOf(shape) <= mostCells) return shape.map((extent) => slotsOf(extent, extent));
  for (let edge = 3; edge > 1; edge--) {
    if (sizeOf(shape.map((extent) => Math.min(extent, 2 * edge))) <= mostCells)
      return shape.map((extent) => slotsOf(extent, edge));
  }
  return shape.map((extent) => slotsOf(extent, 1));
}

function slotsOf(extent: number, edge: number): readonly Slot[] {
  const run = (from: number, to: number): Slot[] =>
    Array.from({ length: to - from }, (_, step) => from + step);
  if (extent <= 2 * edge) return run(0, extent);
  return [...run(0, edge), "…", ...run(extent - edge, extent)];
}

/**
 * The text of one cell, split before its point, so that all points of a column stand in one line.
 * Text without a point ends where the points begin.
 */
interface Cell {
  readonly before: string;
  readonly after: string;
}

function splitCellAt(value: TensorValue, offset: number): Cell {
  const x = at(value, offset);
  if (typeof x === "string") return { before: "", after: quoted(x) };
  const text = showScalar(value.dtype, x);
  const split = typeof x === "number" && Number.isFinite(x) ? text.search(/[.e]/) : -1;
  return split < 0
    ? { before: text, after: "" }
    : { before: text.slice(0, split), after: text.slice(split) };
}

const ellipsis: Cell = { before: "…", after: "" };

function align(cells: readonly Cell[]): readonly string[] {
  const before = Math.max(...cells.map((cell) => cell.before.length));
  const after = Math.max(...cells.map((cell) => cell.after.length));
  return cells.map((cell) => cell.before.padStart(before) + cell.after.padEnd(after));
}

/**
 * A value of rank 1. If it needs several rows, each row begins with the position of its first cell.
 */
function vector(
  value: TensorValue,
  slots: readonly Slot[],
  width: number,
  faint: (text: string) => string,
): readonly string[] {
  const texts = align(slots.map((slot) => (slot === "…" ? ellipsis : splitCellAt(value, slot))));
  const wide = texts[0]!.length + gap.length;
  if (indent.length + texts.length * wide - gap.length <= width)
    return [(indent + texts.join(gap)).trimEnd()];
  const label = String(value.shape[0]! - 1).length;
  const perRow = Math.max(1, Math.floor((width - indent.length - label) / wide));
  const rows: string[] = [];
  for (let start = 0; start < texts.length; start += perRow) {
    const row = texts.slice(start, start + perRow).join(gap);
    rows.push(`${indent}${faint(String(slots[start]).padStart(label))}${gap}${row.trimEnd()}`);
  }
  return rows;
}

/**
 * A value of rank 2 or more: one matrix for each position of the leading axes, under a line such as
 * `batch = 3` that gives this position.
 */
function blocks(
  value: TensorValue,
  slots: readonly (readonly Slot[])[],
  options: AlignedOptions,
  faint: (text: string) => string,
): readonly string[] {
  const strides = stridesOf(value.shape);
  const lines: string[] = [];
  const visit = (axis: number, offset: number, place: readonly string[]): void => {
    if (axis === slots.length - 2) {
      if (place.length > 0) lines.push(faint(place.join(", ")));
      lines.push(...matrix(value, offset, slots[axis]!, slots[axis + 1]!, options.width));
      return;
    }
    const name = options.names?.[axis] ?? `axis ${axis}`;
    for (const slot of slots[axis]!) {
      if (slot === "…") lines.push(faint(`${name} = …`));
      else visit(axis + 1, offset + slot * strides[axis]!, [...place, `${name} = ${slot}`]);
    }
  };
  visit(0, 0, []);
  return lines;
}

function matrix(
  value: TensorValue,
  offset: number,
  rows: readonly Slot[],
  columns: readonly Slot[],
  width: number,
): readonly string[] {
  const extent = value.shape.at(-1)!;
  const texts = columns.map((column) =>
    align(
      rows.map((row) =>
        row === "…" || column === "…"
          ? ellipsis
          : splitCellAt(value, offset + row * extent + column),
      ),
    ),
  );
  const kept = fit(texts, width);
  return rows.map((_, row) => (indent + kept.map((column) => column[row]!).join(gap)).trimEnd());
}

/** Columns from both edges, as many as the width allows, and at least one from each edge. */
function fit(
  columns: readonly (readonly string[])[],
  width: number,
): readonly (readonly string[])[] {
  const wide = columns.map((column) => column[0]!.length + gap.length);
  const all = wide.reduce((sum, one) => sum + one, 0);
  if (indent.length + all - gap.length <= width || columns.length <= 3) return columns;
  let left = 1;
  let right = columns.length - 1;
  let used = indent.length + wide[0]! + wide[right]! + 1;
  while (left < right - 1) {
    const fromLeft = left <= columns.length - right;
    const next = fromLeft ? wide[left]! : wide[right - 1]!;
    if (used + next > width) break;
    used += next;
    if (fromLeft) left++;
    else right--;
  }
  const dots = columns[0]!.map(() => "…");
  return [...columns.slice(0, left), dots, ...columns.slice(right)];
}
