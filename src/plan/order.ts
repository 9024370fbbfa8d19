// Chooses the order of the loops of a reduction: the coordinate whose terms lie nearest to one
// another in memory becomes the innermost loop.
//
//   sum[i, j](x[j, i])   walks x row by row as   sum[j, i](x[j, i])
//
// The cost of a coordinate is the memory cost of one step along it, added up over all reads of a
// term: nothing for a read that stays at its cell, little for a neighbouring cell, a cache line for
// anything farther.

import { isOff } from "../ir/rewrites.ts";
import { eachScalar } from "../ir/parts.ts";
import type { Loop, Scalar } from "../ir/program.ts";
import { usesAny } from "../analyse/ties.ts";
import type { Variable } from "../affine/term.ts";
import type { Reduction } from "./regions/regions.ts";
import { noted } from "./rules.ts";
import { valueOf } from "../analyse/can-fail.ts";

type Read = Extract<Scalar, { kind: "read" }>;

/**
 * How many cells a step along a coordinate moves a read; `undefined` where the number is not
 * constant.
 */
export type StrideOf = (read: Read, variable: Variable) => number | undefined;

/** A loop over fewer positions than this is too short to be a good innermost loop. */
const fewPositions = 8;

export function withNearestInnermost(body: Reduction, strideOf: StrideOf): Reduction {
  const { loops, reduction } = body;
  if (isOff("order")) return body;
  // argmax and argmin give the first winner in the written order, so their loops keep that order.
  if (loops.length < 2 || reduction === "argmax" || reduction === "argmin") return body;
  if (loops.some(({ from, to }) => usesAny(from, loops) || usesAny(to, loops))) return body;
  const costs = new Map(loops.map((loop) => [loop, costAlong(body, loop, strideOf)]));
  const sorted = loops.toSorted((a, b) => costs.get(b)! - costs.get(a)!);
  if (sorted.every((loop, k) => loop === loops[k])) return body;
  noted("order", () => `${sorted.map(({ variable }) => variable.name).join(", ")} from outside in`);
  return { ...body, loops: sorted };
}

/** The cost of one step along a loop, added up over the reads of one term. */
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
  return length < fewPositions ? Math.max(cost, costOfStride(cellsInCacheLine)) : cost;
}

const cellsInCacheLine = 16;

function costOfStride(stride: number | undefined): number {
  if (stride === undefined) return 12;
  const cells = Math.abs(stride);
  if (cells <= 1) return cells;
  return cells < cellsInCacheLine ? 2 : cells < 1024 ? 6 : 8;
}
