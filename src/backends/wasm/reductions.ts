// Reductions as vectors: one accumulator for each cell of a tile, or several for one cell whose terms come as vectors.
//
// The terms of a cell are combined in an order that depends on the sizes alone, so a result has the same bits in every run.

import { factsOf, newOpaque } from "../../ir/facts.ts";
import { ofVariable, plus, variable } from "../../ir/affine/term.ts";
import type { Local, Loop, Scalar } from "../../ir/program.ts";
import type { ElementType } from "../../ir/scalar/types.ts";
import { instantiate, integerScalar, type Replacements } from "../../ir/substitute.ts";
import type { Reduction } from "../../optimise/regions.ts";
import { combinations, increment, newCounter, startScalar } from "./accumulators.ts";
import { codeAt, constI32, get, here, lane, newLocal, op, set, type Slot } from "./emitter.ts";
import type { Kernel } from "./kernel.ts";
import { constant32, constantDouble, constantFloat, vector } from "./lanes.ts";
import type { Opcode } from "./opcodes.ts";
import { emitValue, heldAs, isSpeculable } from "./scalars.ts";
import { guarded, lengthOf, walk, withLoop } from "./term-loops.ts";
import { costOf, emitLanes, narrowMask, type Along } from "./vectors.ts";

/** Whether vectors of terms can be combined: sums and products of numbers, extremes of floats. */
export function combinesVectors({ reduction, value, guards }: Reduction): boolean {
  const { type } = value;
  if (type !== "f32" && type !== "f64" && type !== "i32") return false;
  if (reduction === "mean" && guards.length > 0) return false;
  if (reduction === "max" || reduction === "min") return type !== "i32";
  return combinations[reduction]?.instruction[type] !== undefined;
}

/** What vectors of a reduction's terms cost; terms under guards are computed whether their guards hold or not. */
export function termCost(kernel: Kernel, along: Along, { guards, value }: Reduction, seen: Set<Local>): number {
  const before = kernel.facts.length;
  let total = 0;
  for (const guard of guards) {
    total += isSpeculable(kernel, guard) ? costOf(kernel, along, guard, seen) + 1 : Infinity;
    kernel.facts.push(...factsOf(newOpaque(), guard, true, kernel.facts));
  }
  total += guards.length > 0 && !isSpeculable(kernel, value) ? Infinity : costOf(kernel, along, value, seen);
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

function startVector(kernel: Kernel, type: ElementType, value: number): Slot {
  if (type === "f32") return constantFloat(kernel, value);
  return type === "f64" ? constantDouble(kernel, value) : constant32(kernel, value);
}

function vectorInstruction(type: ElementType, name: string): Opcode {
  return `${type === "f32" ? "f32x4" : type === "f64" ? "f64x2" : "i32x4"}.${name}` as Opcode;
}

/** `pmax` keeps what it has where the other is NaN, and is one instruction where `max` is several. */
function vectorName({ passesOverNaN }: Reduction, name: string): string {
  return passesOverNaN && name === "max" ? "pmax" : name;
}

/** Several cells at once, whose terms come as vectors over one of the definition's own coordinates. */
export function reduceTile(
  kernel: Kernel,
  along: Along,
  body: Reduction,
  members: readonly Member[],
  names: readonly Local[],
): readonly Slot[] {
  const { type } = body.value;
  const { instruction, start } = combinations[body.reduction]!;
  const first = startVector(kernel, type, Number(start(type)));
  const totals = members.map(() => beginning(kernel, first));
  const count = body.reduction === "mean" ? newCounter(kernel) : undefined;
  const add = vectorInstruction(type, vectorName(body, instruction[type]!));
  const blocks = newBlocks(kernel, body, totals, stepsTogether, first, add);
  const terms = (): void => {
    members.forEach((member, k) => {
      const term = vectorTerm(kernel, along, body, member, names, first);
      accumulate(kernel, totals[k]!, add, term);
    });
    if (count !== undefined) increment(codeAt(kernel.emitter, here(kernel.emitter)), count);
  };
  const last = body.loops.at(-1);
  walkOuter(kernel, body.loops, blocks, () => {
    if (!last) return terms();
    const at = inBlocks(kernel, last, 1, blocks, terms);
    if (at === undefined || !isWhole(last, stepsTogether)) withLoop(kernel, last, 1, at, terms);
  });
  return blocks.finish().map((total) => {
    const slot: Slot = { local: total, type: "v128", level: here(kernel.emitter) };
    return count === undefined ? slot : vectorMean(kernel, type, slot, count);
  });
}

function beginning(kernel: Kernel, first: Slot): number {
  const local = newLocal(kernel.emitter, "v128");
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, first);
  set(code, local);
  return local;
}

