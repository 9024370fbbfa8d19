// Structs and enums whose structure only a run knows, such as a list
// `enum List { Nil, Cons(f32, List) }`. A value is the list of its scalars in the order of its
// layout. A part that closes the cycle of its type, such as the `List` in `Cons`, is a reference:
// one scalar that holds a list of its own.

import { showInside } from "./values/show.ts";
import type { Span } from "../base/source.ts";
import { append, cellOfArray, cellsOfArray, lengthOfArray, slice } from "./cells.ts";
import type { FaultReason } from "./fault.ts";
import { elementOfList, extentsOfList, widthOfArrays, type Ranks } from "./listed.ts";
import { roundTo } from "./round.ts";
import { shownAs } from "./texts.ts";
import {
  addAt,
  heldAt,
  holdAt,
  joinedTotals,
  putAt,
  shifted,
  totalAt,
  type Total,
} from "./totals.ts";
import { zeroOf, type Data, type ElementType, type FloatType, type Scalar } from "./types.ts";

/**
 * The operations on data that a run performs.
 *
 * - `box` makes a reference of scalars, and `part` reads one of them. `same` compares two values.
 *   `show` gives the text of a value. `stop` ends the run.
 * - On arrays that functions make: `append` adds a cell at the end, or at a given position behind
 *   the end. `cell` reads one cell, `slice` gives a part of the array, and `size` gives the length.
 * - On cotangents that the pullbacks of functions gather: `add` adds to the total at one place, and
 *   `total` reads it. `put` adds to some parts, each of which follows its number. `join` adds two
 *   values, the second one as often as a count says. `shift` moves the places.
 * - On numbers that a loop keeps by place: `hold` writes a number, and `held` reads it, or gives a
 *   default where nothing has been written.
 */
export type DataFunction =
  "box" | "part" | "same" | "show" | ArrayFunction | TotalFunction | HeldFunction | "stop";

export type ArrayFunction = "append" | "cell" | "slice" | "size";

export type TotalFunction = "add" | "total" | "put" | "join" | "shift";

export type HeldFunction = "hold" | "held";

/** Why a run ends at a `stop`. The operands of the `stop` are the numbers for the message. */
export type Stop =
  /** An index out of bounds. The operands are the index and the extent. */
  | { readonly kind: "bounds"; readonly of: string; readonly axis: string; readonly span: Span }
  /** Two extents that must agree and do not. The operands are both extents. */
  | { readonly kind: "agreement"; readonly text: string; readonly span: Span }
  /** A reduction over nothing that has no value, such as an integer `max`. */
  | { readonly kind: "nothing"; readonly reason: FaultReason; readonly span: Span }
  /** A cell that a recurrence reads before it is computed. The operands are its indices. */
  | { readonly kind: "early"; readonly of: string; readonly span: Span }
  /** A cell that no clause defines. The operands are its indices. */
  | { readonly kind: "undefined"; readonly of: string; readonly span: Span };

/** What the scalars of a value stand for. */
export type Layout =
  | { readonly kind: "scalar"; readonly type: ElementType }
  | { readonly kind: "boxed"; readonly inside: () => Layout }
  /** An array that a function has made. If it has several axes, their extents follow it. */
  | {
      readonly kind: "cells";
      readonly type: ElementType;
      readonly rank: number;
      readonly format?: string;
    }
  /** Ragged rows: one array of starts for each level, then the cells. */
  | { readonly kind: "rows"; readonly type: ElementType; readonly levels: number }
  /**
   * A list of data with `rank` axes. It is stored as one array for each scalar of an element;
   * `arrays` holds the number of axes of each of these arrays.
   */
  | { readonly kind: "list"; readonly of: Layout; readonly rank: number; readonly arrays: Ranks }
  | { readonly kind: "tuple"; readonly members: readonly Layout[] }
  | {
      readonly kind: "struct";
      readonly name: string;
      readonly fields: readonly { readonly name: string; readonly layout: Layout }[];
    }
  /** The tag comes first, then the payloads of all variants. */
  | {
      readonly kind: "enum";
      readonly name: string;
      readonly variants: readonly { readonly name: string; readonly payload: readonly Layout[] }[];
    };

const widths = new WeakMap<Layout, number>();

