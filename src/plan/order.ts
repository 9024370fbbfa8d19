// The order in which the terms of a reduction are walked: the coordinate whose terms lie nearest to
// one another comes innermost.
//
//   sum[i, j](x[j, i])   walks x row by row as   sum[j, i](x[j, i])
//
// The cost of a coordinate is what a step along it costs in memory, over all reads of a term:
// nothing for a cell that stays, little for a neighbour, a cache line for anything farther.

import { isOff } from "../ir/rewrites.ts";
import { eachScalar } from "../ir/parts.ts";
import type { Loop, Scalar } from "../ir/program.ts";
import { usesAny } from "../analyse/ties.ts";
import type { Variable } from "../affine/term.ts";
import type { Reduction } from "./regions/regions.ts";
import { noted } from "./rules.ts";
import { valueOf } from "../analyse/can-fail.ts";

type Read = Extract<Scalar, { kind: "read" }>;

/** How many cells apart a step along a coordinate moves a read, where that is a number. */
export type StrideOf = (read: Read, variable: Variable) => number | undefined;

/** Steps along fewer positions than this are no loop to speak of. */
const fewPositions = 8;

export function inOrder(body: Reduction, strideOf: StrideOf): Reduction {
  const { loops, reduction } = body;
  if (isOff("order")) return body;
  // A winner is the first one in the order that is written.
  if (loops.length < 2 || reduction === "argmax" || reduction === "argmin") return body;
  if (loops.some(({ from, to }) => usesAny(from, loops) || usesAny(to, loops))) return body;
  const costs = new Map(loops.map((loop) => [loop, costAlong(body, loop, strideOf)]));
  const sorted = loops.toSorted((a, b) => costs.get(b)! - costs.get(a)!);
  if (sorted.every((loop, k) => loop === loops[k])) return body;
  noted("order", () => `${sorted.map(({ variable }) => variable.name).join(", ")} from outside in`);
  return { ...body, loops: sorted };
}

/** What a step along a loop costs, over the reads of one term. */
function costAlong(
  { value, guards }: Reduction,
  { variable, from, to }: Loop,
  strideOf: StrideOf,
): number {
  let cost = 0;
  const seen = new Set<Scalar>();
  for (const scalar of [value, ...guards])
    eachScalar(scalar, (part) => {
      if (part.kind !== "read" || seen.has(part)) return;
      seen.add(part);
      cost += costOfStride(strideOf(part, variable));
    });
  const length = Number(valueOf(to) ?? Infinity) - Number(valueOf(from) ?? 0);
  return length < fewPositions ? Math.max(cost, costOfStride(lineOfCells)) : cost;
}

const lineOfCells = 16;

function costOfStride(stride: number | undefined): number {
  if (stride === undefined) return 12;
  const cells = Math.abs(stride);
  if (cells <= 1) return cells;
  return cells < lineOfCells ? 2 : cells < 1024 ? 6 : 8;
}
