// Loops around cells: which coordinate the vectors run along, how many cells make a tile, and what is left over at the ends.

import { ofVariable, plus } from "../../ir/affine/term.ts";
import { mentions } from "../../ir/affine/visit.ts";
import { intervalOf } from "../../optimise/intervals.ts";
import { eachScalar, type Definition, type Local, type Loop, type Scalar } from "../../ir/program.ts";
import type { ElementType } from "../../ir/scalar/types.ts";
import type { Step } from "../../ir/schedule.ts";
import { integerScalar, type Replacements } from "../../ir/substitute.ts";
import type { Case, Region, Side, Sized } from "../../optimise/regions.ts";
import {
  branch,
  codeAt,
  constI32,
  continueLoop,
  get,
  here,
  laneMemory,
  loop,
  memory,
  newLocal,
  op,
  valueAt,
  type Slot,
} from "./emitter.ts";
import type { Kernel } from "./kernel.ts";
import { constant32, vector } from "./lanes.ts";
import {
  combinesVectors,
  forMember,
  reduceAlong,
  reduceSingly,
  reduceTile,
  termCost,
  type Member,
} from "./reductions.ts";
import { assuming, emitReadAddress, emitValue, keyOfRead, storeOf } from "./scalars.ts";
import { lengthOf } from "./term-loops.ts";
import { extremeOf } from "./terms.ts";
import { costOf, emitLanes, newAlong, strideOf, type Along } from "./vectors.ts";

/** A position that a loop around holds, of as many as the loop has. */
export interface HeldPosition {
  readonly slot: Slot;
  readonly extent: number;
}

/** Positions that are held along some axes. */
export type Held = ReadonlyMap<number, HeldPosition>;

/** Writes every cell of a definition, with some axes held. */
export function emitDefinition(kernel: Kernel, sized: Sized, held: Held): void {
  for (const region of sized.regions) {
    hold(kernel, region, [...held], () => {
      const free = region.sides.filter((_, axis) => !held.has(axis));
      emitCases(kernel, sized, region, free);
    });
  }
}

/** Puts the held coordinates where they are, and asks whether the region holds them. */
function hold(
  kernel: Kernel,
  region: Region,
  held: readonly (readonly [number, HeldPosition])[],
  inside: () => void,
): void {
  const [first, ...rest] = held;
  if (!first) return inside();
  const [axis, { slot, extent }] = first;
  const side = region.sides[axis]!;
  const { coordinates } = kernel.emitter;
  coordinates.set(side.variable, slot);
  kernel.known.set(side.variable, { least: side.from, most: side.to - 1 });
  const within = (): void => hold(kernel, region, rest, inside);
  if (side.from === 0 && side.to === extent) within();
  else {
    const isInside = valueAt(kernel.emitter, `l${slot.local}in${side.from}..${side.to}`, "i32", slot.level, (code) => {
      get(code, slot);
      constI32(code, side.from);
      op(code, "i32.sub");
      constI32(code, side.to - side.from);
      op(code, "i32.lt_u");
    });
    branch(kernel.emitter, isInside, within);
  }
  coordinates.delete(side.variable);
}

/** The steps of a recurrence inside one kernel, its loops around them. */
export function emitSteps(
  kernel: Kernel,
  steps: readonly Step[],
  members: ReadonlyMap<Definition, Sized>,
  held: ReadonlyMap<Definition, Held>,
): void {
  for (const step of steps) {
    if (step.kind === "cells") {
      const sized = members.get(step.definition);
      if (sized) emitDefinition(kernel, sized, held.get(step.definition) ?? new Map());
    } else emitStep(kernel, step, members, held);
  }
}

/** A loop, and where its definitions stand in it if that is not at its own position. */
export type LoopStep = Extract<Step, { kind: "loop" }> & { readonly walk?: Walk };

/** So many steps, each of which moves every definition by one position: where each of them stands at the first. */
export interface Walk {
  readonly count: number;
  readonly first: ReadonlyMap<Definition, number>;
}

/** How many steps a loop has. */
export function extentOf({ walk, ...step }: LoopStep, members: ReadonlyMap<Definition, Sized>): number {
  if (walk) return walk.count;
  return Math.max(0, ...[...step.axes].map(([definition, axis]) => members.get(definition)?.shape[axis] ?? 0));
}

