// Emits scatters: walks the terms of a reduction once and adds each to the cells that its ties
// give.
//
//   for each k  total[idx[k]] += g[k]
//
// The terms of a cell are added in the order of the reduced coordinates, whatever the inner loops
// are, so a result has the same bits in every run.

import { isOfCoordinates } from "../../../ir/parts.ts";
import type { Scalar } from "../../../ir/program.ts";
import { conjuncts, usesAny, type Tie } from "../../../analyse/ties.ts";
import { loopsOfSides, type Reduction, type Side } from "../../../plan/regions/regions.ts";
import type { Scatter } from "../../../plan/reductions/scatter.ts";
import { initialTotals, type Totals } from "../../../plan/reductions/totals.ts";
import {
  branch,
  codeAt,
  constI32,
  get,
  here,
  loop,
  memory,
  op,
  valueAt,
  type Slot,
} from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import { registersOf, instruction } from "../code/lanes.ts";
import { bestAlong, emitMap, lanesAmong, rememberLoops } from "../code/maps.ts";
import type { Opcode } from "../code/opcodes.ts";
import { instructionFor } from "./accumulators.ts";
import { heldAs } from "../code/operations.ts";
import { emitIndex, emitReadAddress, emitValue, loadOf, storeOf } from "../code/scalars.ts";
import { emitInTiles, emitOverSides } from "./sides.ts";
import { cellAsRead, emitWrite } from "../code/stores.ts";
import { emitGuarded, emitLoops, withBoundsKnown } from "./term-loops.ts";
import { emitExtreme } from "../code/terms.ts";
import { costOfVector, emitLanes, newAlong, strideOf, type Along } from "../code/vectors.ts";
import { Unsupported } from "../unsupported.ts";
import { knowSide } from "../code/kernel.ts";
import { coordinateScalar } from "../../../ir/substitute.ts";

/** Gives the totals their start value, along the sides that no surrounding loop holds. */
export function emitStart(kernel: Kernel, { totals, sides }: Scatter, free: readonly Side[]): void {
  const sized = initialTotals(totals, sides);
  const indices = coordinatesOf(sides);
  const [only] = sized.regions[0]!.cases;
  if (free.length > 0) emitMap(kernel, { sized, indices, only: only! }, free);
  else emitWrite(kernel, totals, indices, emitValue(kernel, only!.value));
}

function coordinatesOf(sides: readonly Side[]): readonly Scalar[] {
  return sides.map(coordinateScalar);
}

/** Adds all terms, or the caller's part if the first coordinate is divided among callers. */
export function emitTerms(kernel: Kernel, scatter: Scatter, free: readonly Side[]): void {
  const { totals, sides } = scatter;
  for (const side of free) knowSide(kernel, side);
  const ways = (scatter.choices ?? [scatter]).map(({ body, ties }): Way => {
    return { body, tied: ties.filter((tie) => free.includes(sides[tie.axis]!)) };
  });
  const first = ways[0]!;
  rememberLoops(kernel, first.body.loops);
  const positions = first.tied.map((tie) => sides[tie.axis]!);
  const untied = free.filter((side) => !positions.includes(side));
  const ends = [...first.body.loops, ...ways.flatMap(({ tied }) => tied)].flatMap(
    ({ from, to }) => [from, to],
  );
  // A guard that depends only on the outer sides is tested once, outside of the loops over the
  // terms.
  const onSides = ways
    .flatMap(guardsOf)
    .filter(
      (guard) =>
        isOfCoordinates(guard) &&
        !usesAny(guard, [...first.body.loops, ...loopsOfSides(positions)]),
    );
  const decisive = [...ends, ...onSides];
  const outer = untied.filter((side) =>
    decisive.some((scalar) => usesAny(scalar, loopsOfSides([side]))),
  );
  const inner = untied.filter((side) => !outer.includes(side));
  const places = { totals, sides, positions, inner };
  emitOverSides(kernel, outer, () =>
    walkTerms(kernel, first.body, () => {
      if (!emitTogether(kernel, ways, places)) for (const way of ways) emitWay(kernel, way, places);
    }),
  );
}

/** A term with the cells that it goes to. */
interface Way {
  readonly body: Reduction;
  readonly tied: readonly Tie[];
}

interface Places {
  readonly totals: Totals;
  readonly sides: readonly Side[];
  /**
   * `positions` are the sides whose position a tie gives. All cells along the `inner` sides get the
   * term.
   */
  readonly positions: readonly Side[];
  readonly inner: readonly Side[];
}

function guardsOf({ body, tied }: Way): readonly Scalar[] {
  const said = new Set(tied.flatMap((tie) => tie.said));
  return body.guards.flatMap(conjuncts).filter((guard) => !said.has(guard));
}

