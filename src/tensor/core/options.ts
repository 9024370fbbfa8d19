// Checks the options of calls from plain JavaScript. An unknown option is an error.

import { isElementType } from "../../scalar/types.ts";
import type { TensorType } from "./definition.ts";
import { TensorError } from "./error.ts";

/** Checks that options are an object with known names only. */
export function checkOptions(operation: string, options: object, known: readonly string[]): void {
  const wanted = `{ ${known.join(", ")} }`;
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new TensorError(
      `${operation}: options are an object, ${wanted}, and ${JSON.stringify(options)} came`,
    );
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TensorError(
      `${operation}: there is no option \`${unknown}\`; the options are ${wanted}`,
    );
}

/** Checks that an option is one of several words. */
export function checkChoice(
  operation: string,
  option: string,
  value: string,
  words: readonly string[],
): void {
  if (words.includes(value)) return;
  const list = words.map((word) => `"${word}"`).join(", ");
  throw new TensorError(
    `${operation}: \`${option}\` is one of ${list}, and ${JSON.stringify(value)} came`,
  );
}

/** Checks that numbers are whole and not below `least`. */
export function checkWhole(
  operation: string,
  option: string,
  values: readonly number[],
  least: number,
): void {
  const bad = values.find((value) => !(Number.isInteger(value) && value >= least));
  if (bad === undefined) return;
  throw new TensorError(
    `${operation}: \`${option}\` is whole and at least ${least}, and ${JSON.stringify(bad)} came`,
  );
}

/** Checks that a type has cells of numbers or bools. */
export function checkType(operation: string, dtype: string): asserts dtype is TensorType {
  if (isElementType(dtype) && dtype !== "str" && dtype !== "data") return;
  throw new TensorError(
    `${operation}: \`dtype\` is one of f32, f64, f16, bf16, i32, i64, i8, bool, ` +
      `and ${JSON.stringify(dtype)} came`,
  );
}
