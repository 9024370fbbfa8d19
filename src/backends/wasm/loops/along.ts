// Reductions whose terms are vectors along the innermost reduced coordinate: four neighbouring
// terms are added at once. One loop may serve one cell or several, and one reduction or several
// over the same positions.

import { ofVariable, type Variable } from "../../../affine/term.ts";
import type { Local, Loop } from "../../../ir/program.ts";
import type { ElementType } from "../../../scalar/types.ts";
import type { Replacements } from "../../../ir/substitute.ts";
import type { Reduction } from "../../../plan/regions/regions.ts";
import { emitAbreast, hasChain } from "../code/abreast.ts";
import { instructionFor, newAccumulator } from "./accumulators.ts";
import {
  codeAt,
  constI32,
  get,
  here,
  lane,
  newLocal,
  op,
  set,
  type Slot,
} from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import type { Opcode } from "../code/opcodes.ts";
import {
  emitAccumulate,
  beginReduction,
  endingBlocksTogether,
  forMember,
  emitWholeBlocks,
  stepsOfLanes,
  stepsOfOne,
  emitVectorTerm,
  emitOuterLoops,
  type Blocks,
  type Member,
  type Total,
} from "./reductions.ts";
import { heldAs } from "../code/operations.ts";
import { emitValue } from "../code/scalars.ts";
import { emitGuarded, constantLengthOf, emitLoop } from "./term-loops.ts";
import type { Along } from "../code/vectors.ts";

/**
 * How many vectors of terms of one cell are processed at the same time: in a single reduction, and
 * in each of several reductions.
 */
const streamsOfOneReduction = 4;
const streamsOfSeveralReductions = 2;

/**
 * Reduces one cell or several, in reductions with the same loops. Terms that do not fill a vector
 * are reduced one by one.
 */
export function reduceAlong(
  kernel: Kernel,
  along: Along,
  bodies: readonly Reduction[],
  members: readonly Member[],
  names: readonly Local[],
): readonly (readonly Slot[])[] {
  const isAlone = members.length === 1;
  const streams = !isAlone
    ? 1
    : bodies.length === 1
      ? streamsOfOneReduction
      : streamsOfSeveralReductions;
  const accumulators = isAlone ? accumulatorsOf(along, bodies, streams) : streams;
  const sums = bodies.map((body) =>
    newSum(kernel, along, body, members, names, streams, accumulators),
  );
  walkAlong(kernel, along, bodies[0]!.loops, sums, streams);
  return sums.map((sum) => sum.finish());
}

/** All f64 accumulators that accompany four lanes of f32 may take this many registers together. */
const mostWideAccumulatorRegisters = 8;

/**
 * How many accumulators each sum has, for `streams` vectors that are processed at the same time. An
 * addition has to wait for the previous one in its accumulator. An elementary function needs most
 * registers for itself and takes longer than an addition, so one accumulator is enough beside it.
 */
export function accumulatorsOf(
  { lanes }: Along,
  bodies: readonly Reduction[],
  streams: number,
): number {
  const pairs = bodies.filter(({ value }) => lanes === 4 && value.type === "f64").length;
  if (pairs === 0) return streams;
  if (bodies.some(({ value }) => hasChain(value))) return 1;
  return Math.max(
    1,
    Math.min(streams, mostWideAccumulatorRegisters / 2 / 2 ** Math.ceil(Math.log2(pairs))),
  );
}

/** What is done at every position of a loop, for vectors of positions or for single ones. */
export interface Work {
  readonly blocks?: Blocks;
  /** For a mean, the local that counts the terms. */
  readonly count?: number | undefined;
  /**
   * Prepares values that the vectors at several shifted positions need, where computing them
   * together is faster.
   */
  readonly prepare?: (moved: readonly Replacements[]) => void;
  /** Processes one vector, at the position shifted by `by`. */
  readonly doVectors: (stream: number, by: Replacements) => void;
  /** Processes one position. */
  readonly doSingly: () => void;
}

/** Runs several works in one loop. Each processes `streams` vectors at the same time. */
export function walkAlong(
  kernel: Kernel,
  { lanes }: Along,
  loops: readonly Loop[],
  works: readonly Work[],
  streams: number,
): void {
  const blocks = endingBlocksTogether(works.flatMap((work) => work.blocks ?? []));
  const last = loops.at(-1)!;
  const length = constantLengthOf(last);
  const wide = lanes * streams;
  const vectorsOf = (count: number) => (): void => doStreams(works, last, lanes, count);
  emitOuterLoops(kernel, loops, blocks, () => {
    let position = emitWholeBlocks(kernel, last, wide, blocks, vectorsOf(streams));
    const runLoop = (width: number, emit: () => void): void => {
      position = emitLoop(kernel, last, width, position, emit);
    };
    if (length === undefined || length >= wide) runLoop(wide, vectorsOf(streams));
    if (streams > 1 && (length === undefined || length % wide >= lanes))
      runLoop(lanes, vectorsOf(1));
    if (length === undefined || length % lanes !== 0 || length < lanes) {
      runLoop(1, () => {
        for (const work of works) work.doSingly();
      });
    }
    for (const { count } of works) if (count !== undefined) emitAddLength(kernel, last, count);
  });
}