// ── blocks ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Sums of f32 are taken in blocks, each added to a total of its own: rounding then grows with the root of the number of terms, even where
 * all terms are rounded the same way (Higham, "The accuracy of floating point summation", 1993).
 */
interface Blocks {
  /** Ends a block. Does nothing where there are none. */
  readonly flush: () => void;
  /** The totals of everything. */
  readonly finish: () => readonly number[];
  /** How often an accumulator is added to in a block; absent where there are none. */
  readonly steps?: number;
}

/** How often one accumulator is added to in a block: more often where several cells share the registers, and a loop more costs more. */
const stepsAlone = 128;
const stepsTogether = 4096;

function newBlocks(
  kernel: Kernel,
  { reduction, value: { type }, loops }: Reduction,
  totals: readonly number[],
  steps: number,
  first: Slot,
  add: Opcode,
): Blocks {
  const terms = loops.reduce((total, each) => total * (lengthOf(each) ?? Infinity), 1);
  const isLong = terms >= 2 * steps && (terms < Infinity || steps === stepsAlone);
  if (type !== "f32" || (reduction !== "sum" && reduction !== "mean") || !isLong)
    return { flush: () => undefined, finish: () => totals };
  const whole = totals.map(() => beginning(kernel, first));
  const flush = (): void =>
    totals.forEach((total, k) => {
      accumulate(kernel, whole[k]!, add, { local: total, type: "v128", level: here(kernel.emitter) });
      const code = codeAt(kernel.emitter, here(kernel.emitter));
      get(code, first);
      set(code, total);
    });
  return {
    steps,
    flush,
    finish() {
      flush();
      return whole;
    },
  };
}

/** The loops around the innermost one; each position of the outermost ends a block. */
function walkOuter(kernel: Kernel, loops: readonly Loop[], blocks: Blocks, inside: () => void): void {
  const [first, ...rest] = loops.slice(0, -1);
  if (!first) return inside();
  withLoop(kernel, first, 1, undefined, () => {
    walk(kernel, rest, inside);
    blocks.flush();
  });
}

/** The whole blocks of a loop in steps of `width`; the local of the position after them, where there are any. */
function inBlocks(kernel: Kernel, each: Loop, width: number, blocks: Blocks, inside: () => void): number | undefined {
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
  const local = newLocal(kernel.emitter, "v128");
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, total);
  get(code, { local: count });
  op(code, type === "f32" ? "f32.convert_i32_s" : "f64.convert_i32_s");
  op(code, type === "f32" ? "f32x4.splat" : "f64x2.splat");
  op(code, type === "f32" ? "f32x4.div" : "f64x2.div");
  set(code, local);
  return { local, type: "v128", level: here(kernel.emitter) };
}

/** A term, or what changes nothing where its guards do not hold. */
function vectorTerm(
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
  if (!masks) return value;
  const mask = along.lanes === 2 && body.value.type === "i32" ? narrowMask(kernel, masks) : masks;
  return vector(kernel, "v128.bitselect", value, neutral, mask);
}

function accumulate(kernel: Kernel, total: number, name: Opcode, term: Slot): void {
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, { local: total });
  get(code, term);
  op(code, name);
  set(code, total);
}

/** How many vectors of terms of one cell are under way at once. */
const streams = 4;

