// Reductions as vectors: accumulators for the cells of a tile, and blocks of terms.
//
// The terms of a cell are combined in an order that depends on the sizes alone, so a result has the
// same bits in every run.

import { factsOf, newOpaque } from "../../../analyse/facts.ts";
import { ofVariable, plus, variable } from "../../../affine/term.ts";
import type { Local, Loop, Scalar } from "../../../ir/program.ts";
import type { ElementType } from "../../../scalar/types.ts";
import { instantiate, integerScalar, type Replacements } from "../../../ir/substitute.ts";
import type { Reduction } from "../../../plan/regions/regions.ts";
import { combinations, increment, newCounter } from "./accumulators.ts";
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
import { lengthOf, mostOf, walk, withLoop } from "./term-loops.ts";
import { blended, costOf, emitLanes, type Along } from "../code/vectors.ts";

/** Whether vectors of terms can be combined: sums and products of numbers, extremes of floats. */
export function combinesVectors({ reduction, value, guards }: Reduction): boolean {
  const { type } = value;
  if (type !== "f32" && type !== "f64" && type !== "i32") return false;
  if (reduction === "mean" && guards.length > 0) return false;
  if (reduction === "max" || reduction === "min") return type !== "i32";
  return combinations[reduction]?.instruction[type] !== undefined;
}

/**
 * What vectors of a reduction's terms cost; terms under guards are computed whether their guards
 * hold or not.
 */
export function termCost(
  kernel: Kernel,
  along: Along,
  { guards, value }: Reduction,
  seen: Set<Local>,
  there?: ReadonlySet<string>,
): number {
  const before = kernel.facts.length;
  let total = 0;
  for (const guard of guards) {
    total += isSpeculable(kernel, guard) ? costOf(kernel, along, guard, seen, there) + 1 : Infinity;
    kernel.facts.push(...factsOf(newOpaque(), guard, true, kernel.facts));
  }
  total +=
    guards.length > 0 && !isSpeculable(kernel, value)
      ? Infinity
      : costOf(kernel, along, value, seen, there);
  kernel.facts.length = before;
  return total;
}

/** One cell of a tile: the coordinates of the tile's first cell, moved. */
export interface Member {
  readonly by: Replacements;
}

/** A copy of a scalar for one member; names of reductions stay the same. */
export function forMember(scalar: Scalar, member: Member, names: readonly Local[]): Scalar {
  if (member.by.size === 0) return scalar;
  return instantiate(scalar, member.by, new Map(names.map((name) => [name, name])));
}

// ── tiles ───────────────────────────────────────────────────────────────────────────────────────

/** The registers of one accumulator: two where it is four lanes of f64. */
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
 * `pmax` keeps what it has where the other is NaN, and is one instruction where `max` is several.
 */
function vectorName({ passesOverNaN }: Reduction, name: string): string {
  return passesOverNaN && name === "max" ? "pmax" : name;
}

/** The accumulators of a reduction, with their start. */
export interface Begun {
  /** What changes nothing. */
  readonly first: Slot;
  readonly totals: readonly Total[];
  /** Of a mean, how many terms there have been. */
  readonly count: number | undefined;
  readonly add: Opcode;
  readonly blocks: Blocks;
}

/**
 * So many accumulators, each added to so often in a block; so many terms are added at once along
 * the loop.
 */
export function begun(
  kernel: Kernel,
  along: Along,
  body: Reduction,
  accumulators: number,
  steps: number,
  width: number,
): Begun {
  const { type } = body.value;
  const { instruction, start } = combinations[body.reduction]!;
  const first = startVector(kernel, along, type, Number(start(type)));
  const totals = Array.from({ length: accumulators }, () => beginning(kernel, first));
  const count = body.reduction === "mean" ? newCounter(kernel) : undefined;
  const add = vectorInstruction(type, vectorName(body, instruction[type]!));
  return {
    first,
    totals,
    count,
    add,
    blocks: newBlocks(kernel, body, totals, steps, width, first),
  };
}