function emitWay(kernel: Kernel, way: Way, { totals, sides, positions, inner }: Places): void {
  const uses = (scalar: Scalar, some: readonly Side[]): boolean =>
    usesAny(scalar, loopsOfSides(some));
  const guards = guardsOf(way);
  // Guards that do not need the tied positions come first. They may protect the gathers that give
  // the tied positions.
  const first = guards.filter((guard) => !uses(guard, [...positions, ...inner]));
  const then = guards.filter((guard) => !first.includes(guard) && !uses(guard, inner));
  const last = guards.filter((guard) => uses(guard, inner));
  emitGuarded(kernel, first, () =>
    emitAtTies(kernel, way.tied, sides, () =>
      emitGuarded(kernel, then, () => emitAdditions(kernel, totals, sides, way.body, last, inner)),
    ),
  );
}

/**
 * Adds the terms of one point that go to several rows in a single loop along the rows, so that
 * common reads happen once. Falls back to one loop for each row if some row is outside of the
 * cells. Gives whether this form is possible.
 */
function emitTogether(kernel: Kernel, ways: readonly Way[], places: Places): boolean {
  const { totals, sides, inner } = places;
  const isPlain = ways.every(
    (way) => guardsOf(way).length === 0 && way.tied.every(({ only }) => only),
  );
  if (ways.length < 2 || !isPlain || inner.length === 0) return false;
  for (const side of inner) knowSide(kernel, side);
  const indices = coordinatesOf(sides);
  const alongs = ways.map(({ body }) => vectorSideAmong(kernel, totals, indices, body, inner));
  const [along] = alongs;
  if (
    !along ||
    alongs.some((each) => each?.variable !== along.variable || each.lanes !== along.lanes)
  )
    return false;
  const side = inner.find((each) => each.variable === along.variable)!;
  const { emitter } = kernel;
  const cells = ways.map(({ tied }) =>
    tied.map(({ axis, only }) => ({ side: sides[axis]!, position: emitIndex(kernel, only!) })),
  );
  const areInside = cells
    .flat()
    .map(({ side: own, position }) => emitIsInside(kernel, position, own));
  const all = areInside.reduce((a, b) => instruction(kernel, "i32.and", "i32", [a, b]));
  const add = (way: Way, at: (typeof cells)[number], width: number): void => {
    for (const { side: own, position } of at) emitter.coordinates.set(own.variable, position);
    if (width === 1) emitAddOne(kernel, totals, indices, way.body);
    else emitAddLanes(kernel, along, totals, indices, way.body);
    for (const { side: own } of at) emitter.coordinates.delete(own.variable);
  };
  const others = inner.filter((each) => each !== side);
  const together = (): void =>
    emitOverSides(kernel, others, () =>
      emitInTiles(kernel, side, [along.lanes, 1], (width) =>
        ways.forEach((way, k) => add(way, cells[k]!, width)),
      ),
    );
  branch(emitter, all, together, () => ways.forEach((way) => emitWay(kernel, way, places)));
  return true;
}

function walkTerms(kernel: Kernel, { loops }: Reduction, inside: () => void): void {
  const [first, ...rest] = loops;
  const { part } = kernel;
  if (!first || part?.variable !== first.variable) return emitLoops(kernel, loops, inside);
  const from = emitExtreme(kernel, "max", part.from, emitValue(kernel, first.from));
  const to = emitExtreme(kernel, "min", part.to, emitValue(kernel, first.to));
  withBoundsKnown(kernel, first, 1, () =>
    loop(
      kernel.emitter,
      first.variable,
      (code) => get(code, from),
      to,
      1,
      () => emitLoops(kernel, rest, inside),
    ),
  );
}

/**
 * Whether a position is in a side. If every caller walks all terms and adds those of its own cells,
 * the caller's part of the side counts.
 */
function emitIsInside({ emitter, part }: Kernel, position: Slot, side: Side): Slot {
  const own = part?.variable === side.variable ? part : undefined;
  const key = own ? `l${position.local}in part` : `l${position.local}in${side.from}..${side.to}`;
  return valueAt(emitter, key, "i32", position.level, (code) => {
    const from = (): void => (own ? get(code, own.from) : constI32(code, side.from));
    get(code, position);
    from();
    op(code, "i32.sub");
    if (own) get(code, own.to);
    else constI32(code, side.to);
    from();
    op(code, "i32.sub");
    op(code, "i32.lt_u");
  });
}

/** With rows of at least this many cells, each thread takes some cells of every row. */
const wideRow = 32;

/**
 * The axis along which a scatter can be divided among threads. Either each term has cells all along
 * this axis, or a tie gives one position along it for each term.
 */
export function ownerAxis({ ties, sides, body: { loops } }: Scatter): number | undefined {
  const isTied = (axis: number): boolean => ties.some((tie) => tie.axis === axis);
  const isFree = (side: Side): boolean =>
    !loops.some(({ from, to }) => [from, to].some((end) => usesAny(end, loopsOfSides([side]))));
  const along = sides.findLastIndex(
    (side, axis) => !isTied(axis) && side.from === 0 && side.to >= wideRow && isFree(side),
  );
  if (along >= 0) return along;
  return ties.find(({ axis, only }) => only && sides[axis]!.from === 0 && sides[axis]!.to > 1)
    ?.axis;
}

