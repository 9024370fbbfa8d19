// Emits reductions in tiles: cells that share reads are reduced together. Vectors go either across
// the cells or along the terms. In `C[i, j] = sum[k](A[i, k] * B[k, j])`, a tile of 4 rows and 2
// vectors reads each A[i, k] once for all its columns.

import { ofVariable, plus } from "../../../affine/term.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Local } from "../../../ir/program.ts";
import { integerScalar, type Replacements } from "../../../ir/substitute.ts";
import type { Case, Reduced, Side } from "../../../plan/regions/regions.ts";
import { noteSiblings, overSamePositions } from "../../../plan/reductions/siblings.ts";
import type { Slot } from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import { reduceSingly } from "./accumulators.ts";
import { reduceAlong } from "./along.ts";
import {
  bestAlong,
  emitCell,
  lanesAmong,
  lengthAtLeast,
  rememberLoops,
  type Piece,
} from "../code/maps.ts";
import { combinesVectors, forMember, reduceTile, termCost, type Member } from "./reductions.ts";
import { emitValue } from "../code/scalars.ts";
import { emitInTiles, emitOverSides } from "./sides.ts";
import { storableSides, emitStore, emitStoreLanes } from "../code/stores.ts";
import { costOfVector, emitLanes, newAlong, strideOf, type Along } from "../code/vectors.ts";
import { usesAny } from "../../../analyse/ties.ts";
import { readsAnyName } from "../../../plan/regions/regions.ts";
import { knowSide } from "../code/kernel.ts";
import { rewriteReduction } from "../../../plan/rewrite.ts";

/** The number of accumulators that fit into registers beside their operands. */
const mostAccumulators = 8;

export function emitReductions(kernel: Kernel, piece: Piece, free: readonly Side[]): void {
  const { sized, indices, only } = piece;
  for (const side of free) knowSide(kernel, side);
  const bodies = only.reductions.map(({ body }) => body);
  for (const body of bodies) rememberLoops(kernel, body.loops);
  const isRectangular = (side: Side): boolean =>
    bodies.every((body) =>
      body.loops.every((loop) => ![loop.from, loop.to].some((bound) => usesAny(bound, [side]))),
    );
  const scalars = [...bodies.flatMap((body) => [body.value, ...body.guards]), only.value];
  const lanes = bodies.every(combinesVectors) ? lanesAmong(scalars, sized.element) : undefined;
  const costAlong = (along: Along): number => {
    const seen = new Set(only.reductions.map(({ name }) => name));
    const terms = bodies.reduce((total, body) => total + termCost(kernel, along, body, seen), 0);
    // The value is computed once for a cell. Its cost hardly counts beside the terms, but it must
    // be possible as vectors.
    return costOfVector(kernel, along, only.value, seen) === Infinity ? Infinity : terms;
  };
  const straight = storableSides(kernel, sized, indices, free).filter(
    (side) => side.to - side.from >= (lanes ?? 4) && isRectangular(side),
  );
  const across = sized.element === "bool" ? undefined : bestAlong(straight, lanes, costAlong);
  const downward = bodies.map((body) =>
    lengthAtLeast(body.loops.at(-1), 2 * (lanes ?? 4))
      ? bestAlong(body.loops.slice(-1), lanes, (along) => termCost(kernel, along, body, new Set()))
      : undefined,
  );
  const downCost = downward.reduce((total, down) => total + (down?.cost ?? Infinity), 0);
  const [firstDownward] = downward;
  if (across && across.cost <= downCost) {
    const side = free.find((each) => each.variable === across.along.variable)!;
    emitTiles(kernel, piece, free, side, across.along, isRectangular);
  } else if (firstDownward && bodies.length === 1)
    emitAlong(kernel, piece, free, firstDownward.along, isRectangular);
  else emitOverSides(kernel, free, () => emitCell(kernel, piece));
}

/**
 * How many reads of the terms do not depend on a side. The cells of a tile along this side share
 * these reads.
 */
function sharedReads(kernel: Kernel, piece: Piece, side: Side): number {
  let shared = 0;
  const along = newAlong(side.variable, 4);
  for (const { body } of piece.only.reductions) {
    eachScalar(body.value, (part) => {
      if (part.kind === "read" && strideOf(kernel, along, part) === 0) shared++;
    });
  }
  return shared;
}