/**
 * Several cells at once, whose terms come as vectors over one of the definition's own coordinates:
 * what each reduction comes to in each of them.
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
    ...begun(kernel, along, body, members.length, stepsOfOne, 1),
  }));
  const terms = (): void => {
    for (const { body, first, totals, count, add } of sums) {
      members.forEach((member, k) => {
        accumulate(kernel, totals[k]!, add, vectorTerm(kernel, along, body, member, names, first));
      });
      if (count !== undefined) increment(codeAt(kernel.emitter, here(kernel.emitter)), count);
    }
  };
  const { loops } = bodies[0]!;
  const last = loops.at(-1);
  const blocks = endingTogether(sums.map((sum) => sum.blocks));
  walkOuter(kernel, loops, blocks, () => {
    if (!last) return terms();
    const at = inBlocks(kernel, last, 1, blocks, terms);
    if (at === undefined || !isWhole(last, stepsOfOne)) withLoop(kernel, last, 1, at, terms);
  });
  return sums.map(({ body, count, blocks: own }) =>
    own.finish().map((total) => {
      const slot = slotOf(kernel, total);
      return count === undefined ? slot : vectorMean(kernel, body.value.type, slot, count);
    }),
  );
}

function slotOf({ emitter }: Kernel, total: Total): Slot {
  const [lower, upper] = total.map((local): Slot => ({
    local,
    type: "v128",
    level: here(emitter),
  }));
  return upper ? pairOf(lower!, upper) : lower!;
}

function beginning(kernel: Kernel, first: Slot): Total {
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
 * Contractions of f32 are summed in blocks, each added to a total in f64: rounding does not grow
 * with the number of terms, even where all of them are rounded the same way (Higham, "The accuracy
 * of floating point summation", 1993). Other sums of f32 come as sums of f64, and have no blocks.
 */
export interface Blocks {
  /** Ends a block. Does nothing where there are none. */
  readonly flush: () => void;
  /** The totals of everything. */
  readonly finish: () => readonly Total[];
  /** How often an accumulator is added to in a block; absent where there are none. */
  readonly steps?: number;
}

/**
 * How often an accumulator is added to in a block; more often where its lanes are a cell's, and
 * several cells share the registers.
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
  // Vectors that are left over at the end of the innermost loop all go to one accumulator.
  const along = inner ? Math.ceil(mostOf(kernel, inner) / width) + 3 : 1;
  const additions = loops.slice(0, -1).reduce((total, each) => total * mostOf(kernel, each), along);
  if (type !== "f32" || (reduction !== "sum" && reduction !== "mean") || additions < 2 * steps)
    return { flush: () => undefined, finish: () => totals };
  const wholes = totals.map(() => ({
    lower: beginning(kernel, first)[0]!,
    upper: beginning(kernel, first)[0]!,
  }));
  const flush = (): void =>
    totals.forEach(([total], k) => {
      // Accumulators change: what is made of them is made anew each time.
      const code = codeAt(kernel.emitter, here(kernel.emitter));
      for (const [half, whole] of Object.entries(wholes[k]!)) {
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
      return wholes.map(({ lower, upper }) => [joinedHalves(kernel, lower, upper)]);
    },
  };
}

/** Four f32 of twice two f64. */
function joinedHalves(kernel: Kernel, lower: number, upper: number): number {
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

/** Blocks of reductions in one loop end together. */
export function endingTogether(all: readonly Blocks[]): Pick<Blocks, "flush" | "steps"> {
  const steps = all.find((blocks) => blocks.steps !== undefined)?.steps;
  const flush = (): void => all.forEach((blocks) => blocks.flush());
  return steps === undefined ? { flush } : { flush, steps };
}

/** The loops around the innermost one; each position of the outermost ends a block. */
export function walkOuter(
  kernel: Kernel,
  loops: readonly Loop[],
  blocks: Pick<Blocks, "flush">,
  inside: () => void,
): void {
  const [first, ...rest] = loops.slice(0, -1);
  if (!first) return inside();
  withLoop(kernel, first, 1, undefined, () => {
    walk(kernel, rest, inside);
    blocks.flush();
  });
}

/**
 * The whole blocks of a loop in steps of `width`; the local of the position after them, where there
 * are any.
 */
export function inBlocks(
  kernel: Kernel,
  each: Loop,
  width: number,
  blocks: ReturnType<typeof endingTogether>,
  inside: () => void,
): number | undefined {
  const size = width * (blocks.steps ?? Infinity);
  const length = lengthOf(each);
  if (size === Infinity || (length !== undefined && length < 2 * size)) return undefined;
  const first = variable(`${each.variable.name}_block`);
  const block = ofVariable(first);
  return withLoop(kernel, { ...each, variable: first }, size, undefined, () => {
    withLoop(
      kernel,
      { ...each, from: integerScalar(block), to: integerScalar(plus(block, size)) },
      width,
      undefined,
      inside,
    );
    blocks.flush();
  });
}

function isWhole(each: Loop, size: number): boolean {
  const length = lengthOf(each);
  return length !== undefined && length % size === 0;
}

function vectorMean(kernel: Kernel, type: ElementType, total: Slot, count: number): Slot {
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
  return slotOf(kernel, quotients);
}

/** A term, or what changes nothing where its guards do not hold. */
export function vectorTerm(
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
  return masks ? blended(kernel, along, body.value.type, masks, value, neutral) : value;
}

export function accumulate(kernel: Kernel, total: Total, name: Opcode, term: Slot): void {
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  for (const [k, register] of registersOf(term).entries()) {
    get(code, { local: total[k]! });
    get(code, register);
    op(code, name);
    set(code, total[k]!);
  }
}
