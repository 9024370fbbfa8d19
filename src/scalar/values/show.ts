// The texts that `print` shows. A number gets the shortest text that reads back as the same value
// of its type. A tensor becomes nested brackets: `[[1.0, 2.5], [3.0, 4.0]]`.

import { isFloat } from "../types.ts";
import type { ElementType, Scalar } from "../types.ts";
import { quoted } from "../../syntax/lex/escape.ts";
import { shortest } from "./shortest.ts";
import { at, sizeOf } from "./value.ts";
import type { TensorValue } from "./value.ts";

/**
 * The text of a scalar. A float always has a point or an exponent, or is `NaN`, `Infinity` or
 * `-Infinity`.
 */
export function showScalar(type: ElementType, x: Scalar): string {
  if (!isFloat(type)) return String(x);
  const number = x as number;
  if (Object.is(number, -0)) return "-0.0";
  const text = String(shortest(type, number)).replace("e+", "e");
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** The text of a scalar inside a larger value: a string stands in quotes. */
export function showInside(type: ElementType, x: Scalar): string {
  return typeof x === "string" ? quoted(x) : showScalar(type, x);
}

/** The text of a whole tensor, on one line. */
export function showTensor(value: TensorValue): string {
  const { dtype, shape } = value;
  if (shape.length === 0) return showScalar(dtype, at(value, 0));
  return showCells(value, (x) => showInside(dtype, x));
}

/** Nested brackets in which `show` writes every cell. */
export function showCells(value: TensorValue, show: (cell: Scalar) => string): string {
  const { shape } = value;
  const nest = (axis: number, offset: number): string => {
    if (axis === shape.length) return show(at(value, offset));
    const step = sizeOf(shape.slice(axis + 1));
    const parts: string[] = [];
    for (let index = 0; index < shape[axis]!; index++)
      parts.push(nest(axis + 1, offset + index * step));
    return `[${parts.join(", ")}]`;
  };
  return nest(0, 0);
}