/** Where a definition stands at the first step of a loop. */
export function firstOf(step: LoopStep, definition: Definition, extent: number): number {
  return step.walk?.first.get(definition) ?? (step.reversed ? extent - 1 : 0);
}

/** How many positions a loop holds a definition's axis at: as many as there are, unless some of them lie outside. */
export function heldExtent(step: LoopStep, sized: Sized, axis: number, extent: number): number {
  const first = firstOf(step, sized.definition, extent);
  const last = step.reversed ? first - extent + 1 : first + extent - 1;
  const length = sized.shape[axis]!;
  return Math.min(first, last) >= 0 && Math.max(first, last) < length ? length : -1;
}

/** One loop of a recurrence; the outermost one does the caller's part of it. */
export function emitStep(
  kernel: Kernel,
  step: LoopStep,
  members: ReadonlyMap<Definition, Sized>,
  held: ReadonlyMap<Definition, Held>,
  part?: { readonly from: Slot; readonly to: Slot },
): void {
  const { emitter } = kernel;
  const extent = extentOf(step, members);
  const counted = newLocal(emitter, "i32");
  const from = (code: number[]): void => (part ? get(code, part.from) : constI32(code, 0));
  continueLoop(emitter, undefined, counted, from, part?.to ?? extent, 1, () => {
    const level = here(emitter);
    const count: Slot = { local: counted, type: "i32", level };
    const positionOf = (first: number): Slot =>
      first === 0 && !step.reversed
        ? count
        : valueAt(emitter, `${first}${step.reversed ? "-" : "+"}l${counted}`, "i32", level, (code) => {
            constI32(code, first);
            get(code, count);
            op(code, step.reversed ? "i32.sub" : "i32.add");
          });
    const inside = new Map(held);
    for (const [definition, axis] of step.axes) {
      const sized = members.get(definition);
      if (!sized) continue;
      const slot = positionOf(firstOf(step, definition, extent));
      const position = { slot, extent: heldExtent(step, sized, axis, extent) };
      inside.set(definition, new Map([...(held.get(definition) ?? []), [axis, position]]));
    }
    emitSteps(kernel, step.body.steps, members, inside);
  });
}

function emitCases(kernel: Kernel, sized: Sized, region: Region, free: readonly Side[]): void {
  const only = asOne(kernel, region, free);
  if (!only) {
    overSides(kernel, free, () => emitChain(kernel, sized, region, region.cases));
    return;
  }
  const indices = region.sides.map((side) => integerScalar(ofVariable(side.variable)));
  const piece: Piece = { sized, indices, only };
  if (only.reductions.length === 0) emitMap(kernel, piece, free);
  else emitReductions(kernel, piece, free);
}

/** What a nest computes in each of its cells. */
interface Piece {
  readonly sized: Sized;
  readonly indices: readonly Scalar[];
  readonly only: Case;
}

/** A single case, or several without reductions as one choice. */
function asOne(kernel: Kernel, region: Region, free: readonly Side[]): Case | undefined {
  const [first, ...rest] = region.cases;
  if (rest.length === 0) return first;
  if (region.cases.some((each) => each.reductions.length > 0)) return undefined;
  for (const side of free) kernel.known.set(side.variable, { least: side.from, most: side.to - 1 });
  const choice = (cases: readonly Case[]): Scalar => {
    const [head, ...tail] = cases;
    if (tail.length === 0) return head!.value;
    const condition = head!.guards.reduce((a, b): Scalar => ({
      kind: "apply",
      type: "bool",
      within: "bool",
      operation: "and",
      operands: [a, b],
      span: noSpan,
    }));
    return { kind: "select", type: head!.value.type, condition, then: head!.value, otherwise: choice(tail) };
  };
  return { guards: [], reductions: [], value: choice(region.cases) };
}

const noSpan = { source: { name: "<compiler>", text: "" }, start: 0, end: 0 };