/** Cells whose terms come as vectors over the innermost reduced coordinate; what is left over comes singly. */
export function reduceAlong(
  kernel: Kernel,
  along: Along,
  body: Reduction,
  members: readonly Member[],
  names: readonly Local[],
): readonly Slot[] {
  const { type } = body.value;
  const { instruction, start } = combinations[body.reduction]!;
  const name = instruction[type]!;
  const first = startVector(kernel, type, Number(start(type)));
  const isAlone = members.length === 1;
  const totals = members.map(() => Array.from({ length: isAlone ? streams : 1 }, () => beginning(kernel, first)));
  const held = heldAs(type);
  const tails = members.map(() => {
    const local = newLocal(kernel.emitter, held);
    const code = codeAt(kernel.emitter, here(kernel.emitter));
    startScalar(code, type, start(type));
    set(code, local);
    return local;
  });
  const count = body.reduction === "mean" ? newCounter(kernel) : undefined;
  const last = body.loops.at(-1)!;
  const length = lengthOf(last);
  const { lanes } = along;
  const add = vectorInstruction(type, vectorName(body, name));
  const blocks = newBlocks(kernel, body, totals.flat(), isAlone ? stepsAlone : stepsTogether, first, add);
  const wide = isAlone ? lanes * streams : lanes;
  const terms = (): void => {
    if (isAlone) {
      for (let stream = 0; stream < streams; stream++) {
        const moved: Member = { by: shiftedBy(last, stream * lanes) };
        accumulate(kernel, totals[0]![stream]!, add, vectorTerm(kernel, along, body, moved, names, first));
      }
    } else members.forEach((member, k) => accumulate(kernel, totals[k]![0]!, add, vectorTerm(kernel, along, body, member, names, first))); // prettier-ignore
  };
  walkOuter(kernel, body.loops, blocks, () => {
    let at = inBlocks(kernel, last, wide, blocks, terms);
    const run = (width: number, emit: () => void): void => {
      at = withLoop(kernel, last, width, at, emit);
    };
    if (isAlone && (length === undefined || length >= wide)) run(wide, terms);
    if (
      length === undefined ||
      length % (isAlone ? lanes * streams : lanes) >= lanes ||
      (!isAlone && length >= lanes)
    ) {
      run(lanes, () => {
        members.forEach((member, k) => {
          const term = vectorTerm(kernel, along, body, member, names, first);
          accumulate(kernel, totals[k]![0]!, add, term);
        });
      });
    }
    if (length === undefined || length % lanes !== 0 || length < lanes) {
      run(1, () => {
        members.forEach((member, k) => {
          guarded(
            kernel,
            body.guards.map((guard) => forMember(guard, member, names)),
            () => {
              const term = emitValue(kernel, forMember(body.value, member, names));
              accumulate(kernel, tails[k]!, scalarInstruction(type, name), term);
            },
          );
        });
      });
    }
    if (count !== undefined) addLength(kernel, last, count);
  });
  const sums = blocks.finish();
  return members.map((_, k) => {
    const whole = sums.slice(k * totals[k]!.length, (k + 1) * totals[k]!.length).reduce((a, b) => combined(kernel, add, a, b)); // prettier-ignore
    return horizontal(kernel, type, name, whole, tails[k]!, lanes, count);
  });
}

function shiftedBy({ variable }: Loop, by: number): Replacements {
  if (by === 0) return new Map();
  const { constant, parts } = ofVariable(variable);
  return new Map([[variable, { kind: "integer", type: "i32", term: { constant: constant + by, parts } }]]);
}

/** `max` of integers has an instruction for vectors only; vectors of them are not reduced along. */
function scalarInstruction(type: ElementType, name: string): Opcode {
  return `${heldAs(type)}.${name}` as Opcode;
}

function addLength(kernel: Kernel, { from, to }: Loop, count: number): void {
  const [start, end] = [emitValue(kernel, from), emitValue(kernel, to)];
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  const length = newLocal(kernel.emitter, "i32");
  get(code, end);
  get(code, start);
  op(code, "i32.sub");
  set(code, length);
  get(code, { local: count });
  get(code, { local: length });
  constI32(code, 0);
  get(code, { local: length });
  constI32(code, 0);
  op(code, "i32.gt_s");
  op(code, "select");
  op(code, "i32.add");
  set(code, count);
}

function combined(kernel: Kernel, name: Opcode, a: number, b: number): number {
  const local = newLocal(kernel.emitter, "v128");
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, { local: a });
  get(code, { local: b });
  op(code, name);
  set(code, local);
  return local;
}

/** ((0 ⊕ 1) ⊕ (2 ⊕ 3)) ⊕ what came singly. */
function horizontal(
  kernel: Kernel,
  type: ElementType,
  name: string,
  whole: number,
  tail: number,
  lanes: 2 | 4,
  count: number | undefined,
): Slot {
  const held = heldAs(type);
  const extract = type === "f32" ? "f32x4.extract_lane" : type === "f64" ? "f64x2.extract_lane" : "i32x4.extract_lane";
  const combine = scalarInstruction(type, name);
  const local = newLocal(kernel.emitter, held);
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  for (let pair = 0; pair < lanes; pair += 2) {
    for (const at of [pair, pair + 1]) {
      get(code, { local: whole });
      lane(code, extract, at);
    }
    op(code, combine);
    if (pair > 0) op(code, combine);
  }
  get(code, { local: tail });
  op(code, combine);
  if (count !== undefined) {
    get(code, { local: count });
    op(code, held === "f32" ? "f32.convert_i32_s" : "f64.convert_i32_s");
    op(code, held === "f32" ? "f32.div" : "f64.div");
  }
  set(code, local);
  return { local, type: held, level: here(kernel.emitter) };
}
