// Reductions with vectors: accumulators for the cells of a tile, and blocks of terms.
//
// The terms of a cell are combined in an order that depends on sizes alone, so a result has the
// same bits in every run.

import { factsOf, newOpaque } from "../../../analyse/facts.ts";
import { ofVariable, plus, variable } from "../../../affine/term.ts";
import type { Local, Loop, Scalar } from "../../../ir/program.ts";
import type { ElementType } from "../../../scalar/types.ts";
import { instantiate, integerScalar, type Replacements } from "../../../ir/substitute.ts";
import type { Reduction } from "../../../plan/regions/regions.ts";
import { combinations, emitIncrement, newCounter } from "./accumulators.ts";
import { codeAt, get, here, newLocal, op, set, shuffle, type Slot } from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import {
  bothLowerHalves,
  constant32,
  constantDouble,
  constantFloat,
  pairOf,
  registersOf,
  upperFirst,
  vector,
} from "../code/lanes.ts";
import type { Opcode } from "../code/opcodes.ts";
import { isSpeculable } from "../code/scalars.ts";
import { constantLengthOf, greatestLengthOf, emitLoops, emitLoop } from "./term-loops.ts";
import { emitBlended, costOfVector, emitLanes, type Along } from "../code/vectors.ts";

/**
 * Whether the terms can be combined as vectors: sums and products of numbers, and extremes of
 * floats.
 */
export function combinesVectors({ reduction, value, guards }: Reduction): boolean {
  const { type } = value;
  if (type !== "f32" && type !== "f64" && type !== "i32") return false;
  if (reduction === "mean" && guards.length > 0) return false;
  if (reduction === "max" || reduction === "min") return type !== "i32";
  return combinations[reduction]?.instruction[type] !== undefined;
}

/**
 * The cost of computing the terms of a reduction as vectors. Terms under guards are computed even
 * where the guards do not hold, so they must be safe to compute.
 */
export function termCost(
  kernel: Kernel,
  along: Along,
  { guards, value }: Reduction,
  seen: Set<Local>,
  computed?: ReadonlySet<string>,
): number {
  const before = kernel.facts.length;
  let total = 0;
  for (const guard of guards) {
    total += isSpeculable(kernel, guard)
      ? costOfVector(kernel, along, guard, seen, computed) + 1
      : Infinity;
    kernel.facts.push(...factsOf(newOpaque(), guard, true, kernel.facts));
  }
  total +=
    guards.length > 0 && !isSpeculable(kernel, value)
      ? Infinity
      : costOfVector(kernel, along, value, seen, computed);
  kernel.facts.length = before;
  return total;
}

/** One cell of a tile. `by` moves the coordinates of the tile's first cell to this cell. */
export interface Member {
  readonly by: Replacements;
}

/** A copy of a scalar for one member. The names of reductions stay the same. */
export function forMember(scalar: Scalar, member: Member, names: readonly Local[]): Scalar {
  if (member.by.size === 0) return scalar;
  return instantiate(scalar, member.by, new Map(names.map((name) => [name, name])));
}

// ── tiles ───────────────────────────────────────────────────────────────────────────────────────

/** The registers of one accumulator: two for four lanes of f64, else one. */
export type Total = readonly number[];

function startVector(kernel: Kernel, { lanes }: Along, type: ElementType, value: number): Slot {
  if (type === "f32") return constantFloat(kernel, value);
  if (type !== "f64") return constant32(kernel, value);
  const start = constantDouble(kernel, value);
  return lanes === 4 ? pairOf(start, start) : start;
}

function vectorInstruction(type: ElementType, name: string): Opcode {
  return `${type === "f32" ? "f32x4" : type === "f64" ? "f64x2" : "i32x4"}.${name}` as Opcode;
}

/**
 * `pmax` keeps its first operand where the other is NaN. It is one instruction, where `max` is
 * several.
 */
function vectorName({ passesOverNaN }: Reduction, name: string): string {
  return passesOverNaN && name === "max" ? "pmax" : name;
}

/** The accumulators of a reduction with their start value. */
interface BegunReduction {
  /** The neutral element of the reduction: adding it changes nothing. */
  readonly neutral: Slot;
  readonly totals: readonly Total[];
  /** For a mean, the local that counts the terms. */
  readonly count: number | undefined;
  readonly add: Opcode;
  readonly blocks: Blocks;
}

/**
 * Makes `accumulators` accumulators. A block adds `steps` times to each, and `width` terms at once.
 */