/** Cases in order, each in its own branch, one cell at a time. */
function emitChain(kernel: Kernel, sized: Sized, region: Region, cases: readonly Case[]): void {
  const [first, ...rest] = cases;
  const indices = region.sides.map((side) => integerScalar(ofVariable(side.variable)));
  const write = (): void => emitCell(kernel, { sized, indices, only: first! });
  if (first!.guards.length === 0) return write();
  const condition = first!.guards.reduce((a, b): Scalar => ({
    kind: "apply",
    type: "bool",
    within: "bool",
    operation: "and",
    operands: [a, b],
    span: noSpan,
  }));
  branch(
    kernel.emitter,
    emitValue(kernel, condition),
    () => assuming(kernel, condition, true, write),
    () => assuming(kernel, condition, false, () => emitChain(kernel, sized, region, rest)),
  );
}

/** One cell, one value at a time. */
function emitCell(kernel: Kernel, { sized, indices, only }: Piece): void {
  const names = only.reductions.map(({ name }) => name);
  for (const { name, body } of only.reductions) {
    rememberLoops(kernel, body.loops);
    const lanes = combinesVectors(body) ? lanesAmong([body.value, ...body.guards], body.value.type) : undefined;
    const along = bestAlong(body.loops.slice(-1), lanes, (each) => termCost(kernel, each, body, new Set()))?.along;
    const isLong = along && lengthAtLeast(body.loops.at(-1), 8);
    const slot = isLong ? reduceAlong(kernel, along, body, [{ by: new Map() }], names)[0]! : reduceSingly(kernel, body);
    kernel.bound.set(name, slot);
  }
  store(kernel, sized, indices, emitValue(kernel, only.value));
}

function lengthAtLeast(each: Loop | undefined, least: number): boolean {
  if (!each) return false;
  const length = lengthOf(each);
  return length === undefined || length >= least;
}

/** Writes one value; later reads of the same cell find it in its local. */
function store(kernel: Kernel, { definition, element }: Sized, indices: readonly Scalar[], value: Slot): void {
  const address = emitReadAddress(kernel, target(definition, element, indices));
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, address.pointer);
  get(code, value);
  memory(code, storeOf(element), address.offset);
  kernel.emitter.scopes[here(kernel.emitter)]!.known.set(keyOfRead(kernel.cellsOf(definition), address), value);
}

function target(
  definition: Definition,
  type: ElementType,
  indices: readonly Scalar[],
): Extract<Scalar, { kind: "read" }> {
  return { kind: "read", type, definition, indices, span: noSpan };
}

// ── loops over sides ────────────────────────────────────────────────────────────────────────────

export function overSides(kernel: Kernel, sides: readonly Side[], inside: () => void): void {
  const [first, ...rest] = sides;
  if (!first) return inside();
  overSide(kernel, first, 1, undefined, first.to, () => overSides(kernel, rest, inside));
}

/** A loop over part of a side in steps, continuing at a local where there is one. */
function overSide(
  kernel: Kernel,
  side: Side,
  by: number,
  from: number | undefined,
  to: number,
  inside: () => void,
): number {
  const { emitter, part } = kernel;
  kernel.known.set(side.variable, { least: side.from, most: to - by });
  const isPart = part?.variable === side.variable;
  const limit = isPart ? partEnd(kernel, side, by) : to;
  const start = (code: number[]): void => {
    if (from !== undefined) get(code, { local: from });
    else if (isPart) get(code, partStart(kernel, side));
    else constI32(code, side.from);
  };
  if (from === undefined && isPart) partStart(kernel, side);
  return from === undefined
    ? loop(emitter, side.variable, start, limit, by, inside)
    : continueLoop(emitter, side.variable, from, start, limit, by, inside);
}

/** Where the caller's part of a side begins. */
function partStart(kernel: Kernel, side: Side): Slot {
  const bound = valueAt(kernel.emitter, `i32:${side.from}`, "i32", 0, (code) => constI32(code, side.from));
  return extremeOf(kernel, "max", kernel.part!.from, bound);
}

