// Cells one by one, and maps whose cells come as vectors.

import { instantiate, type Replacements } from "../../../ir/substitute.ts";
import { intervalOf } from "../../../plan/regions/intervals.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Definition, Local, Loop, Scalar } from "../../../ir/program.ts";
import type { ElementType } from "../../../scalar/types.ts";
import type { Case, Reduction, Side, Sized } from "../../../plan/regions/regions.ts";
import { noteSiblings, overSamePositions } from "../../../plan/reductions/siblings.ts";
import type { Slot } from "./emitter.ts";
import type { Kernel } from "./kernel.ts";
import { emitAbreast, hasChain } from "./abreast.ts";
import { reduceSingly } from "../loops/accumulators.ts";
import { isConditional, underGuards } from "./conditional.ts";
import { doStreams, reduceAlong, type Work } from "../loops/along.ts";
import { combinesVectors, termCost } from "../loops/reductions.ts";
import { emitValue } from "./scalars.ts";
import { inTiles, overSides } from "../loops/sides.ts";
import { storableSides, store, storeLanes } from "./stores.ts";
import { lengthOf } from "../loops/term-loops.ts";
import { costOf, emitLanes, newAlong, type Along } from "./vectors.ts";

/** What a nest computes in each of its cells. */
export interface Piece {
  readonly sized: Sized;
  readonly indices: readonly Scalar[];
  readonly only: Case;
}

/** One cell, one value at a time. */
export function emitCell(kernel: Kernel, { sized, indices, only }: Piece): void {
  reduceCell(kernel, only.reductions, sized.definition);
  store(kernel, sized, indices, emitValue(kernel, only.value));
}

/** The reductions of one cell, bound to their names; those over the same positions in one loop. */
export function reduceCell(kernel: Kernel, reductions: Case["reductions"], of: Definition): void {
  const names = reductions.map(({ name }) => name);
  for (const group of overSamePositions(reductions)) {
    const bodies = group.map(({ body }) => body);
    for (const body of bodies) rememberLoops(kernel, body.loops);
    const alone = (body: Reduction): Slot =>
      underGuards(kernel, body, (own) => reduceAlone(kernel, own, names));
    const alongs = bodies.map((body) =>
      isConditional(body) ? undefined : alongTerms(kernel, body),
    );
    const [first] = alongs;
    const isTogether = first && alongs.every((along) => along?.lanes === first.lanes);
    if (isTogether) noteSiblings(group, of);
    const slots = isTogether
      ? reduceAlong(kernel, first, bodies, [{ by: new Map() }], names).map(([slot]) => slot!)
      : bodies.map(alone);
    group.forEach(({ name }, k) => kernel.bound.set(name, slots[k]!));
  }
}

function reduceAlone(kernel: Kernel, body: Reduction, names: readonly Local[]): Slot {
  const along = alongTerms(kernel, body);
  return along
    ? reduceAlong(kernel, along, [body], [{ by: new Map() }], names)[0]![0]!
    : reduceSingly(kernel, body);
}

/** The innermost reduced coordinate, where vectors along it are worth it. */
function alongTerms(kernel: Kernel, body: Reduction): Along | undefined {
  if (!lengthAtLeast(body.loops.at(-1), 8)) return undefined;
  const lanes = combinesVectors(body)
    ? lanesAmong([body.value, ...body.guards], body.value.type)
    : undefined;
  return bestAlong(body.loops.slice(-1), lanes, (each) => termCost(kernel, each, body, new Set()))
    ?.along;
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

function boundOf(
  kernel: Kernel,
  scalar: Extract<Scalar, { kind: "integer" }>,
  side: "least" | "most",
): number {
  return intervalOf(scalar.term, kernel.known)[side];
}

function lanesOf(type: ElementType): 2 | 4 | undefined {
  if (type === "f64") return 2;
  return type === "f32" || type === "i32" || type === "bool" ? 4 : undefined;
}

/**
 * Lanes follow the floats: among f64 alone a mask or an integer comes in pairs; beside f32 an f64
 * takes two registers.
 */
export function lanesAmong(scalars: readonly Scalar[], type: ElementType): 2 | 4 | undefined {
  const floats = new Set([type]);
  for (const scalar of scalars) eachScalar(scalar, (part) => void floats.add(part.type));
  if (!floats.has("f64")) return lanesOf(type);
  if (floats.has("f32")) return lanesOf(type) && 4;
  return type === "f64" || type === "i32" ? 2 : undefined;
}

/** How many cells of a map come at once, where their type can be written as vectors. */
export function lanesOfCells(element: ElementType, value: Scalar): 2 | 4 | undefined {
  const isStored =
    element === "f32" || element === "f64" || element === "i32" || element === "bool";
  return isStored ? lanesAmong([value], element) : undefined;
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

/** The coordinate along which a map's cells come as vectors, with what a vector costs. */
function alongCells(
  kernel: Kernel,
  { sized, indices, only }: Piece,
  free: readonly Side[],
): { readonly along: Along; readonly cost: number } | undefined {
  const straight = storableSides(kernel, sized, indices, free).filter(
    (side) => side.to - side.from >= 2,
  );
  return bestAlong(straight, lanesOfCells(sized.element, only.value), (each) =>
    costOf(kernel, each, only.value),
  );
}

/**
 * Maps of no more instructions for a vector do more vectors at a time: what a loop itself costs
 * counts beside them.
 */
export const fewInstructions = 12;

/**
 * How many vectors come at a time: more of few instructions, and as many chains of an elementary
 * function as registers allow.
 */
export function vectorsAtOnce(areFew: boolean, values: readonly Scalar[]): number {
  return areFew ? 4 : values.some(hasChain) ? 3 : 2;
}

export function emitMap(kernel: Kernel, piece: Piece, free: readonly Side[]): void {
  for (const side of free) kernel.known.set(side.variable, { least: side.from, most: side.to - 1 });
  const best = alongCells(kernel, piece, free);
  const along = best?.along;
  const side = along && free.find((each) => each.variable === along.variable);
  if (!along || !side || side.to - side.from < along.lanes) {
    overSides(kernel, free, () => emitCell(kernel, piece));
    return;
  }
  const outer = free.filter((each) => each !== side);
  const together = vectorsAtOnce(best.cost <= fewInstructions, [piece.only.value]);
  const vectors = cellsWork(kernel, along, piece);
  overSides(kernel, outer, () => {
    inTiles(kernel, side, [together * along.lanes, along.lanes, 1], (width) => {
      if (width === 1) return emitCell(kernel, piece);
      doStreams([vectors], side, along.lanes, width / along.lanes);
    });
  });
}

/** Writes cells along a loop. */
export function cellsWork(kernel: Kernel, along: Along, piece: Piece): Work {
  const { sized, indices, only } = piece;
  /** Results of reductions around stay what they are bound to. */
  const movedBy = (by: Replacements): ((scalar: Scalar) => Scalar) => {
    const bound = new Map([...kernel.bound.keys()].map((local) => [local, local]));
    return (scalar) => (by.size === 0 ? scalar : instantiate(scalar, by, bound));
  };
  return {
    prepare: (moved) =>
      void emitAbreast(
        kernel,
        along,
        moved.map((by) => movedBy(by)(only.value)),
      ),
    doVectors(_, by) {
      const own = movedBy(by);
      storeLanes(kernel, along, sized, indices.map(own), emitLanes(kernel, along, own(only.value)));
    },
    doSingly: () => emitCell(kernel, piece),
  };
}