export function beginReduction(
  kernel: Kernel,
  along: Along,
  body: Reduction,
  accumulators: number,
  steps: number,
  width: number,
): BegunReduction {
  const { type } = body.value;
  const { instruction, start } = combinations[body.reduction]!;
  const first = startVector(kernel, along, type, Number(start(type)));
  const totals = Array.from({ length: accumulators }, () => newTotal(kernel, first));
  const count = body.reduction === "mean" ? newCounter(kernel) : undefined;
  const add = vectorInstruction(type, vectorName(body, instruction[type]!));
  return {
    neutral: first,
    totals,
    count,
    add,
    blocks: newBlocks(kernel, body, totals, steps, width, first),
  };
}

/**
 * Reduces several cells at once, as vectors along one of the definition's own coordinates. Gives a
 * result for each reduction and each cell.
 */
export function reduceTile(
  kernel: Kernel,
  along: Along,
  bodies: readonly Reduction[],
  members: readonly Member[],
  names: readonly Local[],
): readonly (readonly Slot[])[] {
  const sums = bodies.map((body) => ({
    body,
    ...beginReduction(kernel, along, body, members.length, stepsOfOne, 1),
  }));
  const terms = (): void => {
    for (const { body, neutral, totals, count, add } of sums) {
      members.forEach((member, k) => {
        emitAccumulate(
          kernel,
          totals[k]!,
          add,
          emitVectorTerm(kernel, along, body, member, names, neutral),
        );
      });
      if (count !== undefined) emitIncrement(codeAt(kernel.emitter, here(kernel.emitter)), count);
    }
  };
  const { loops } = bodies[0]!;
  const last = loops.at(-1);
  const blocks = endingBlocksTogether(sums.map((sum) => sum.blocks));
  emitOuterLoops(kernel, loops, blocks, () => {
    if (!last) return terms();
    const at = emitWholeBlocks(kernel, last, 1, blocks, terms);
    if (at === undefined || !isMultipleOfSize(last, stepsOfOne))
      emitLoop(kernel, last, 1, at, terms);
  });
  return sums.map(({ body, count, blocks: own }) =>
    own.finish().map((total) => {
      const slot = slotOfTotal(kernel, total);
      return count === undefined ? slot : emitVectorMean(kernel, body.value.type, slot, count);
    }),
  );
}

function slotOfTotal({ emitter }: Kernel, total: Total): Slot {
  const [lower, upper] = total.map((local): Slot => ({
    local,
    type: "v128",
    level: here(emitter),
  }));
  return upper ? pairOf(lower!, upper) : lower!;
}

function newTotal(kernel: Kernel, first: Slot): Total {
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  return registersOf(first).map((register) => {
    const local = newLocal(kernel.emitter, "v128");
    get(code, register);
    set(code, local);
    return local;
  });
}

// ── blocks ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Contractions of f32 are summed in blocks, and each block is added to a total in f64. So the
 * rounding error does not grow with the number of terms, even if all terms are rounded the same way
 * (Higham, "The accuracy of floating point summation", 1993). Other sums of f32 are widened to sums
 * of f64, and need no blocks.
 */
export interface Blocks {
  /** Ends a block. Does nothing if there are no blocks. */
  readonly flush: () => void;
  /** Gives the totals of all blocks. */
  readonly finish: () => readonly Total[];
  /** How often a block adds to an accumulator; `undefined` if there are no blocks. */
  readonly steps?: number;
}

/**
 * How often a block adds to an accumulator. Blocks are longer where the lanes of an accumulator are
 * partial sums of one cell, and several cells share the registers.
 */
export const stepsOfOne = 128;
export const stepsOfLanes = 512;

function newBlocks(
  kernel: Kernel,
  { reduction, value: { type }, loops }: Reduction,
  totals: readonly Total[],
  steps: number,
  width: number,
  first: Slot,
): Blocks {
  const inner = loops.at(-1);
  // The vectors that are left over at the end of the innermost loop all go to one accumulator.
  const along = inner ? Math.ceil(greatestLengthOf(kernel, inner) / width) + 3 : 1;
  const additions = loops
    .slice(0, -1)
    .reduce((total, each) => total * greatestLengthOf(kernel, each), along);
  if (type !== "f32" || (reduction !== "sum" && reduction !== "mean") || additions < 2 * steps)
    return { flush: () => undefined, finish: () => totals };
  const wideTotals = totals.map(() => ({
    lower: newTotal(kernel, first)[0]!,
    upper: newTotal(kernel, first)[0]!,
  }));
  const flush = (): void =>
    totals.forEach(([total], k) => {
      // The accumulators change, so their conversion to f64 must not be reused.
      const code = codeAt(kernel.emitter, here(kernel.emitter));
      for (const [half, whole] of Object.entries(wideTotals[k]!)) {
        get(code, { local: whole });
        get(code, { local: total! });
        if (half === "upper") {
          get(code, { local: total! });
          shuffle(code, upperFirst);
        }
        op(code, "f64x2.promote_low_f32x4");
        op(code, "f64x2.add");
        set(code, whole);
      }
      get(code, first);
      set(code, total!);
    });
  return {
    steps,
    flush,
    finish() {
      flush();
      return wideTotals.map(({ lower, upper }) => [emitJoinedHalves(kernel, lower, upper)]);
    },
  };
}