/** Where it ends for steps of `by`. */
function partEnd(kernel: Kernel, side: Side, by: number): Slot {
  const bound = valueAt(kernel.emitter, `i32:${side.to}`, "i32", 0, (code) => constI32(code, side.to));
  const end = extremeOf(kernel, "min", kernel.part!.to, bound);
  if (by === 1) return end;
  return valueAt(kernel.emitter, `l${end.local}-${by - 1}`, "i32", end.level, (code) => {
    get(code, end);
    constI32(code, by - 1);
    op(code, "i32.sub");
  });
}

/** A side in tiles of each width in turn, widest first, each as far as whole tiles go. */
function inTiles(kernel: Kernel, side: Side, widths: readonly number[], inside: (width: number) => void): void {
  let from: number | undefined;
  let left = side.to - side.from;
  const isPart = kernel.part?.variable === side.variable;
  for (const width of widths) {
    if (left < width) continue;
    const whole = isPart ? left : left - (left % width);
    const end = side.to - left + whole;
    from = overSide(kernel, side, width, from, end, () => inside(width));
    if (!isPart) left -= whole;
  }
}

// ── maps ────────────────────────────────────────────────────────────────────────────────────────

function lanesOf(type: ElementType): 2 | 4 | undefined {
  if (type === "f64") return 2;
  return type === "f32" || type === "i32" || type === "bool" ? 4 : undefined;
}

/** Lanes follow the floats: a mask or an integer made of f64 values comes in pairs. */
function lanesAmong(scalars: readonly Scalar[], type: ElementType): 2 | 4 | undefined {
  let wide = type === "f64";
  for (const scalar of scalars) eachScalar(scalar, (part) => void (part.type === "f64" && (wide = true)));
  return wide ? (type === "f64" || type === "i32" ? 2 : undefined) : lanesOf(type);
}

/** The coordinate along which vectors cost least, with that cost. */
function bestAlong(
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

function emitMap(kernel: Kernel, piece: Piece, free: readonly Side[]): void {
  const { sized, indices, only } = piece;
  for (const side of free) kernel.known.set(side.variable, { least: side.from, most: side.to - 1 });
  const written = target(sized.definition, sized.element, indices);
  const straight = free.filter(
    (side) => side.to - side.from >= 2 && strideOf(kernel, newAlong(side.variable, 4), written) === 1,
  );
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
    inTiles(kernel, side, [along.lanes, 1], (width) => {
      if (width === 1) emitCell(kernel, piece);
      else storeLanes(kernel, along, sized, indices, emitLanes(kernel, along, only.value));
    });
  });
}

function storeLanes(
  kernel: Kernel,
  along: Along,
  { definition, element }: Sized,
  indices: readonly Scalar[],
  value: Slot,
): void {
  const address = emitReadAddress(kernel, target(definition, element, indices));
  const scope = here(kernel.emitter);
  if (element === "bool") {
    const words = vector(kernel, "i16x8.narrow_i32x4_s", value, value);
    const bytes = vector(
      kernel,
      "v128.and",
      vector(kernel, "i8x16.narrow_i16x8_s", words, words),
      constant32(kernel, 0x01010101),
    );
    const code = codeAt(kernel.emitter, scope);
    get(code, address.pointer);
    get(code, bytes);
    laneMemory(code, "v128.store32_lane", address.offset, 0);
    return;
  }
  const code = codeAt(kernel.emitter, scope);
  get(code, address.pointer);
  get(code, value);
  if (element === "i32" && along.lanes === 2) laneMemory(code, "v128.store64_lane", address.offset, 0);
  else memory(code, "v128.store", address.offset);
}

// ── reductions ──────────────────────────────────────────────────────────────────────────────────

/** The accumulators that fit into registers beside what they are fed with. */
const mostAccumulators = 8;

