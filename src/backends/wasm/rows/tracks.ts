// Steps that threads take without waiting for one another.
//
// Where a cell is made of cells at its own position of a coordinate, in its own step and in those
// before (the sequences of a batch, which know nothing of one another), a thread can take some of
// the positions through many steps. Definitions of a loop that read each other in this way are a
// track. What reads them elsewhere (a sum over the batch) is on a later track, which follows when
// the one before has done a stretch of steps. So, with r reading s,
//
//   track(r) ≥ track(s),    and    track(r) > track(s) where it is read elsewhere.
//
// Definitions that read each other elsewhere in a circle have no such numbers: there threads meet
// in every step.

import { constantOf, ofVariable, subtract } from "../../../affine/term.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Definition } from "../../../ir/program.ts";
import { extentAlong, scalarsInRegion, type Sized } from "../../../plan/regions/regions.ts";
import { partAxisOf, type Layout } from "../code/kernels.ts";
import type { LoopStep } from "../loops/nests.ts";
import { layoutBytes } from "../memory/places.ts";

export interface Track {
  readonly definitions: ReadonlySet<Definition>;
  /**
   * How many positions there are to be shared out; 1 where what a step does is not shared out in
   * this way.
   */
  readonly positions: number;
}

export interface Tracks {
  /** The first one first. */
  readonly all: readonly Track[];
  /** What is read on another track than its own, which follows. */
  readonly followed: ReadonlySet<Definition>;
}

/** How many steps a track is ahead of the next one at most. */
export const stretch = 32;

/** What is kept longer so that another track can follow takes at most so many bytes. */
const mostBytes = 1 << 20;

/** The tracks of a loop; nothing where threads have to meet in every step. */
export function tracksOf(
  { axes, body }: LoopStep,
  members: ReadonlyMap<Definition, Sized>,
): Tracks | undefined {
  const own = new Map<Definition, Lane>();
  for (const step of body.steps) {
    if (step.kind !== "cells") return undefined;
    const sized = members.get(step.definition);
    if (sized) own.set(step.definition, laneOf(sized, axes.get(step.definition)!));
  }
  const reads = [...own].flatMap(([reader, lane]) => readsOn(members.get(reader)!, lane, own));
  const numbers = numbered([...own.keys()], reads);
  if (!numbers) return undefined;
  const tracks = new Map<
    string,
    { readonly definitions: Set<Definition>; readonly positions: number }
  >();
  for (const [definition, number] of [...numbers].toSorted(([, a], [, b]) => a - b)) {
    const { positions } = own.get(definition)!;
    const key = `${number} ${positions}`;
    const track = tracks.get(key) ?? { definitions: new Set(), positions };
    tracks.set(key, track);
    track.definitions.add(definition);
  }
  const all = [...tracks.values()];
  if (!all.some(({ positions }) => positions > 1)) return undefined;
  const isAhead = ({ reader, read }: ReadOn): boolean => numbers.get(read)! < numbers.get(reader)!;
  return { all, followed: new Set(reads.filter(isAhead).map(({ read }) => read)) };
}

/** The axis whose positions are shared out among threads, if any. */
interface Lane {
  readonly axis: number;
  readonly positions: number;
}

const together: Lane = { axis: -1, positions: 1 };

function laneOf(sized: Sized, held: number): Lane {
  const { regions, scratch = [], blocks, contractions, shares } = sized;
  const isApart = scratch.length > 0 || blocks || contractions || shares;
  const axis = partAxisOf(sized, [held]);
  if (isApart || axis < 0 || regions.some(({ cells, scan, scatters }) => cells ?? scan ?? scatters))
    return together;
  return { axis, positions: extentAlong(sized, axis) };
}

interface ReadOn {
  readonly reader: Definition;
  readonly read: Definition;
  /** Whether it is read at the reader's own position. */
  readonly isOwn: boolean;
}

function readsOn(
  { definition: reader, regions }: Sized,
  lane: Lane,
  lanes: ReadonlyMap<Definition, Lane>,
): readonly ReadOn[] {
  const found: ReadOn[] = [];
  for (const region of regions) {
    const here = lane === together ? undefined : ofVariable(region.sides[lane.axis]!.variable);
    for (const scalar of scalarsInRegion(region))
      eachScalar(scalar, (part) => {
        const other = part.kind === "read" ? lanes.get(part.definition) : undefined;
        if (part.kind !== "read" || !other) return;
        const index = part.indices[other.axis];
        const isOwn = here
          ? other.positions === lane.positions &&
            index?.kind === "integer" &&
            constantOf(subtract(index.term, here)) === 0
          : other === together;
        found.push({ reader, read: part.definition, isOwn });
      });
  }
  return found;
}

/** The least numbers that go with all reads; nothing where reads go round in a circle. */
function numbered(
  definitions: readonly Definition[],
  reads: readonly ReadOn[],
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

/** Windows of steps, wide enough for tracks that follow; nothing where that would take too much. */
export function widerWindows(
  { followed }: Tracks,
  layouts: ReadonlyMap<Definition, Layout>,
): ReadonlyMap<Definition, Layout> | undefined {
  const wider = new Map<Definition, Layout>();
  for (const definition of followed) {
    const layout = layouts.get(definition)!;
    if (!layout.window) continue;
    const { axis, steps } = layout.window;
    // It stays a window, however wide: kernels for other layouts may add up in another order.
    wider.set(definition, {
      ...layout,
      window: { axis, steps: Math.min(steps + stretch, layout.shape[axis]!) },
    });
  }
  const bytes = [...wider.values()].reduce((total, layout) => total + layoutBytes(layout), 0);
  return bytes <= mostBytes ? wider : undefined;
}