/** Rounds twice two f64 to four f32. */
function emitJoinedHalves(kernel: Kernel, lower: number, upper: number): number {
  const local = newLocal(kernel.emitter, "v128");
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  for (const half of [lower, upper]) {
    get(code, { local: half });
    op(code, "f32x4.demote_f64x2_zero");
  }
  shuffle(code, bothLowerHalves);
  set(code, local);
  return local;
}

/** Combines the blocks of several reductions in one loop, so that they end together. */
export function endingBlocksTogether(
  blocksOfAll: readonly Blocks[],
): Pick<Blocks, "flush" | "steps"> {
  const steps = blocksOfAll.find((blocks) => blocks.steps !== undefined)?.steps;
  const flush = (): void => blocksOfAll.forEach((blocks) => blocks.flush());
  return steps === undefined ? { flush } : { flush, steps };
}

/** Emits the loops around the innermost one. Each position of the outermost loop ends a block. */
export function emitOuterLoops(
  kernel: Kernel,
  loops: readonly Loop[],
  blocks: Pick<Blocks, "flush">,
  inside: () => void,
): void {
  const [first, ...rest] = loops.slice(0, -1);
  if (!first) return inside();
  emitLoop(kernel, first, 1, undefined, () => {
    emitLoops(kernel, rest, inside);
    blocks.flush();
  });
}

/**
 * Emits the whole blocks of a loop in steps of `width`. Gives the local of the position after them,
 * or `undefined` if there are no whole blocks.
 */
export function emitWholeBlocks(
  kernel: Kernel,
  loop: Loop,
  width: number,
  blocks: ReturnType<typeof endingBlocksTogether>,
  inside: () => void,
): number | undefined {
  const size = width * (blocks.steps ?? Infinity);
  const length = constantLengthOf(loop);
  if (size === Infinity || (length !== undefined && length < 2 * size)) return undefined;
  const first = variable(`${loop.variable.name}_block`);
  const block = ofVariable(first);
  return emitLoop(kernel, { ...loop, variable: first }, size, undefined, () => {
    emitLoop(
      kernel,
      { ...loop, from: integerScalar(block), to: integerScalar(plus(block, size)) },
      width,
      undefined,
      inside,
    );
    blocks.flush();
  });
}

function isMultipleOfSize(loop: Loop, size: number): boolean {
  const length = constantLengthOf(loop);
  return length !== undefined && length % size === 0;
}

function emitVectorMean(kernel: Kernel, type: ElementType, total: Slot, count: number): Slot {
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  const quotients = registersOf(total).map((register) => {
    const local = newLocal(kernel.emitter, "v128");
    get(code, register);
    get(code, { local: count });
    op(code, type === "f32" ? "f32.convert_i32_s" : "f64.convert_i32_s");
    op(code, type === "f32" ? "f32x4.splat" : "f64x2.splat");
    op(code, type === "f32" ? "f32x4.div" : "f64x2.div");
    set(code, local);
    return local;
  });
  return slotOfTotal(kernel, quotients);
}

/** A term, or the neutral element in the lanes where the guards do not hold. */
export function emitVectorTerm(
  kernel: Kernel,
  along: Along,
  body: Reduction,
  member: Member,
  names: readonly Local[],
  neutral: Slot,
): Slot {
  let masks: Slot | undefined;
  const before = kernel.facts.length;
  for (const guard of body.guards) {
    const own = forMember(guard, member, names);
    const mask = emitLanes(kernel, along, own);
    masks = masks ? vector(kernel, "v128.and", masks, mask) : mask;
    kernel.facts.push(...factsOf(newOpaque(), own, true, kernel.facts));
  }
  const value = emitLanes(kernel, along, forMember(body.value, member, names));
  kernel.facts.length = before;
  return masks ? emitBlended(kernel, along, body.value.type, masks, value, neutral) : value;
}

export function emitAccumulate(kernel: Kernel, total: Total, name: Opcode, term: Slot): void {
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  for (const [k, register] of registersOf(term).entries()) {
    get(code, { local: total[k]! });
    get(code, register);
    op(code, name);
    set(code, total[k]!);
  }
}