function emitReductions(kernel: Kernel, piece: Piece, free: readonly Side[]): void {
  const { sized, indices, only } = piece;
  for (const side of free) kernel.known.set(side.variable, { least: side.from, most: side.to - 1 });
  const bodies = only.reductions.map(({ body }) => body);
  for (const body of bodies) rememberLoops(kernel, body.loops);
  const written = target(sized.definition, sized.element, indices);
  const rectangular = (side: Side): boolean =>
    bodies.every((body) =>
      body.loops.every((each) => ![each.from, each.to].some((bound) => mentionsSide(bound, side))),
    );
  const scalars = [...bodies.flatMap((body) => [body.value, ...body.guards]), only.value];
  const lanes = bodies.every(combinesVectors) ? lanesAmong(scalars, sized.element) : undefined;
  const costAlong = (along: Along): number => {
    const seen = new Set(only.reductions.map(({ name }) => name));
    const terms = bodies.reduce((total, body) => total + termCost(kernel, along, body, seen), 0);
    return terms + costOf(kernel, along, only.value, seen);
  };
  const straight = free.filter(
    (side) =>
      side.to - side.from >= (lanes ?? 4) &&
      rectangular(side) &&
      strideOf(kernel, newAlong(side.variable, 4), written) === 1,
  );
  const across = sized.element === "bool" ? undefined : bestAlong(straight, lanes, costAlong);
  const [first] = bodies;
  const isLong = bodies.length === 1 && lengthAtLeast(first!.loops.at(-1), 2 * (lanes ?? 4));
  const down = isLong
    ? bestAlong(first!.loops.slice(-1), lanes, (along) => termCost(kernel, along, first!, new Set()))
    : undefined;
  if (across && across.cost <= (down?.cost ?? Infinity)) {
    const side = free.find((each) => each.variable === across.along.variable)!;
    emitTiles(kernel, piece, free, side, across.along, rectangular);
  } else if (down) emitAlong(kernel, piece, free, down.along, rectangular);
  else overSides(kernel, free, () => emitCell(kernel, piece));
}

function rememberLoops(kernel: Kernel, loops: readonly Loop[]): void {
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

function mentionsSide(scalar: Scalar, side: Side): boolean {
  let found = false;
  eachScalar(scalar, (part) => {
    if (part.kind === "integer" && mentions(part.term, side.variable)) found = true;
  });
  return found;
}

/** How many reads of the terms stay the same along a side: as often as a tile has cells there, they are made once. */
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
  return by === 0 ? new Map() : new Map([[side.variable, integerScalar(plus(ofVariable(side.variable), by))]]);
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
  const isSimple = only.reductions.every(({ body }) => termCost(kernel, along, body, new Set()) <= simpleBody);
  const rowSide = isSimple ? partner(kernel, piece, rest.filter(rectangular)) : undefined;
  const rows = rowSide ? [4, 2, 1].filter((count) => count <= rowSide.to - rowSide.from) : [1];
  const outer = rest.filter((each) => each !== rowSide);
  const vectors = (rowCount: number): readonly number[] => {
    const most = rowCount >= 4 ? 2 : isSimple ? 4 : 2;
    return [most, 1].map((count) => count * along.lanes).filter((count, k, all) => all.indexOf(count) === k);
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
function emitMembers(kernel: Kernel, piece: Piece, along: Along | undefined, members: readonly Member[]): void {
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
  for (const { name, body } of only.reductions) {
    // A later reduction of the same cells reads the earlier ones, member by member.
    const slots =
      results.length === 0
        ? reduceTile(kernel, along, body, members, names)
        : members.map((member, k) => {
            bindAll(kernel, only, results, k);
            return reduceTile(kernel, along, body, [member], names)[0]!;
          });
    results.push(slots);
    kernel.bound.delete(name);
  }
  members.forEach((member, k) => {
    bindAll(kernel, only, results, k);
    const own = indices.map((index) => forMember(index, member, names));
    storeLanes(kernel, along, sized, own, emitLanes(kernel, along, forMember(only.value, member, names)));
  });
}

function bindAll(kernel: Kernel, only: Case, results: readonly (readonly Slot[])[], member: number): void {
  results.forEach((slots, at) => kernel.bound.set(only.reductions[at]!.name, slots[member]!));
}

function bodyFor(body: Case["reductions"][number]["body"], member: Member, names: readonly Local[]): typeof body {
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
  const first = partner(kernel, piece, candidates);
  const second =
    first &&
    partner(
      kernel,
      piece,
      candidates.filter((each) => each !== first),
    );
  const outer = free.filter((each) => each !== first && each !== second);
  const cells = (members: readonly Member[]): void => {
    const slots = reduceAlong(kernel, along, body, members, names);
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
