// Builds the plans of operations that read their operands cell by cell. Such an operation has a
// pattern, which says which coordinate walks each axis, and lines of Einlang.

import type { TensorType } from "./definition.ts";
import type { Form, Plan } from "./operation.ts";
import { merge, type Pattern, type Walk } from "./pattern.ts";
import type { Shape } from "./shape.ts";

/** The parts from which an operation writes its lines. */
export interface Writing {
  /** The read of an operand at its coordinates, cast to `type` if it has another type. */
  readonly read: (operand: number, type?: TensorType) => string;
  /** The name of a coordinate of the operation's own pattern. */
  readonly coordinate: (c: number) => string;
  /** The names of the result's coordinates. */
  readonly kept: readonly string[];
  /** The slots of the result. A coordinate that no operand has gets a range. */
  readonly slots: readonly string[];
  /** The names of the coordinates that the result lacks. */
  readonly reduced: readonly string[];
  /** The number of cells that are reduced to one, as an integer expression. */
  readonly count: string;
  /** The name of the result. */
  readonly out: string;
}

interface Indexed extends Form {
  readonly pattern: Pattern;
  /** Coordinates that the lines name, so that they are not merged with others. */
  readonly apart?: readonly number[];
  readonly functions?: string;
  readonly lines: (writing: Writing) => string;
}

/** `name[i, j]`, or only the name if there are no coordinates. */
export function cell(name: string, coordinates: readonly string[]): string {
  return coordinates.length === 0 ? name : `${name}[${coordinates.join(", ")}]`;
}

/** `sum[i, j](body)`. */
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

/** The coordinates of the result that no operand has. */
function missing({ operands, result }: Pattern): readonly number[] {
  return result.filter((c) => !operands.some((walks) => walks.includes(c)));
}

interface Wording {
  readonly pattern: Pattern;
  /** The number in this pattern of a coordinate of the operation's pattern. */
  readonly numberOf: (c: number) => number;
  readonly names: readonly string[];
  readonly out: string;
  /** The extent of a coordinate as a type writes it. */
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

/** A pattern in which the result has the axes of the only operand. */
export function plainPattern(shape: Shape): Pattern {
  const all = shape.map((_, axis) => axis);
  return { operands: [all], result: all, extents: shape };
}
