// Reductions in tiles: cells that share reads are reduced together, as vectors across the cells or
// along the terms.

import { ofVariable, plus } from "../../../affine/term.ts";
import { mentions } from "../../../affine/visit.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Local, Scalar } from "../../../ir/program.ts";
import { integerScalar, type Replacements } from "../../../ir/substitute.ts";
import type { Case, Reduced, Side } from "../../../plan/regions/regions.ts";
import { noteSiblings, overSamePositions, readsAny } from "../../../plan/reductions/siblings.ts";
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
import { inTiles, overSides } from "./sides.ts";
import { storableSides, store, storeLanes } from "../code/stores.ts";
import { costOf, emitLanes, newAlong, strideOf, type Along } from "../code/vectors.ts";

/** The accumulators that fit into registers beside what they are fed with. */
const mostAccumulators = 8;

export function emitReductions(kernel: Kernel, piece: Piece, free: readonly Side[]): void {
  const { sized, indices, only } = piece;
  for (const side of free) kernel.known.set(side.variable, { least: side.from, most: side.to - 1 });
  const bodies = only.reductions.map(({ body }) => body);
  for (const body of bodies) rememberLoops(kernel, body.loops);
  const rectangular = (side: Side): boolean =>
    bodies.every((body) =>
      body.loops.every((each) => ![each.from, each.to].some((bound) => mentionsSide(bound, side))),
    );
  const scalars = [...bodies.flatMap((body) => [body.value, ...body.guards]), only.value];
  const lanes = bodies.every(combinesVectors) ? lanesAmong(scalars, sized.element) : undefined;
  const costAlong = (along: Along): number => {
    const seen = new Set(only.reductions.map(({ name }) => name));
    const terms = bodies.reduce((total, body) => total + termCost(kernel, along, body, seen), 0);
    // What is done once for a cell hardly counts beside its terms, as long as it can be done.
    return costOf(kernel, along, only.value, seen) === Infinity ? Infinity : terms;
  };
  const straight = storableSides(kernel, sized, indices, free).filter(
    (side) => side.to - side.from >= (lanes ?? 4) && rectangular(side),
  );
  const across = sized.element === "bool" ? undefined : bestAlong(straight, lanes, costAlong);
  const downward = bodies.map((body) =>
    lengthAtLeast(body.loops.at(-1), 2 * (lanes ?? 4))
      ? bestAlong(body.loops.slice(-1), lanes, (along) => termCost(kernel, along, body, new Set()))
      : undefined,
  );
  const downCost = downward.reduce((total, down) => total + (down?.cost ?? Infinity), 0);
  const [down] = downward;
  if (across && across.cost <= downCost) {
    const side = free.find((each) => each.variable === across.along.variable)!;
    emitTiles(kernel, piece, free, side, across.along, rectangular);
  } else if (down && bodies.length === 1) emitAlong(kernel, piece, free, down.along, rectangular);
  else overSides(kernel, free, () => emitCell(kernel, piece));
}

function mentionsSide(scalar: Scalar, side: Side): boolean {
  let found = false;
  eachScalar(scalar, (part) => {
    if (part.kind === "integer" && mentions(part.term, side.variable)) found = true;
  });
  return found;
}

/**
 * How many reads of the terms stay the same along a side: as often as a tile has cells there, they
 * are made once.
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

/** The side, other than the vectors' own, whose neighbours share most reads. */
function partner(kernel: Kernel, piece: Piece, sides: readonly Side[]): Side | undefined {
  let best: Side | undefined;
  let most = 0;
  for (const side of sides) {
    const shared = sharedReads(kernel, piece, side);
    if (shared > most && side.to - side.from >= 2) [best, most] = [side, shared];
  }
  return best;
}

function moved(side: Side, by: number): Replacements {
  return by === 0
    ? new Map()
    : new Map([[side.variable, integerScalar(plus(ofVariable(side.variable), by))]]);
}

function together(...parts: readonly Replacements[]): Member {
  return { by: new Map(parts.flatMap((part) => [...part])) };
}

const simpleBody = 12;

