// Writing operations whose operands are read coordinate by coordinate: a pattern of walks and the
// lines between them.

import type { TensorType } from "./definition.ts";
import type { Form, Plan } from "./operation.ts";
import { merge, type Pattern, type Walk } from "./pattern.ts";
import type { Shape } from "./shape.ts";

/** What the lines of a definition are written with. */
export interface Writing {
  /** The operand's cell at its coordinates, as a number of some type. */
  readonly read: (operand: number, type?: TensorType) => string;
  /** The name of a coordinate of the operation's own pattern. */
  readonly coordinate: (c: number) => string;
  /** Coordinates of the result. */
  readonly kept: readonly string[];
  /** The slots of the result's declaration: coordinates, with a range where no operand has them. */
  readonly slots: readonly string[];
  /** Coordinates that the result lacks. */
  readonly reduced: readonly string[];
  /** The number of cells that are reduced to one, as an integer. */
  readonly count: string;
  /** The result's own name. */
  readonly out: string;
}

export interface Indexed extends Form {
  readonly pattern: Pattern;
  /** Coordinates that the lines name. */
  readonly apart?: readonly number[];
  readonly functions?: string;
  readonly lines: (writing: Writing) => string;
}

/** `name[i, j]`, or the name alone. */
export function cell(name: string, coordinates: readonly string[]): string {
  return coordinates.length === 0 ? name : `${name}[${coordinates.join(", ")}]`;
}

/** `sum[i, j](body)`, or the body where there is nothing to reduce. */
export function reduced(reduction: string, coordinates: readonly string[], body: string): string {
  return `${reduction}[${coordinates.join(", ")}](${body})`;
}

export function indexedPlan(forms: readonly Form[], indexed: Indexed): Plan {
  const { pattern, apart = [], shape, dtype } = indexed;
  const { pattern: merged, views, numberOf } = merge(pattern, new Set(apart));
  const names = forms.map((_, k) => letters[k] ?? `a${k}`);
  const sizes = missing(merged);
  return {
    shape,
    dtype,
    views,
    view: merged.result.map((c) => merged.extents[c]!),
    sizes: sizes.map((c) => merged.extents[c]!),
    definition: definitionOf(forms, indexed, {
      pattern: merged,
      numberOf,
      names,
      out: "y",
      extent: (c) => `n${c}`,
    }),
    written: (operands, out) =>
      definitionOf(forms, indexed, {
        pattern,
        numberOf: (c) => c,
        names: operands,
        out,
        extent: (c) => String(pattern.extents[c]!),
      }),
  };
}

const letters = ["a", "b", "c", "d", "e", "f"];
const coordinateNames = ["i", "j", "k", "l"];

/** Coordinates of the result that no operand has. */
function missing({ operands, result }: Pattern): readonly number[] {
  return result.filter((c) => !operands.some((walks) => walks.includes(c)));
}

interface Wording {
  readonly pattern: Pattern;
  /** From coordinates of the operation's pattern to those of this one. */
  readonly numberOf: (c: number) => number;
  readonly names: readonly string[];
  readonly out: string;
  /** The extent of a coordinate, as it stands in a type. */
  readonly extent: (c: number) => string;
}

function definitionOf(
  forms: readonly Form[],
  indexed: Indexed,
  wording: Wording,
): Plan["definition"] {
  const { pattern, numberOf, names, out, extent } = wording;
  const { operands, result } = pattern;
  const nameOf = (c: number): string => coordinateNames[c] ?? `i${c}`;
  const sizes = missing(pattern).map(extent);
  const reducedOnes = [...new Set(operands.flat())].filter(
    (c): c is number => c !== "one" && !result.includes(c),
  );
  const sizeOf = (c: number): string =>
    /^\d/.test(extent(c)) ? extent(c) : `extent(${extent(c)})`;
  const writing: Writing = {
    read: (operand, type) => {
      const read = cell(
        names[operand]!,
        operands[operand]!.map((walk) => (walk === "one" ? "0" : nameOf(walk))),
      );
      return type === undefined || type === forms[operand]!.dtype ? read : `(${read} as ${type})`;
    },
    coordinate: (c) => nameOf(numberOf(c)),
    kept: result.map(nameOf),
    slots: result.map((c) =>
      missing(pattern).includes(c) ? `${nameOf(c)} in 0..${extent(c)}` : nameOf(c),
    ),
    reduced: reducedOnes.map(nameOf),
    count: reducedOnes.length === 0 ? "1" : reducedOnes.map(sizeOf).join(" * "),
    out,
  };
  return {
    functions: indexed.functions ?? "",
    sizes: sizes.filter((size) => !/^\d/.test(size)),
    operands: forms.map(({ dtype }, k) => ({
      name: names[k]!,
      dtype,
      axes: operands[k]!.map((walk: Walk) => (walk === "one" ? "1" : extent(walk))),
    })),
    lines: indexed.lines(writing),
    result: { name: out, dtype: indexed.dtype, axes: result.map(extent) },
  };
}

/** A pattern in which every axis of every operand is walked as it stands. */
export function plainPattern(shape: Shape): Pattern {
  const all = shape.map((_, axis) => axis);
  return { operands: [all], result: all, extents: shape };
}