/** The side, other than that of the vectors, whose neighbouring cells share most reads. */
function mostSharedSide(kernel: Kernel, piece: Piece, sides: readonly Side[]): Side | undefined {
  let best: Side | undefined;
  let most = 0;
  for (const side of sides) {
    const shared = sharedReads(kernel, piece, side);
    if (shared > most && side.to - side.from >= 2) [best, most] = [side, shared];
  }
  return best;
}

function shiftAlong(side: Side, by: number): Replacements {
  return by === 0
    ? new Map()
    : new Map([[side.variable, integerScalar(plus(ofVariable(side.variable), by))]]);
}

function newMember(...parts: readonly Replacements[]): Member {
  return { by: new Map(parts.flatMap((part) => [...part])) };
}

const mostSimpleCost = 12;

/** Tiles with vectors across the cells; a tile has rows × vectors accumulators. */
function emitTiles(
  kernel: Kernel,
  piece: Piece,
  free: readonly Side[],
  side: Side,
  along: Along,
  rectangular: (side: Side) => boolean,
): void {
  const { only } = piece;
  const rest = free.filter((each) => each !== side);
  const isSimple = only.reductions.every(
    ({ body }) => termCost(kernel, along, body, new Set()) <= mostSimpleCost,
  );
  const rowSide = isSimple ? mostSharedSide(kernel, piece, rest.filter(rectangular)) : undefined;
  const mostRows = 4 / registersIn(along, only.reductions);
  const rows = rowSide
    ? [4, 2, 1].filter((count) => count <= Math.min(mostRows, rowSide.to - rowSide.from))
    : [1];
  const outer = rest.filter((each) => each !== rowSide);
  const vectors = (rowCount: number): readonly number[] => {
    const most = rowCount > 1 && rowCount >= mostRows ? 2 : isSimple ? 4 : 2;
    return [most, 1]
      .map((count) => count * along.lanes)
      .filter((count, k, all) => all.indexOf(count) === k);
  };
  const tile = (rowCount: number): void => {
    emitInTiles(kernel, side, [...vectors(rowCount), 1], (width) => {
      const members: Member[] = [];
      for (let row = 0; row < rowCount; row++) {
        for (let at = 0; at < width; at += width === 1 ? 1 : along.lanes)
          members.push(
            newMember(rowSide ? shiftAlong(rowSide, row) : new Map(), shiftAlong(side, at)),
          );
      }
      emitMembers(kernel, piece, width === 1 ? undefined : along, members);
    });
  };
  emitOverSides(kernel, outer, () => {
    if (!rowSide) tile(1);
    else emitInTiles(kernel, rowSide, rows, (rowCount) => tile(rowCount));
  });
}

/** The cells of one tile: first their reductions, then their values. */
function emitMembers(
  kernel: Kernel,
  piece: Piece,
  along: Along | undefined,
  members: readonly Member[],
): void {
  const { sized, indices, only } = piece;
  const names = only.reductions.map(({ name }) => name);
  if (!along) {
    for (const member of members) {
      for (const { name, body } of only.reductions)
        kernel.bound.set(name, reduceSingly(kernel, bodyForMember(body, member, names)));
      const ownIndices = indices.map((index) => forMember(index, member, names));
      emitStore(kernel, sized, ownIndices, emitValue(kernel, forMember(only.value, member, names)));
    }
    return;
  }
  const results: (readonly Slot[])[] = [];
  const done: Reduced[] = [];
  const registers = members.length * registersIn(along, only.reductions);
  for (const group of groupsInRegisters(only.reductions, registers)) {
    const bodies = group.map(({ body }) => body);
    // A reduction that reads an earlier reduction of its cell is computed member by member.
    const earlier = new Set(done.map(({ name }) => name));
    const readsEarlier = bodies.some((body) => readsAnyName(body, earlier));
    if (!readsEarlier) noteSiblings(group, sized.definition);
    const slots = readsEarlier
      ? transposedResults(members, (member, k) => {
          bindAll(kernel, only, results, k);
          return reduceTile(kernel, along, bodies, [member], names).map(([slot]) => slot!);
        })
      : reduceTile(kernel, along, bodies, members, names);
    results.push(...slots);
    done.push(...group);
    for (const { name } of group) kernel.bound.delete(name);
  }
  members.forEach((member, k) => {
    bindAll(kernel, only, results, k);
    const ownIndices = indices.map((index) => forMember(index, member, names));
    emitStoreLanes(
      kernel,
      along,
      sized,
      ownIndices,
      emitLanes(kernel, along, forMember(only.value, member, names)),
    );
  });
}

