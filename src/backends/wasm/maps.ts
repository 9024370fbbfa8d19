// Cells one by one, and maps whose cells come as vectors.

import { ofVariable, plus } from "../../ir/affine/term.ts";
import { instantiate, integerScalar, type Replacements } from "../../ir/substitute.ts";
import { intervalOf } from "../../optimise/intervals.ts";
import { eachScalar, type Loop, type Scalar } from "../../ir/program.ts";
import type { ElementType } from "../../ir/scalar/types.ts";
import type { Case, Side, Sized } from "../../optimise/regions.ts";
import type { Kernel } from "./kernel.ts";
import { reduceSingly } from "./accumulators.ts";
import { combinesVectors, reduceAlong, termCost } from "./reductions.ts";
import { emitValue } from "./scalars.ts";
import { inTiles, overSides } from "./sides.ts";
import { storableSides, store, storeLanes } from "./stores.ts";
import { lengthOf } from "./term-loops.ts";
import { costOf, emitLanes, newAlong, type Along } from "./vectors.ts";

/** What a nest computes in each of its cells. */
export interface Piece {
  readonly sized: Sized;
  readonly indices: readonly Scalar[];
  readonly only: Case;
}

/** One cell, one value at a time. */
export function emitCell(kernel: Kernel, { sized, indices, only }: Piece): void {
  reduceCell(kernel, only.reductions);
  store(kernel, sized, indices, emitValue(kernel, only.value));
}

/** The reductions of one cell, bound to their names. */
export function reduceCell(kernel: Kernel, reductions: Case["reductions"]): void {
  const names = reductions.map(({ name }) => name);
  for (const { name, body } of reductions) {
    rememberLoops(kernel, body.loops);
    const lanes = combinesVectors(body) ? lanesAmong([body.value, ...body.guards], body.value.type) : undefined;
    const along = bestAlong(body.loops.slice(-1), lanes, (each) => termCost(kernel, each, body, new Set()))?.along;
    const isLong = along && lengthAtLeast(body.loops.at(-1), 8);
    const slot = isLong ? reduceAlong(kernel, along, body, [{ by: new Map() }], names)[0]! : reduceSingly(kernel, body);
    kernel.bound.set(name, slot);
  }
}

export function lengthAtLeast(each: Loop | undefined, least: number): boolean {
  if (!each) return false;
  const length = lengthOf(each);
  return length === undefined || length >= least;
}

export function rememberLoops(kernel: Kernel, loops: readonly Loop[]): void {
  for (const { variable, from, to } of loops) {
    const interval = { least: 0, most: 2 ** 31 - 1 };
    if (from.kind === "integer") interval.least = boundOf(kernel, from, "least");
    if (to.kind === "integer") interval.most = boundOf(kernel, to, "most") - 1;
    kernel.known.set(variable, interval);
  }
}

function boundOf(kernel: Kernel, scalar: Extract<Scalar, { kind: "integer" }>, side: "least" | "most"): number {
  return intervalOf(scalar.term, kernel.known)[side];
}

function lanesOf(type: ElementType): 2 | 4 | undefined {
  if (type === "f64") return 2;
  return type === "f32" || type === "i32" || type === "bool" ? 4 : undefined;
}

/** Lanes follow the floats: a mask or an integer made of f64 values comes in pairs. */
export function lanesAmong(scalars: readonly Scalar[], type: ElementType): 2 | 4 | undefined {
  let wide = type === "f64";
  for (const scalar of scalars) eachScalar(scalar, (part) => void (part.type === "f64" && (wide = true)));
  return wide ? (type === "f64" || type === "i32" ? 2 : undefined) : lanesOf(type);
}

/** The coordinate along which vectors cost least, with that cost. */
export function bestAlong(
  loops: readonly { readonly variable: Side["variable"] }[],
  lanes: 2 | 4 | undefined,
  costAlong: (along: Along) => number,
): { readonly along: Along; readonly cost: number } | undefined {
  if (!lanes) return undefined;
  let best: { readonly along: Along; readonly cost: number } | undefined;
  for (const { variable } of loops) {
    const along = newAlong(variable, lanes);
    const cost = costAlong(along);
    if (cost < (best?.cost ?? Infinity)) best = { along, cost };
  }
  return best;
}

export function emitMap(kernel: Kernel, piece: Piece, free: readonly Side[]): void {
  const { sized, indices, only } = piece;
  for (const side of free) kernel.known.set(side.variable, { least: side.from, most: side.to - 1 });
  const straight = storableSides(kernel, sized, indices, free).filter((side) => side.to - side.from >= 2);
  const storable =
    sized.element === "f32" || sized.element === "f64" || sized.element === "i32" || sized.element === "bool";
  const lanes = storable ? lanesAmong([only.value], sized.element) : undefined;
  const along = bestAlong(straight, lanes, (each) => costOf(kernel, each, only.value))?.along;
  const side = along && free.find((each) => each.variable === along.variable);
  if (!along || !side || side.to - side.from < along.lanes) {
    overSides(kernel, free, () => emitCell(kernel, piece));
    return;
  }
  const outer = free.filter((each) => each !== side);
  overSides(kernel, outer, () => {
    inTiles(kernel, side, [2 * along.lanes, along.lanes, 1], (width) => {
      if (width === 1) return emitCell(kernel, piece);
      for (let at = 0; at < width; at += along.lanes) {
        const by: Replacements = new Map([[side.variable, integerScalar(plus(ofVariable(side.variable), at))]]);
        // Results of reductions around stay what they are bound to.
        const bound = new Map([...kernel.bound.keys()].map((local) => [local, local]));
        const own = (scalar: Scalar): Scalar => (at === 0 ? scalar : instantiate(scalar, by, bound));
        storeLanes(kernel, along, sized, indices.map(own), emitLanes(kernel, along, own(only.value)));
      }
    });
  });
}