/** Runs `inside` at every position that the ties give, if it is a cell. */
function emitAtTies(
  kernel: Kernel,
  ties: readonly Tie[],
  sides: readonly Side[],
  inside: () => void,
): void {
  const [first, ...rest] = ties;
  if (!first) return inside();
  const { emitter } = kernel;
  const side = sides[first.axis]!;
  const next = (): void => emitAtTies(kernel, rest, sides, inside);
  knowSide(kernel, side);
  if (first.only) {
    const position = emitIndex(kernel, first.only);
    const isInside = emitIsInside(kernel, position, side);
    branch(emitter, isInside, () => {
      emitter.coordinates.set(side.variable, position);
      next();
      emitter.coordinates.delete(side.variable);
    });
    return;
  }
  if (first.from.type !== "i32" || first.to.type !== "i32")
    throw new Unsupported("an interval of 64-bit positions");
  const bound = (at: number): Slot =>
    valueAt(emitter, `i32:${at}`, "i32", 0, (code) => constI32(code, at));
  const from = emitExtreme(kernel, "max", emitValue(kernel, first.from), bound(side.from));
  const to = emitExtreme(kernel, "min", emitValue(kernel, first.to), bound(side.to));
  loop(emitter, side.variable, (code) => get(code, from), to, 1, next);
}

/**
 * Adds one term to the cell at each position of the inner sides. Uses vectors if no guard filters
 * the cells.
 */
export function emitAdditions(
  kernel: Kernel,
  totals: Totals,
  sides: readonly Side[],
  body: Reduction,
  guards: readonly Scalar[],
  inner: readonly Side[],
): void {
  for (const side of inner) knowSide(kernel, side);
  const indices = coordinatesOf(sides);
  const along =
    guards.length === 0 ? vectorSideAmong(kernel, totals, indices, body, inner) : undefined;
  const side = along && inner.find((each) => each.variable === along.variable)!;
  const singly = (): void =>
    emitGuarded(kernel, guards, () => emitAddOne(kernel, totals, indices, body));
  if (!along || !side) return emitOverSides(kernel, inner, singly);
  emitOverSides(
    kernel,
    inner.filter((each) => each !== side),
    () =>
      emitInTiles(kernel, side, [along.lanes, 1], (width) =>
        width === 1 ? singly() : emitAddLanes(kernel, along, totals, indices, body),
      ),
  );
}

/** The inner coordinate along which neighbouring cells get neighbouring terms. */
function vectorSideAmong(
  kernel: Kernel,
  { definition, element }: Totals,
  indices: readonly Scalar[],
  { reduction, value }: Reduction,
  inner: readonly Side[],
): Along | undefined {
  const { type } = value;
  if (type !== element) return undefined;
  if (!instructionFor(reduction, type) || (type !== "f32" && type !== "f64" && type !== "i32"))
    return undefined;
  const lanes = lanesAmong([value], type);
  // Two i32 that come from two f64 fill only half a register.
  if (lanes === 2 && type !== "f64") return undefined;
  const written = cellAsRead(definition, element, indices);
  const straight = inner.filter(
    (side) =>
      side.to - side.from >= 4 && strideOf(kernel, newAlong(side.variable, 4), written) === 1,
  );
  return bestAlong(straight, lanes, (each) => costOfVector(kernel, each, value))?.along;
}

function emitAddOne(
  kernel: Kernel,
  { definition, element }: Totals,
  indices: readonly Scalar[],
  body: Reduction,
): void {
  const { reduction, value } = body;
  const name = instructionFor(reduction, value.type);
  if (!name) throw new Unsupported(`${reduction} of ${value.type}`);
  const term = emitValue(kernel, value);
  const address = emitReadAddress(kernel, cellAsRead(definition, element, indices));
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, address.pointer);
  get(code, address.pointer);
  memory(code, loadOf(element), address.offset);
  get(code, term);
  op(code, `${heldAs(element)}.${name}` as Opcode);
  memory(code, storeOf(element), address.offset);
}

function emitAddLanes(
  kernel: Kernel,
  along: Along,
  { definition, element }: Totals,
  indices: readonly Scalar[],
  { reduction, value }: Reduction,
): void {
  const term = emitLanes(kernel, along, value);
  const address = emitReadAddress(kernel, cellAsRead(definition, element, indices));
  const name = instructionFor(reduction, value.type)!;
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  for (const [k, register] of registersOf(term).entries()) {
    get(code, address.pointer);
    get(code, address.pointer);
    memory(code, "v128.load", address.offset + 16 * k);
    get(code, register);
    op(
      code,
      `${element === "f32" ? "f32x4" : element === "f64" ? "f64x2" : "i32x4"}.${name}` as Opcode,
    );
    memory(code, "v128.store", address.offset + 16 * k);
  }
}