/** Groups of reductions that share a loop, if their accumulators fit into the registers. */
function groupsInRegisters(
  reductions: readonly Reduced[],
  registers: number,
): readonly (readonly Reduced[])[] {
  return overSamePositions(reductions).flatMap((group) =>
    group.length * registers <= mostAccumulators ? [group] : group.map((reduced) => [reduced]),
  );
}

/** The registers of an accumulator: two for f64 in four lanes, else one. */
function registersIn({ lanes }: Along, reductions: readonly Reduced[]): 1 | 2 {
  return lanes === 4 && reductions.some(({ body }) => body.value.type === "f64") ? 2 : 1;
}

/** Turns the results of each member into the results of each reduction. */
function transposedResults(
  members: readonly Member[],
  resultsOf: (member: Member, k: number) => readonly Slot[],
): readonly (readonly Slot[])[] {
  const all = members.map(resultsOf);
  return all[0]!.map((_, reduction) => all.map((slots) => slots[reduction]!));
}

function bindAll(
  kernel: Kernel,
  only: Case,
  results: readonly (readonly Slot[])[],
  member: number,
): void {
  results.forEach((slots, at) => kernel.bound.set(only.reductions[at]!.name, slots[member]!));
}

function bodyForMember(
  body: Case["reductions"][number]["body"],
  member: Member,
  names: readonly Local[],
): typeof body {
  if (member.by.size === 0) return body;
  return rewriteReduction(body, (scalar) => forMember(scalar, member, names));
}

/** Cells whose terms are vectors. Several cells are reduced together if they share reads. */
function emitAlong(
  kernel: Kernel,
  piece: Piece,
  free: readonly Side[],
  along: Along,
  rectangular: (side: Side) => boolean,
): void {
  const { sized, indices, only } = piece;
  const [{ name, body }] = only.reductions as [Case["reductions"][number]];
  const names = [name];
  const isSimple = termCost(kernel, along, body, new Set()) <= mostSimpleCost;
  const candidates = isSimple ? free.filter(rectangular) : [];
  const shares = mostSharedSide(kernel, piece, candidates);
  // Without shared reads, several cells together are still faster, because several streams of reads
  // use more of the memory's bandwidth than one.
  const first = shares ?? candidates.findLast((side) => side.to - side.from >= 4);
  // Four rows of f64 take all registers.
  const isOneColumn = registersIn(along, only.reductions) > 1;
  const second =
    shares &&
    !isOneColumn &&
    mostSharedSide(
      kernel,
      piece,
      candidates.filter((each) => each !== first),
    );
  const outer = free.filter((each) => each !== first && each !== second);
  const cells = (members: readonly Member[]): void => {
    const [slots] = reduceAlong(kernel, along, [body], members, names) as [readonly Slot[]];
    members.forEach((member, k) => {
      kernel.bound.set(name, slots[k]!);
      const ownIndices = indices.map((index) => forMember(index, member, names));
      emitStore(kernel, sized, ownIndices, emitValue(kernel, forMember(only.value, member, names)));
    });
  };
  const range = (count: number): readonly number[] => Array.from({ length: count }, (_, k) => k);
  emitOverSides(kernel, outer, () => {
    if (!first) return cells([{ by: new Map() }]);
    emitInTiles(kernel, first, second ? [4, 1] : [4, 2, 1], (rows) => {
      if (!second) return cells(range(rows).map((row) => newMember(shiftAlong(first, row))));
      emitInTiles(kernel, second, [mostAccumulators / 4, 1], (columns) =>
        cells(
          range(rows).flatMap((row) =>
            range(columns).map((column) =>
              newMember(shiftAlong(first, row), shiftAlong(second, column)),
            ),
          ),
        ),
      );
    });
  });
}
