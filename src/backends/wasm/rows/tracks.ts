// Finds the steps of a recurrence that threads can compute without waiting for one another.
//
//   let h[t, b, j] = tanh(sum[k](h[t - 1, b, k] * W[k, j]));    // b can be shared out
//   let s[t] = sum[b, j](h[t, b, j]);                           // needs all b
//
// A cell of h reads only cells at its own position of b, in its own step and in earlier ones. So a
// thread can compute some positions of b through many steps. Definitions of a loop that read each
// other in this way form a track. A definition that reads other positions too is on a later track,
// which follows when the earlier track has computed a stretch of steps. For each r that reads s,
//
//   track(r) ≥ track(s),    and    track(r) > track(s) if r reads other positions of s.
//
// If definitions read other positions of each other in a circle, there are no such numbers, and the
// threads have to meet in every step.

import { constantOf, ofVariable, subtract } from "../../../affine/term.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Definition } from "../../../ir/program.ts";
import { extentAlong, scalarsInRegion, type Sized } from "../../../plan/regions/regions.ts";
import { partAxisOf, type Layout } from "../code/kernels.ts";
import type { LoopStep } from "../loops/nests.ts";
import { layoutBytes } from "../memory/places.ts";

export interface Track {
  readonly definitions: ReadonlySet<Definition>;
  /** The number of positions that can be shared out; 1 if the work of a step is not shared out. */
  readonly positions: number;
}

interface Tracks {
  /** In the order of their numbers. */
  readonly all: readonly Track[];
  /** The definitions that a later track reads. */
  readonly followed: ReadonlySet<Definition>;
}

/** How many steps a track may be ahead of the next one. */
export const stretch = 32;

/** How many bytes may be kept longer so that another track can follow. */
const mostBytes = 1 << 20;

/** The tracks of a loop; `undefined` if threads have to meet in every step. */
export function tracksOf(
  { axes, body }: LoopStep,
  members: ReadonlyMap<Definition, Sized>,
): Tracks | undefined {
  const sharedAxes = new Map<Definition, SharedAxis>();
  for (const step of body.steps) {
    if (step.kind !== "cells") return undefined;
    const sized = members.get(step.definition);
    if (sized) sharedAxes.set(step.definition, sharedAxisOf(sized, axes.get(step.definition)!));
  }
  const reads = [...sharedAxes].flatMap(([reader, lane]) =>
    readsBetween(members.get(reader)!, lane, sharedAxes),
  );
  const numbers = trackNumbers([...sharedAxes.keys()], reads);
  if (!numbers) return undefined;
  const tracks = new Map<
    string,
    { readonly definitions: Set<Definition>; readonly positions: number }
  >();
  for (const [definition, number] of [...numbers].toSorted(([, a], [, b]) => a - b)) {
    const { positions } = sharedAxes.get(definition)!;
    const key = `${number} ${positions}`;
    const track = tracks.get(key) ?? { definitions: new Set(), positions };
    tracks.set(key, track);
    track.definitions.add(definition);
  }
  const all = [...tracks.values()];
  if (!all.some(({ positions }) => positions > 1)) return undefined;
  const isAhead = ({ reader, read }: ReadBetween): boolean =>
    numbers.get(read)! < numbers.get(reader)!;
  return { all, followed: new Set(reads.filter(isAhead).map(({ read }) => read)) };
}

/** The axis whose positions threads share out. */
interface SharedAxis {
  readonly axis: number;
  readonly positions: number;
}

const notShared: SharedAxis = { axis: -1, positions: 1 };

function sharedAxisOf(sized: Sized, held: number): SharedAxis {
  const { regions, scratch = [], blocks, contractions, shares } = sized;
  const isSpecial = scratch.length > 0 || blocks || contractions || shares;
  const axis = partAxisOf(sized, [held]);
  if (
    isSpecial ||
    axis < 0 ||
    regions.some(({ cells, scan, scatters }) => cells ?? scan ?? scatters)
  )
    return notShared;
  return { axis, positions: extentAlong(sized, axis) };
}

interface ReadBetween {
  readonly reader: Definition;
  readonly read: Definition;
  /** Whether the read is at the reader's own position. */
  readonly isOwn: boolean;
}

function readsBetween(
  { definition: reader, regions }: Sized,
  lane: SharedAxis,
  lanes: ReadonlyMap<Definition, SharedAxis>,
): readonly ReadBetween[] {
  const found: ReadBetween[] = [];
  for (const region of regions) {
    const position = lane === notShared ? undefined : ofVariable(region.sides[lane.axis]!.variable);
    for (const scalar of scalarsInRegion(region))
      eachScalar(scalar, (part) => {
        const other = part.kind === "read" ? lanes.get(part.definition) : undefined;
        if (part.kind !== "read" || !other) return;
        const index = part.indices[other.axis];
        const isOwn = position
          ? other.positions === lane.positions &&
            index?.kind === "integer" &&
            constantOf(subtract(index.term, position)) === 0
          : other === notShared;
        found.push({ reader, read: part.definition, isOwn });
      });
  }
  return found;
}

/**
 * The least numbers that satisfy the conditions of all reads; `undefined` if reads form a circle.
 */
function trackNumbers(
  definitions: readonly Definition[],
  reads: readonly ReadBetween[],
): ReadonlyMap<Definition, number> | undefined {
  const numbers = new Map(definitions.map((definition) => [definition, 0]));
  for (let round = 0; round <= definitions.length; round++) {
    let isChanged = false;
    for (const { reader, read, isOwn } of reads) {
      const least = numbers.get(read)! + (isOwn ? 0 : 1);
      if (numbers.get(reader)! >= least) continue;
      numbers.set(reader, least);
      isChanged = true;
    }
    if (!isChanged) return numbers;
  }
  return undefined;
}

/**
 * Layouts with windows of steps that are wide enough for the tracks that follow; `undefined` if
 * they take too much memory.
 */
export function widerWindows(
  { followed }: Tracks,
  layouts: ReadonlyMap<Definition, Layout>,
): ReadonlyMap<Definition, Layout> | undefined {
  const wider = new Map<Definition, Layout>();
  for (const definition of followed) {
    const layout = layouts.get(definition)!;
    if (!layout.window) continue;
    const { axis, steps } = layout.window;
    // It stays a window even if it holds all steps: a kernel for another layout may add in another
    // order.
    wider.set(definition, {
      ...layout,
      window: { axis, steps: Math.min(steps + stretch, layout.shape[axis]!) },
    });
  }
  const bytes = [...wider.values()].reduce((total, layout) => total + layoutBytes(layout), 0);
  return bytes <= mostBytes ? wider : undefined;
}