/** Tiles of vectors across the cells: rows × vectors accumulators. */
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
    ({ body }) => termCost(kernel, along, body, new Set()) <= simpleBody,
  );
  const rowSide = isSimple ? partner(kernel, piece, rest.filter(rectangular)) : undefined;
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
    inTiles(kernel, side, [...vectors(rowCount), 1], (width) => {
      const members: Member[] = [];
      for (let row = 0; row < rowCount; row++) {
        for (let at = 0; at < width; at += width === 1 ? 1 : along.lanes)
          members.push(together(rowSide ? moved(rowSide, row) : new Map(), moved(side, at)));
      }
      emitMembers(kernel, piece, width === 1 ? undefined : along, members);
    });
  };
  overSides(kernel, outer, () => {
    if (!rowSide) tile(1);
    else inTiles(kernel, rowSide, rows, (rowCount) => tile(rowCount));
  });
}

/** The cells of one tile: their reductions, then their values. */
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
        kernel.bound.set(name, reduceSingly(kernel, bodyFor(body, member, names)));
      const own = indices.map((index) => forMember(index, member, names));
      store(kernel, sized, own, emitValue(kernel, forMember(only.value, member, names)));
    }
    return;
  }
  const results: (readonly Slot[])[] = [];
  const done: Reduced[] = [];
  const registers = members.length * registersIn(along, only.reductions);
  for (const group of groupsFor(only.reductions, registers)) {
    const bodies = group.map(({ body }) => body);
    // What reads an earlier reduction of the same cell reads it member by member.
    const isApart = bodies.some((body) => readsAny(body, done));
    if (!isApart) noteSiblings(group, sized.definition);
    const slots = isApart
      ? oneByOne(members, (member, k) => {
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
    const own = indices.map((index) => forMember(index, member, names));
    storeLanes(
      kernel,
      along,
      sized,
      own,
      emitLanes(kernel, along, forMember(only.value, member, names)),
    );
  });
}

/** Reductions that share a loop, as far as the registers do for their accumulators. */
function groupsFor(
  reductions: readonly Reduced[],
  registers: number,
): readonly (readonly Reduced[])[] {
  return overSamePositions(reductions).flatMap((group) =>
    group.length * registers <= mostAccumulators ? [group] : group.map((reduced) => [reduced]),
  );
}

/** How many registers an accumulator takes: f64 in four lanes has two. */
function registersIn({ lanes }: Along, reductions: readonly Reduced[]): 1 | 2 {
  return lanes === 4 && reductions.some(({ body }) => body.value.type === "f64") ? 2 : 1;
}

/** The results of each member, as those of each reduction. */
function oneByOne(
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

function bodyFor(
  body: Case["reductions"][number]["body"],
  member: Member,
  names: readonly Local[],
): typeof body {
  if (member.by.size === 0) return body;
  return {
    ...body,
    loops: body.loops.map((each) => ({
      ...each,
      from: forMember(each.from, member, names),
      to: forMember(each.to, member, names),
    })),
    guards: body.guards.map((guard) => forMember(guard, member, names)),
    value: forMember(body.value, member, names),
  };
}

/** Cells whose terms come as vectors: several cells at once where they share reads. */
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
  const isSimple = termCost(kernel, along, body, new Set()) <= simpleBody;
  const candidates = isSimple ? free.filter(rectangular) : [];
  const shares = partner(kernel, piece, candidates);
  // Cells that share nothing are still worth reducing together: memory gives more to four readers
  // than to one.
  const first = shares ?? candidates.findLast((side) => side.to - side.from >= 4);
  // Four rows of f64 take all registers.
  const isOneColumn = registersIn(along, only.reductions) > 1;
  const second =
    shares &&
    !isOneColumn &&
    partner(
      kernel,
      piece,
      candidates.filter((each) => each !== first),
    );
  const outer = free.filter((each) => each !== first && each !== second);
  const cells = (members: readonly Member[]): void => {
    const [slots] = reduceAlong(kernel, along, [body], members, names) as [readonly Slot[]];
    members.forEach((member, k) => {
      kernel.bound.set(name, slots[k]!);
      const own = indices.map((index) => forMember(index, member, names));
      store(kernel, sized, own, emitValue(kernel, forMember(only.value, member, names)));
    });
  };
  const range = (count: number): readonly number[] => Array.from({ length: count }, (_, k) => k);
  overSides(kernel, outer, () => {
    if (!first) return cells([{ by: new Map() }]);
    inTiles(kernel, first, second ? [4, 1] : [4, 2, 1], (rows) => {
      if (!second) return cells(range(rows).map((row) => together(moved(first, row))));
      inTiles(kernel, second, [mostAccumulators / 4, 1], (columns) =>
        cells(
          range(rows).flatMap((row) =>
            range(columns).map((column) => together(moved(first, row), moved(second, column))),
          ),
        ),
      );
    });
  });
}
