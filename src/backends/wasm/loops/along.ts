// Reductions whose terms come as vectors over the innermost reduced coordinate: of one cell or of
// several, and several reductions over the same positions in one loop.

import { ofVariable, type Variable } from "../../../affine/term.ts";
import type { Local, Loop } from "../../../ir/program.ts";
import type { ElementType } from "../../../scalar/types.ts";
import type { Replacements } from "../../../ir/substitute.ts";
import type { Reduction } from "../../../plan/regions/regions.ts";
import { emitAbreast, hasChain } from "../code/abreast.ts";
import { combinedBy, newAccumulator } from "./accumulators.ts";
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
  accumulate,
  begun,
  endingTogether,
  forMember,
  inBlocks,
  stepsOfLanes,
  stepsOfOne,
  vectorTerm,
  walkOuter,
  type Blocks,
  type Member,
  type Total,
} from "./reductions.ts";
import { heldAs } from "../code/operations.ts";
import { emitValue } from "../code/scalars.ts";
import { guarded, lengthOf, withLoop } from "./term-loops.ts";
import type { Along } from "../code/vectors.ts";

/**
 * How many vectors of terms are under way at once: of one cell, and of one cell in several
 * reductions.
 */
const streamsAlone = 4;
const streamsTogether = 2;

/**
 * The reductions of one cell or of several, whose loops are the same; what is left over after the
 * vectors comes singly.
 */
export function reduceAlong(
  kernel: Kernel,
  along: Along,
  bodies: readonly Reduction[],
  members: readonly Member[],
  names: readonly Local[],
): readonly (readonly Slot[])[] {
  const isAlone = members.length === 1;
  const streams = !isAlone ? 1 : bodies.length === 1 ? streamsAlone : streamsTogether;
  const accumulators = isAlone ? accumulatorsOf(along, bodies, streams) : streams;
  const sums = bodies.map((body) =>
    newSum(kernel, along, body, members, names, streams, accumulators),
  );
  walkAlong(kernel, along, bodies[0]!.loops, sums, streams);
  return sums.map((sum) => sum.finish());
}

/** Accumulators of f64 beside what else there is take so many registers together. */
const mostRegisters = 8;

/**
 * How many accumulators each of some sums has for so many vectors that are under way at once. An
 * addition waits for the one before in its accumulator; beside an elementary function, which takes
 * the registers for itself, there is time for that.
 */
export function accumulatorsOf(
  { lanes }: Along,
  bodies: readonly Reduction[],
  streams: number,
): number {
  const pairs = bodies.filter(({ value }) => lanes === 4 && value.type === "f64").length;
  if (pairs === 0) return streams;
  if (bodies.some(({ value }) => hasChain(value))) return 1;
  return Math.max(1, Math.min(streams, mostRegisters / 2 / 2 ** Math.ceil(Math.log2(pairs))));
}

/** What is done at every position of a loop, a vector of positions at a time or singly. */
export interface Work {
  readonly blocks?: Blocks;
  /** Of a mean, how many terms there have been. */
  readonly count?: number | undefined;
  /**
   * Makes ready what vectors at positions moved by so much need, where that is better done for all
   * of them together.
   */
  readonly prepare?: (moved: readonly Replacements[]) => void;
  /** Does a vector, at a position moved by so much. */
  readonly doVectors: (stream: number, by: Replacements) => void;
  /** Does one position. */
  readonly doSingly: () => void;
}

/** Several works in one loop, so many vectors of each under way at once. */
export function walkAlong(
  kernel: Kernel,
  { lanes }: Along,
  loops: readonly Loop[],
  works: readonly Work[],
  streams: number,
): void {
  const blocks = endingTogether(works.flatMap((work) => work.blocks ?? []));
  const last = loops.at(-1)!;
  const length = lengthOf(last);
  const wide = lanes * streams;
  const vectorsOf = (count: number) => (): void => doStreams(works, last, lanes, count);
  walkOuter(kernel, loops, blocks, () => {
    let at = inBlocks(kernel, last, wide, blocks, vectorsOf(streams));
    const run = (width: number, emit: () => void): void => {
      at = withLoop(kernel, last, width, at, emit);
    };
    if (length === undefined || length >= wide) run(wide, vectorsOf(streams));
    if (streams > 1 && (length === undefined || length % wide >= lanes)) run(lanes, vectorsOf(1));
    if (length === undefined || length % lanes !== 0 || length < lanes) {
      run(1, () => {
        for (const work of works) work.doSingly();
      });
    }
    for (const { count } of works) if (count !== undefined) addLength(kernel, last, count);
  });
}

/** So many neighbouring vectors of each work, one work after the other. */
export function doStreams(
  works: readonly Work[],
  { variable }: Pick<Loop, "variable">,
  lanes: number,
  count: number,
): void {
  const moved = Array.from({ length: count }, (_, stream) => shiftedBy(variable, stream * lanes));
  for (const work of works) {
    if (count > 1) work.prepare?.(moved);
    moved.forEach((by, stream) => work.doVectors(stream, by));
  }
}

/** A reduction under way. */
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
  accumulators = streams,
): Sum {
  const { type } = body.value;
  const name = combinedBy(body.reduction, type)!;
  const steps = members.length === 1 ? stepsOfOne : stepsOfLanes;
  const { first, totals, count, add, blocks } = begun(
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
        accumulate(kernel, total, add, vectorTerm(kernel, along, body, moved, names, first));
      });
    },
    doSingly() {
      members.forEach((member, k) => {
        const guards = body.guards.map((guard) => forMember(guard, member, names));
        guarded(kernel, guards, () => tails[k]!.add(forMember(body.value, member, names)));
      });
    },
    finish() {
      const sums = blocks.finish();
      return members.map((_, k) => {
        const whole = sums
          .slice(k * accumulators, (k + 1) * accumulators)
          .reduce((a, b) => combined(kernel, add, a, b));
        return horizontal(kernel, type, name, whole, tails[k]!.result(), along.lanes, count);
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

function combined({ emitter }: Kernel, name: Opcode, a: Total, b: Total): Total {
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

/** ((0 ⊕ 1) ⊕ (2 ⊕ 3)) ⊕ what came singly. */
function horizontal(
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
