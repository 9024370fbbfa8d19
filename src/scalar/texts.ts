// The functions on strings: one row for each, with its types and its value. An interpolation such
// as `"{x} m"` becomes `show` and `concat`. All other rows are methods, such as `s.upper()`.
// Comparisons such as `s < t` use `compare` too.

import { formatScalar } from "./values/format-spec.ts";
import { parseFormatSpec } from "../base/format-spec.ts";
import { failed } from "../base/failure.ts";
import { showScalar } from "./values/show.ts";
import { append, cellsOfArray } from "./cells.ts";
import type { Data, ElementType, Scalar } from "./types.ts";

export type TextFunction = keyof typeof textFunctions;
export type TextMethod = Exclude<TextFunction, "show" | "concat">;

interface Row {
  /**
   * The types of the operands after the text itself. `show` takes a value of any type, `concat` any
   * number of strings. `data` is an array of strings.
   */
  readonly operands: readonly ElementType[];
  readonly result: ElementType;
  readonly evaluate: (text: string, ...given: readonly Scalar[]) => Scalar;
}

/**
 * The characters of a text by code point. Positions in the language count these, not UTF-16 units.
 */
const characters = (text: string): readonly string[] => [...text];

/** -1, 0 or 1 by the first code point that differs. A text comes before its own continuations. */
function byCodePoints(a: string, b: string): number {
  const [left, right] = [characters(a), characters(b)];
  for (const [k, character] of left.entries()) {
    const other = right[k];
    if (other === undefined) return 1;
    const difference = character.codePointAt(0)! - other.codePointAt(0)!;
    if (difference !== 0) return Math.sign(difference);
  }
  return left.length < right.length ? -1 : 0;
}

const textFunctions = {
  show: { operands: [], result: "str", evaluate: (text) => text },
  concat: { operands: [], result: "str", evaluate: (text, ...more) => text + more.join("") },
  len: { operands: [], result: "i32", evaluate: (text) => characters(text).length },
  upper: { operands: [], result: "str", evaluate: (text) => text.toUpperCase() },
  lower: { operands: [], result: "str", evaluate: (text) => text.toLowerCase() },
  trim: { operands: [], result: "str", evaluate: (text) => text.trim() },
  contains: {
    operands: ["str"],
    result: "bool",
    evaluate: (text, part) => text.includes(String(part)),
  },
  starts_with: {
    operands: ["str"],
    result: "bool",
    evaluate: (text, part) => text.startsWith(String(part)),
  },
  ends_with: {
    operands: ["str"],
    result: "bool",
    evaluate: (text, part) => text.endsWith(String(part)),
  },
  compare: {
    operands: ["str"],
    result: "i32",
    evaluate: (text, other) => byCodePoints(text, String(other)),
  },
  find: {
    operands: ["str"],
    result: "i32",
    evaluate: (text, part) => {
      const at = text.indexOf(String(part));
      return at < 0 ? -1 : characters(text.slice(0, at)).length;
    },
  },
  replace: {
    operands: ["str", "str"],
    result: "str",
    evaluate: (text, from, to) => text.split(String(from)).join(String(to)),
  },
  repeat: {
    operands: ["i32"],
    result: "str",
    evaluate: (text, count) => text.repeat(Math.max(0, Number(count))),
  },
  split: {
    operands: ["str"],
    result: "data",
    evaluate: (text, by) => {
      const pieces = by === "" ? characters(text) : text.split(String(by));
      return pieces.reduce<Data>((cells, piece) => append(cells, piece), []);
    },
  },
  join: {
    operands: ["data"],
    result: "str",
    evaluate: (text, pieces) => cellsOfArray(pieces as Data).join(text),
  },
  slice: {
    operands: ["i32", "i32"],
    result: "str",
    evaluate: (text, from, to) =>
      characters(text)
        .slice(Math.max(0, Number(from)), Math.max(0, Number(to)))
        .join(""),
  },
} as const satisfies Record<string, Row>;

export function textRow(name: TextFunction): Row {
  return textFunctions[name];
}

export const textMethods = (Object.keys(textFunctions) as readonly TextFunction[]).filter(
  (name): name is TextMethod => name !== "show" && name !== "concat",
);

export function isTextMethod(name: string): name is TextMethod {
  return (textMethods as readonly string[]).includes(name);
}

/** How a scalar is shown: as `print` shows it, or in a format. */
export function shownAs(type: ElementType, format: string | undefined): (value: Scalar) => string {
  const spec = format === undefined ? undefined : parseFormatSpec(format);
  return spec === undefined || failed(spec)
    ? (value) => showScalar(type, value)
    : (value) => formatScalar(spec, type, value);
}