/** How many scalars a value of this layout takes. */
function countOfScalars(layout: Layout): number {
  let width = widths.get(layout);
  if (width === undefined) widths.set(layout, (width = countScalars(layout)));
  return width;
}

function countScalars(layout: Layout): number {
  const total = (parts: readonly Layout[]): number =>
    parts.reduce((sum, part) => sum + countOfScalars(part), 0);
  switch (layout.kind) {
    case "scalar":
    case "boxed":
      return 1;
    case "cells":
      return widthOfArrays([layout.rank]);
    case "rows":
      return layout.levels + 1;
    case "list":
      return widthOfArrays(layout.arrays);
    case "tuple":
      return total(layout.members);
    case "struct":
      return total(layout.fields.map((field) => field.layout));
    case "enum":
      return 1 + total(layout.variants.flatMap((variant) => variant.payload));
    default:
      return layout satisfies never;
  }
}

/** The scalars of `data` from the position `at` on, read by a layout. */
interface View {
  readonly layout: Layout;
  readonly data: Data;
  readonly at: number;
}

/** A view of each layout, where the layouts follow one another from `start` on. */
function consecutiveViews(layouts: readonly Layout[], data: Data, start: number): readonly View[] {
  let at = start;
  return layouts.map((layout) => {
    const view: View = { layout, data, at };
    at += countOfScalars(layout);
    return view;
  });
}

type EnumLayout = Extract<Layout, { kind: "enum" }>;

function payloadOf(layout: EnumLayout, { data, at }: View): readonly View[] {
  const tag = Number(data[at]);
  return consecutiveViews(layout.variants[tag]?.payload ?? [], data, at + startsOf(layout)[tag]!);
}

const starts = new WeakMap<EnumLayout, readonly number[]>();

/** The position at which the payload of each variant begins. The tag is at position 0. */
function startsOf(layout: EnumLayout): readonly number[] {
  let known = starts.get(layout);
  if (!known) {
    let at = 1;
    known = layout.variants.map(({ payload }) => {
      const start = at;
      at += payload.reduce((sum, part) => sum + countOfScalars(part), 0);
      return start;
    });
    starts.set(layout, known);
  }
  return known;
}

/**
 * The value as a program writes it. The views that are still to be shown wait in a list, so that a
 * long linked list does not overflow the stack.
 */
export function showData(
  layout: Layout,
  data: Data,
  typeOf: (declared: ElementType) => ElementType,
): string {
  const pieces: string[] = [];
  const waiting: (string | View)[] = [{ layout, data, at: 0 }];
  const listed = (open: string, views: readonly View[], close: string): void => {
    waiting.push(close);
    for (let k = views.length - 1; k >= 0; k--) waiting.push(views[k]!, k === 0 ? open : ", ");
    if (views.length === 0) waiting.push(open);
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === "string") {
      pieces.push(next);
      continue;
    }
    const { layout: shown, data: from, at } = next;
    switch (shown.kind) {
      case "scalar":
        pieces.push(showInside(typeOf(shown.type), from[at]!));
        break;
      case "boxed":
        waiting.push({ layout: shown.inside(), data: from[at] as Data, at: 0 });
        break;
      case "cells": {
        const extents =
          shown.rank > 1 ? (from.slice(at + 1, at + 1 + shown.rank) as readonly number[]) : [];
        pieces.push(showCells(shown, from[at] as Data, typeOf, extents));
        break;
      }
      case "rows":
        pieces.push(showRows(shown, rowsAt(next, shown), typeOf));
        break;
      case "list":
        for (const part of bracketed(shown, next).toReversed()) waiting.push(part);
        break;
      case "tuple":
        listed("(", consecutiveViews(shown.members, from, at), ")");
        break;
      case "struct": {
        const views = consecutiveViews(
          shown.fields.map((field) => field.layout),
          from,
          at,
        );
        waiting.push(" }");
        for (let k = views.length - 1; k >= 0; k--)
          waiting.push(views[k]!, `${k === 0 ? "" : ", "}${shown.fields[k]!.name}: `);
        waiting.push(`${shown.name} { `);
        break;
      }
      case "enum": {
        const variant = shown.variants[Number(from[at])]!;
        const title = `${shown.name}::${variant.name}`;
        if (variant.payload.length === 0) pieces.push(title);
        else listed(`${title}(`, payloadOf(shown, next), ")");
        break;
      }
      default:
        shown satisfies never;
    }
  }
  return pieces.join("");
}