/** Processes `count` neighbouring vectors of each work, one work after the other. */
export function doStreams(
  works: readonly Work[],
  { variable }: Pick<Loop, "variable">,
  lanes: number,
  count: number,
): void {
  const shifts = Array.from({ length: count }, (_, stream) => shiftedBy(variable, stream * lanes));
  for (const work of works) {
    if (count > 1) work.prepare?.(shifts);
    shifts.forEach((by, stream) => work.doVectors(stream, by));
  }
}

/** A reduction whose loop is being emitted. */
export interface Sum extends Work {
  readonly blocks: Blocks;
  readonly finish: () => readonly Slot[];
}

export function newSum(
  kernel: Kernel,
  along: Along,
  body: Reduction,
  members: readonly Member[],
  names: readonly Local[],
  streams: number,
  accumulators: number,
): Sum {
  const { type } = body.value;
  const name = instructionFor(body.reduction, type)!;
  const steps = members.length === 1 ? stepsOfOne : stepsOfLanes;
  const {
    neutral: first,
    totals,
    count,
    add,
    blocks,
  } = beginReduction(
    kernel,
    along,
    body,
    members.length * accumulators,
    steps,
    along.lanes * streams,
  );
  const tails = members.map(() => newAccumulator(kernel, body));
  for (const tail of tails) tail.begin();
  return {
    blocks,
    count,
    prepare(moved) {
      if (body.guards.length > 0) return;
      for (const member of members)
        emitAbreast(
          kernel,
          along,
          moved.map((by) => forMember(body.value, { by: new Map([...member.by, ...by]) }, names)),
        );
    },
    doVectors(stream, by) {
      members.forEach((member, k) => {
        const moved = by.size === 0 ? member : { by: new Map([...member.by, ...by]) };
        const total = totals[k * accumulators + (stream % accumulators)]!;
        emitAccumulate(
          kernel,
          total,
          add,
          emitVectorTerm(kernel, along, body, moved, names, first),
        );
      });
    },
    doSingly() {
      members.forEach((member, k) => {
        const guards = body.guards.map((guard) => forMember(guard, member, names));
        emitGuarded(kernel, guards, () => tails[k]!.add(forMember(body.value, member, names)));
      });
    },
    finish() {
      const sums = blocks.finish();
      return members.map((_, k) => {
        const whole = sums
          .slice(k * accumulators, (k + 1) * accumulators)
          .reduce((a, b) => emitCombined(kernel, add, a, b));
        return emitHorizontal(kernel, type, name, whole, tails[k]!.result(), along.lanes, count);
      });
    },
  };
}

function shiftedBy(variable: Variable, by: number): Replacements {
  if (by === 0) return new Map();
  const { constant, parts } = ofVariable(variable);
  return new Map([
    [variable, { kind: "integer", type: "i32", term: { constant: constant + by, parts } }],
  ]);
}

/**
 * Integers have `max` and `min` as vector instructions only, but they are not reduced along
 * vectors, so this instruction always exists.
 */
function scalarInstruction(type: ElementType, name: string): Opcode {
  return `${heldAs(type)}.${name}` as Opcode;
}

function emitAddLength(kernel: Kernel, { from, to }: Loop, count: number): void {
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

function emitCombined({ emitter }: Kernel, name: Opcode, a: Total, b: Total): Total {
  const code = codeAt(emitter, here(emitter));
  return a.map((register, k) => {
    const local = newLocal(emitter, "v128");
    get(code, { local: register });
    get(code, { local: b[k]! });
    op(code, name);
    set(code, local);
    return local;
  });
}

/**
 * Combines the lanes of the accumulators and the tail: ((0 ⊕ 1) ⊕ (2 ⊕ 3)) ⊕ tail. The tail has the
 * terms that were reduced one by one.
 */
function emitHorizontal(
  kernel: Kernel,
  type: ElementType,
  name: string,
  whole: Total,
  tail: Slot,
  lanes: 2 | 4,
  count: number | undefined,
): Slot {
  const held = heldAs(type);
  const extract =
    type === "f32"
      ? "f32x4.extract_lane"
      : type === "f64"
        ? "f64x2.extract_lane"
        : "i32x4.extract_lane";
  const pairs = lanes / whole.length === 2 ? [0] : [0, 2];
  const combine = scalarInstruction(type, name);
  const local = newLocal(kernel.emitter, held);
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  for (const [k, register] of whole.entries()) {
    for (const pair of pairs) {
      for (const at of [pair, pair + 1]) {
        get(code, { local: register });
        lane(code, extract, at);
      }
      op(code, combine);
      if (pair > 0 || k > 0) op(code, combine);
    }
  }
  get(code, tail);
  op(code, combine);
  if (count !== undefined) {
    get(code, { local: count });
    op(code, held === "f32" ? "f32.convert_i32_s" : "f64.convert_i32_s");
    op(code, held === "f32" ? "f32.div" : "f64.div");
  }
  set(code, local);
  return { local, type: held, level: here(kernel.emitter) };
}
