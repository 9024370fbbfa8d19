// How a tensor shows itself: its cells, what they are, and where it comes from.

import { showAligned } from "../../scalar/values/aligned.ts";
import { showTensor } from "../../scalar/values/show.ts";
import type { Tensor } from "../tensor.ts";
import { showShape } from "./shape.ts";

/** More cells than this are laid out in columns below the facts. */
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
