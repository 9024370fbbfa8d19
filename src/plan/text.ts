// Prints scalars, ranges and reductions of the optimiser.

import { scalarText, type Names } from "../print/scalar.ts";
import type { Loop, Scalar } from "../ir/program.ts";
import type { Reduction } from "./regions/regions.ts";

export function textOfScalar(names: Names, scalar: Scalar): string {
  return scalarText(names, scalar, "alone").text;
}

export function reductionText(
  names: Names,
  { reduction, loops, guards, value }: Reduction,
): string {
  const bracket = loops.map((loop) => loopText(names, loop)).join(", ");
  const where =
    guards.length > 0
      ? ` where ${guards.map((guard) => textOfScalar(names, guard)).join(", ")}`
      : "";
  return `${reduction}[${bracket}](${textOfScalar(names, value)}${where})`;
}

function loopText(names: Names, { variable, from, to }: Loop): string {
  return `${variable.name} in ${textOfScalar(names, from)}..${textOfScalar(names, to)}`;
}
