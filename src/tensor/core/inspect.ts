// The text of a tensor: its cells, its type and shape, and the operation that made it.

import { showAligned } from "../../scalar/values/aligned.ts";
import { showTensor } from "../../scalar/values/show.ts";
import type { Tensor } from "../tensor.ts";
import { showShape } from "./shape.ts";

/** A tensor with more cells is laid out in columns. */
const mostInLine = 8;

export function inspected({ shape, dtype, data, requiresGrad, recipe }: Tensor): string {
  const facts = [
    dtype,
    ...(shape.length === 0 ? [] : [showShape(shape)]),
    ...(recipe ? [`made by ${recipe.operation}`] : []),
    ...(requiresGrad && !recipe ? ["requires gradients"] : []),
  ].join(", ");
  const value = { dtype, shape, data };
  if (data.length <= mostInLine) return `Tensor(${showTensor(value)}, ${facts})`;
  const [, ...rows] = showAligned(value, { width: 100, color: false }).split("\n");
  return `Tensor(${facts}) [\n${rows.join("\n")}\n]`;
}