type ListLayout = Extract<Layout, { kind: "list" }>;

/** The elements of a list, in the order of their positions. */
function elementsOf({ of, rank, arrays }: ListLayout, { data, at }: View): readonly View[] {
  const count = extentsOfList(rank, arrays, data, at).reduce(
    (product, extent) => product * extent,
    1,
  );
  return Array.from({ length: count }, (_, k) => {
    return { layout: of, data: elementOfList(rank, arrays, data, at, k), at: 0 };
  });
}

/** The elements of a list, within one pair of brackets for each axis. */
function bracketed(layout: ListLayout, view: View): readonly (string | View)[] {
  const elements = elementsOf(layout, view);
  const inside = (
    from: number,
    [extent, ...behind]: readonly number[],
  ): readonly (string | View)[] => {
    if (extent === undefined) return [elements[from]!];
    const width = behind.reduce((product, each) => product * each, 1);
    const parts = Array.from({ length: extent }, (_, k) => [
      ...(k === 0 ? [] : [", "]),
      ...inside(from + k * width, behind),
    ]);
    return ["[", ...parts.flat(), "]"];
  };
  return inside(0, extentsOfList(layout.rank, layout.arrays, view.data, view.at));
}

/**
 * Whether two values are equal, part by part. Of an enum, only the payload of the variant at hand
 * is compared.
 */
export function sameData(layout: Layout, left: Data, right: Data): boolean {
  const waiting: (readonly [View, View])[] = [
    [
      { layout, data: left, at: 0 },
      { layout, data: right, at: 0 },
    ],
  ];
  const pair = (a: readonly View[], b: readonly View[]): void =>
    a.forEach((view, k) => waiting.push([view, b[k]!]));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [a, b] = next;
    const { layout: compared } = a;
    const [x, y] = [a.data[a.at], b.data[b.at]];
    switch (compared.kind) {
      case "scalar":
        if (x !== y) return false;
        break;
      case "cells":
        if (!sameCells(x as Data, y as Data) || !haveSameExtents(compared.rank, a, b)) return false;
        break;
      case "rows":
        if (
          showRows(compared, rowsAt(a, compared), asDeclared) !==
          showRows(compared, rowsAt(b, compared), asDeclared)
        )
          return false;
        break;
      case "list": {
        const [ours, theirs] = [elementsOf(compared, a), elementsOf(compared, b)];
        if (ours.length !== theirs.length) return false;
        pair(ours, theirs);
        break;
      }
      case "boxed": {
        const inside = compared.inside();
        waiting.push([
          { layout: inside, data: x as Data, at: 0 },
          { layout: inside, data: y as Data, at: 0 },
        ]);
        break;
      }
      case "tuple":
        pair(
          consecutiveViews(compared.members, a.data, a.at),
          consecutiveViews(compared.members, b.data, b.at),
        );
        break;
      case "struct": {
        const layouts = compared.fields.map((field) => field.layout);
        pair(consecutiveViews(layouts, a.data, a.at), consecutiveViews(layouts, b.data, b.at));
        break;
      }
      case "enum":
        if (x !== y) return false;
        pair(payloadOf(compared, a), payloadOf(compared, b));
        break;
      default:
        compared satisfies never;
    }
  }
  return true;
}

function showCells(
  { type, format }: Pick<Extract<Layout, { kind: "cells" }>, "type" | "format">,
  data: Data,
  typeOf: (declared: ElementType) => ElementType,
  extents: readonly number[] = [],
): string {
  const shown = shownAs(typeOf(type), format);
  const cells = cellsOfArray(data).map((cell) =>
    type === "str" && format === undefined ? showInside(type, cell) : shown(cell),
  );
  const rows = (from: number, [extent, ...behind]: readonly number[]): string => {
    const width = behind.reduce((size, each) => size * each, 1);
    const parts = Array.from({ length: extent! }, (_, k) => {
      const at = from + k * width;
      return behind.length === 0 ? cells[at]! : rows(at, behind);
    });
    return `[${parts.join(", ")}]`;
  };
  return rows(0, extents.length > 0 ? extents : [cells.length]);
}

type RowsLayout = Extract<Layout, { kind: "rows" }>;

const asDeclared = (type: ElementType): ElementType => type;

