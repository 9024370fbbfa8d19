// Converting a value from outside to the element type that an `input` declares. Only a rounding may
// lose something.

import { cast } from "../casts.ts";
import { allocate, integerBounds, isFloat, isInteger, isNumeric } from "../types.ts";
import type { ElementType, Unsized } from "../types.ts";
import { failure } from "../../base/failure.ts";
import type { Failure } from "../../base/failure.ts";
import { at, indicesOf, showIndices, store } from "./value.ts";
import type { TensorValue } from "./value.ts";

/**
 * Floats are rounded to the declared float type. Integers must fit into the declared integer type.
 * Integers and bools become floats. All other conversions are refused.
 */
export function convertInput(value: TensorValue, declared: ElementType): TensorValue | Failure {
  const from = value.dtype;
  if (from === declared) return value;
  const refusal = refusalOf(from, declared);
  if (refusal) return failure(refusal);
  const data = allocate(declared as Exclude<ElementType, Unsized>, value.data.length);
  for (let offset = 0; offset < value.data.length; offset++) {
    const x = at(value, offset);
    if (isInteger(declared)) {
      const { least, greatest } = integerBounds[declared];
      if ((x as number | bigint) < least || (x as number | bigint) > greatest)
        return failure(
          `${cellIn(value, offset)} does not fit in ${declared} (${least} to ${greatest})`,
        );
    }
    const cell = cast(from, declared, x);
    if (typeof cell === "number" && Math.abs(cell) === Infinity && Math.abs(Number(x)) !== Infinity)
      return failure(
        `${cellIn(value, offset)} is too large for ${declared}; ` +
          "declare a wider float, or run with --f64",
      );
    store(data, offset, cell);
  }
  return { dtype: declared, shape: value.shape, data };
}

/** The beginning of a message about a cell: `element [0, 1] is 300, which`. */
function cellIn(value: TensorValue, offset: number): string {
  const place = value.shape.length
    ? `element ${showIndices(indicesOf(value.shape, offset))}`
    : "the value";
  return `${place} is ${String(at(value, offset))}, which`;
}

function refusalOf(from: ElementType, declared: ElementType): string | undefined {
  if (isFloat(declared) && (isNumeric(from) || from === "bool")) return undefined;
  if (isInteger(declared) && isInteger(from)) return undefined;
  const what = `the value is ${from}, but ${declared} is declared`;
  if (isInteger(declared) && isFloat(from)) {
    return (
      `${what}; a float is not cut to an integer silently: ` +
      `declare it ${from} and cast it with \`as ${declared}\``
    );
  }
  if (declared === "bool" && isNumeric(from))
    return `${what}; declare it ${from} and compare it, \`x != 0\``;
  return what;
}
