// Emits single cells, and maps: cells without reductions, as vectors along a coordinate.

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
import { isConditional, emitUnderGuards } from "./conditional.ts";
import { doStreams, reduceAlong, type Work } from "../loops/along.ts";
import { combinesVectors, termCost } from "../loops/reductions.ts";
import { emitValue } from "./scalars.ts";
import { emitInTiles, emitOverSides } from "../loops/sides.ts";
import { storableSides, emitStore, emitStoreLanes } from "./stores.ts";
import { constantLengthOf } from "../loops/term-loops.ts";
import { costOfVector, emitLanes, newAlong, type Along } from "./vectors.ts";
import { knowSide } from "./kernel.ts";

/** What the loops around cells compute in each cell. */
export interface Piece {
  readonly sized: Sized;
  readonly indices: readonly Scalar[];
  readonly only: Case;
}

/** One cell, value by value. */
export function emitCell(kernel: Kernel, { sized, indices, only }: Piece): void {
  reduceCell(kernel, only.reductions, sized.definition);
  emitStore(kernel, sized, indices, emitValue(kernel, only.value));
}

/**
 * The reductions of one cell, bound to their names. Reductions over the same positions share a
 * loop.
 */
function reduceCell(kernel: Kernel, reductions: Case["reductions"], of: Definition): void {
  const names = reductions.map(({ name }) => name);
  for (const group of overSamePositions(reductions)) {
    const bodies = group.map(({ body }) => body);
    for (const body of bodies) rememberLoops(kernel, body.loops);
    const reduceSeparately = (body: Reduction): Slot =>
      emitUnderGuards(kernel, body, (own) => reduceAlone(kernel, own, names));
    const alongs = bodies.map((body) =>
      isConditional(body) ? undefined : alongTerms(kernel, body),
    );
    const [first] = alongs;
    const canShareLoop = first && alongs.every((along) => along?.lanes === first.lanes);
    if (canShareLoop) noteSiblings(group, of);
    const slots = canShareLoop
      ? reduceAlong(kernel, first, bodies, [{ by: new Map() }], names).map(([slot]) => slot!)
      : bodies.map(reduceSeparately);
    group.forEach(({ name }, k) => kernel.bound.set(name, slots[k]!));
  }
}

function reduceAlone(kernel: Kernel, body: Reduction, names: readonly Local[]): Slot {
  const along = alongTerms(kernel, body);
  return along
    ? reduceAlong(kernel, along, [body], [{ by: new Map() }], names)[0]![0]!
    : reduceSingly(kernel, body);
}

/** The innermost reduced coordinate, if vectors along it are worth it. */
function alongTerms(kernel: Kernel, body: Reduction): Along | undefined {
  if (!lengthAtLeast(body.loops.at(-1), 8)) return undefined;
  const lanes = combinesVectors(body)
    ? lanesAmong([body.value, ...body.guards], body.value.type)
    : undefined;
  return bestAlong(body.loops.slice(-1), lanes, (each) => termCost(kernel, each, body, new Set()))
    ?.along;
}

export function lengthAtLeast(loop: Loop | undefined, least: number): boolean {
  if (!loop) return false;
  const length = constantLengthOf(loop);
  return length === undefined || length >= least;
}

export function rememberLoops(kernel: Kernel, loops: readonly Loop[]): void {
  for (const { variable, from, to } of loops) {
    const interval = { least: 0, most: 2 ** 31 - 1 };
    if (from.kind === "integer") interval.least = intervalBound(kernel, from, "least");
    if (to.kind === "integer") interval.most = intervalBound(kernel, to, "most") - 1;
    kernel.known.set(variable, interval);
  }
}

function intervalBound(
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
 * The number of lanes follows the floats. With f64 alone, there are two lanes, also for masks and
 * integers. With f32, there are four lanes, and an f64 takes two registers.
 */
export function lanesAmong(scalars: readonly Scalar[], type: ElementType): 2 | 4 | undefined {
  const floats = new Set([type]);
  for (const scalar of scalars) eachScalar(scalar, (part) => void floats.add(part.type));
  if (!floats.has("f64")) return lanesOf(type);
  if (floats.has("f32")) return lanesOf(type) && 4;
  return type === "f64" || type === "i32" ? 2 : undefined;
}

/** How many cells of a map one vector has; `undefined` if vectors of the type cannot be written. */
export function lanesOfCells(element: ElementType, value: Scalar): 2 | 4 | undefined {
  const isStored =
    element === "f32" || element === "f64" || element === "i32" || element === "bool";
  return isStored ? lanesAmong([value], element) : undefined;
}

/** The coordinate along which vectors cost least, with this cost. */
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

/** The coordinate for vectors of a map's cells, with the cost of a vector. */
function bestAlongOfMap(
  kernel: Kernel,
  { sized, indices, only }: Piece,
  free: readonly Side[],
): { readonly along: Along; readonly cost: number } | undefined {
  const straight = storableSides(kernel, sized, indices, free).filter(
    (side) => side.to - side.from >= 2,
  );
  return bestAlong(straight, lanesOfCells(sized.element, only.value), (each) =>
    costOfVector(kernel, each, only.value),
  );
}

/**
 * A map of at most this many instructions for each vector computes more vectors in each round,
 * because the cost of the loop itself counts there.
 */
export const fewInstructions = 12;

/**
 * How many vectors a round of a loop computes: four of few instructions, else as many chains of an
 * elementary function as the registers allow.
 */
export function vectorsAtOnce(areFew: boolean, values: readonly Scalar[]): number {
  return areFew ? 4 : values.some(hasChain) ? 3 : 2;
}

export function emitMap(kernel: Kernel, piece: Piece, free: readonly Side[]): void {
  for (const side of free) knowSide(kernel, side);
  const best = bestAlongOfMap(kernel, piece, free);
  const along = best?.along;
  const side = along && free.find((each) => each.variable === along.variable);
  if (!along || !side || side.to - side.from < along.lanes) {
    emitOverSides(kernel, free, () => emitCell(kernel, piece));
    return;
  }
  const outer = free.filter((each) => each !== side);
  const vectorsTogether = vectorsAtOnce(best.cost <= fewInstructions, [piece.only.value]);
  const vectors = cellsWork(kernel, along, piece);
  emitOverSides(kernel, outer, () => {
    emitInTiles(kernel, side, [vectorsTogether * along.lanes, along.lanes, 1], (width) => {
      if (width === 1) return emitCell(kernel, piece);
      doStreams([vectors], side, along.lanes, width / along.lanes);
    });
  });
}

/** The work of writing cells along a loop. */
export function cellsWork(kernel: Kernel, along: Along, piece: Piece): Work {
  const { sized, indices, only } = piece;
  /** The results of surrounding reductions stay bound. */
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
      const shiftScalar = movedBy(by);
      emitStoreLanes(
        kernel,
        along,
        sized,
        indices.map(shiftScalar),
        emitLanes(kernel, along, shiftScalar(only.value)),
      );
    },
    doSingly: () => emitCell(kernel, piece),
  };
}