/** The arrays of starts of all levels, then the cells. */
function rowsAt({ data, at }: View, { levels }: RowsLayout): readonly Data[] {
  return data.slice(at, at + levels + 1) as readonly Data[];
}

/**
 * Ragged rows as nested brackets. The starts of one level say which entries of the next level a row
 * has.
 */
function showRows(
  { type }: RowsLayout,
  parts: readonly Data[],
  typeOf: (declared: ElementType) => ElementType,
): string {
  const levels = parts.slice(0, -1).map((starts) => cellsOfArray(starts) as readonly number[]);
  const shown = (from: number, to: number, level: number): string => {
    const starts = levels[level];
    if (!starts) return showCells({ type }, slice(parts.at(-1)!, from, to - from), typeOf);
    const rows = Array.from({ length: to - from }, (_, k) =>
      shown(starts[from + k]!, starts[from + k + 1]!, level + 1),
    );
    return `[${rows.join(", ")}]`;
  };
  return shown(0, levels[0]!.length - 1, 0);
}

function haveSameExtents(rank: number, a: View, b: View): boolean {
  return Array.from({ length: rank === 1 ? 0 : rank }, (_, k) => k + 1).every(
    (k) => a.data[a.at + k] === b.data[b.at + k],
  );
}

function sameCells(left: Data, right: Data): boolean {
  const [a, b] = [cellsOfArray(left), cellsOfArray(right)];
  return a.length === b.length && a.every((cell, k) => cell === b[k]);
}

/** The operation on arrays that `name` stands for. */
export function arrayFunction(
  name: ArrayFunction,
  type: ElementType,
): (...given: readonly Scalar[]) => Scalar {
  switch (name) {
    case "append":
      return (cells, value, at) => append(cells as Data, value, at as number | undefined);
    case "size":
      return (cells) => lengthOfArray(cells as Data);
    case "slice":
      return (cells, from, length) => slice(cells as Data, from as number, length as number);
    case "cell": {
      // A position without a cell occurs only in a tangent, and the tangent there is 0.
      const zero = zeroOf(type);
      return (cells, at) => cellOfArray(cells as Data, at as number) ?? zero;
    }
    default:
      return name satisfies never;
  }
}

/** The operation on cotangents that `name` stands for. A total is rounded to `type`. */
export function totalFunction(
  name: TotalFunction,
  type: ElementType,
): (...given: readonly Scalar[]) => Scalar {
  switch (name) {
    case "add":
      return (total, place, value) => addAt(total as Data, place as number, value as Total);
    case "total":
      return (total, place) => {
        const sum = totalAt(total as Data, place as number);
        return type === "data" ? sum || [] : roundTo(type as FloatType, sum as number);
      };
    case "put":
      return (parts, ...more) => putAt(parts as Data, more);
    case "join":
      return (left, right, times) =>
        joinedTotals(left as Data, right as Data, times as number | undefined);
    case "shift":
      return (total, by) => shifted(total as Data, by as number);
    default:
      return name satisfies never;
  }
}

/** The operation on numbers by place that `name` stands for. */
export function heldFunction(name: HeldFunction): (...given: readonly Scalar[]) => Scalar {
  switch (name) {
    case "hold":
      return (numbers, place, value) => holdAt(numbers as Data, place as number, value as number);
    case "held":
      return (numbers, place, otherwise) => heldAt(numbers as Data, place as number) ?? otherwise;
    default:
      return name satisfies never;
  }
}

/**
 * The function that compares two references (`same`) or writes one as text (`show`). The layout
 * says which scalars a reference holds.
 */
export function dataFunction(
  name: "same" | "show",
  layout: Layout,
  typeOf: (declared: ElementType) => ElementType,
): (...given: readonly Scalar[]) => Scalar {
  // `inside` is called late: a recursive type has a layout without end, which is made piece by
  // piece.
  const inside = (): Layout => (layout.kind === "boxed" ? layout.inside() : layout);
  if (layout.kind === "cells")
    return name === "same"
      ? (left, right) => sameCells(left as Data, right as Data)
      : (data, ...extents) => showCells(layout, data as Data, typeOf, extents as readonly number[]);
  return name === "same"
    ? (left, right) => sameData(inside(), left as Data, right as Data)
    : (data) => showData(inside(), data as Data, typeOf);
}
