// Accumulators combine the terms of a reduction into one value. This file has the instructions and
// start values for each reduction, and reduces cells one term at a time.

import { ofVariable } from "../../../affine/term.ts";
import type { Scalar } from "../../../ir/program.ts";
import type { ReductionName } from "../../../scalar/reductions.ts";
import { integerBounds, type ElementType } from "../../../scalar/types.ts";
import type { Reduction } from "../../../plan/regions/regions.ts";
import {
  call,
  codeAt,
  constI32,
  get,
  here,
  newLocal,
  op,
  set,
  type Slot,
} from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import type { Opcode } from "../code/opcodes.ts";
import { heldAs, emitStartValue } from "../code/operations.ts";
import { emitValue } from "../code/scalars.ts";
import { emitEachTerm } from "./term-loops.ts";
import { emitTerm } from "../code/terms.ts";
import { Unsupported } from "../unsupported.ts";

/** How the terms of a reduction are combined. */
interface Combination {
  /** The instruction for each type, without the prefix of the type or of the vector shape. */
  readonly instruction: Partial<Record<ElementType, string>>;
  readonly start: (type: ElementType) => number | bigint;
}

export const combinations: Partial<Record<ReductionName, Combination>> = {
  sum: { instruction: { f32: "add", f64: "add", i32: "add", i64: "add" }, start: () => 0 },
  mean: { instruction: { f32: "add", f64: "add" }, start: () => 0 },
  count: { instruction: { bool: "add" }, start: () => 0 },
  prod: { instruction: { f32: "mul", f64: "mul", i32: "mul", i64: "mul" }, start: () => 1 },
  max: {
    instruction: { f32: "max", f64: "max", i32: "max_s" },
    start: (type) => (type === "i32" ? integerBounds.i32.least : -Infinity),
  },
  min: {
    instruction: { f32: "min", f64: "min", i32: "min_s" },
    start: (type) => (type === "i32" ? integerBounds.i32.greatest : Infinity),
  },
  any: { instruction: { bool: "or" }, start: () => 0 },
  all: { instruction: { bool: "and" }, start: () => 1 },
};

/** The instruction that combines two terms, without its prefix. */
export function instructionFor(reduction: ReductionName, type: ElementType): string | undefined {
  return combinations[reduction]?.instruction[type];
}

/**
 * The type in which single terms are accumulated. Terms of f32 are summed in f64, as the oracle
 * does.
 */
function accumulatorType(reduction: ReductionName, type: ElementType): ElementType {
  const sums = reduction === "sum" || reduction === "mean" || reduction === "prod";
  return type === "f32" && sums ? "f64" : type;
}

/** An accumulator for terms that come one at a time. */
export interface Accumulator {
  readonly local: number;
  readonly within: ElementType;
  /** Adds the term that a scalar gives. */
  readonly add: (value: Scalar) => void;
  /** Emits the result so far, in the reduction's own type. */
  readonly result: () => Slot;
}

/** A new accumulator. `begin` gives it its start value. */
export function newAccumulator(
  kernel: Kernel,
  { reduction, value: { type } }: Reduction,
): Accumulator & { readonly begin: () => void } {
  const combination = combinations[reduction];
  const name = combination?.instruction[type];
  if (!combination || !name) throw new Unsupported(`${reduction} of ${type}`);
  const within = accumulatorType(reduction, type);
  const held = heldAs(within);
  const local = newLocal(kernel.emitter, held);
  return {
    local,
    within,
    begin() {
      const code = codeAt(kernel.emitter, here(kernel.emitter));
      emitStartValue(code, within, combination.start(type));
      set(code, local);
    },
    add(value) {
      const term = emitValue(kernel, value);
      const code = codeAt(kernel.emitter, here(kernel.emitter));
      get(code, { local });
      get(code, term);
      if (within !== type) op(code, "f64.promote_f32");
      op(code, `${held}.${name}` as Opcode);
      set(code, local);
    },
    result: () => emitResult(kernel, type, within, local),
  };
}

/** Reduces a cell one term at a time. */
export function reduceSingly(kernel: Kernel, body: Reduction): Slot {
  const { reduction } = body;
  if (reduction === "argmax" || reduction === "argmin") return reduceWinner(kernel, body);
  const { type } = body.value;
  const isInteger = type === "i64" || type === "i8" || type === "i32";
  if (!combinations[reduction] || (isInteger && (reduction === "max" || reduction === "min")))
    return reduceExtreme(kernel, body);
  const accumulator = newAccumulator(kernel, body);
  accumulator.begin();
  const count = reduction === "mean" ? newCounter(kernel) : undefined;
  emitEachTerm(kernel, body, () => {
    accumulator.add(body.value);
    if (count !== undefined) emitIncrement(codeAt(kernel.emitter, here(kernel.emitter)), count);
  });
  return emitResult(kernel, type, accumulator.within, accumulator.local, count);
}

export function newCounter(kernel: Kernel): number {
  const local = newLocal(kernel.emitter, "i32");
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  constI32(code, 0);
  set(code, local);
  return local;
}

export function emitIncrement(code: number[], local: number): void {
  get(code, { local });
  constI32(code, 1);
  op(code, "i32.add");
  set(code, local);
}

/** The accumulated value in its own type; a mean is divided by the count. */
function emitResult(
  kernel: Kernel,
  type: ElementType,
  within: ElementType,
  total: number,
  count?: number,
): Slot {
  const held = heldAs(type);
  const result = newLocal(kernel.emitter, held);
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, { local: total });
  if (count !== undefined) {
    get(code, { local: count });
    op(code, within === "f64" ? "f64.convert_i32_s" : "f32.convert_i32_s");
    op(code, within === "f64" ? "f64.div" : "f32.div");
  }
  if (within !== type) op(code, "f32.demote_f64");
  set(code, result);
  return { local: result, type: held, level: here(kernel.emitter) };
}

/** The greatest or least of integers. It has no value for no terms, so that case is a fault. */
function reduceExtreme(kernel: Kernel, body: Reduction): Slot {
  const { reduction, value } = body;
  if (reduction !== "max" && reduction !== "min") throw new Unsupported(reduction);
  if (value.type !== "i32" && value.type !== "i64" && value.type !== "i8")
    throw new Unsupported(`${reduction} of ${value.type}`);
  const held = heldAs(value.type);
  const best = newLocal(kernel.emitter, held);
  const hasTerms = newCounter(kernel);
  emitEachTerm(kernel, body, () => {
    const term = emitValue(kernel, body.value);
    const code = codeAt(kernel.emitter, here(kernel.emitter));
    get(code, term);
    get(code, { local: best });
    get(code, term);
    get(code, { local: best });
    op(code, `${held}.${reduction === "max" ? "gt_s" : "lt_s"}` as Opcode);
    get(code, { local: hasTerms });
    op(code, "i32.eqz");
    op(code, "i32.or");
    op(code, "select");
    set(code, best);
    constI32(code, 1);
    set(code, hasTerms);
  });
  emitFaultUnless(kernel, hasTerms);
  return { local: best, type: held, level: here(kernel.emitter) };
}

/**
 * The first position of the greatest or least term. A NaN beats every number, and nothing beats a
 * NaN.
 */
function reduceWinner(kernel: Kernel, body: Reduction): Slot {
  const { type } = body.value;
  const held = heldAs(type);
  if (type === "f16" || type === "bf16" || type === "bool")
    throw new Unsupported(`${body.reduction} of ${type}`);
  const best = newLocal(kernel.emitter, held);
  const winner = newLocal(kernel.emitter, "i32");
  const hasTerms = newCounter(kernel);
  const isFloat = held === "f32" || held === "f64";
  const better =
    `${held}.${body.reduction === "argmax" ? "gt" : "lt"}${isFloat ? "" : "_s"}` as Opcode;
  emitEachTerm(kernel, body, () => {
    const term = emitValue(kernel, body.value);
    const position = emitTerm(kernel, ofVariable(body.loops[0]!.variable));
    const code = codeAt(kernel.emitter, here(kernel.emitter));
    // The term wins if there was none before, if it is better, or if it is NaN and the best is not.
    get(code, { local: hasTerms });
    op(code, "i32.eqz");
    get(code, term);
    get(code, { local: best });
    op(code, better);
    op(code, "i32.or");
    if (isFloat) {
      get(code, term);
      get(code, term);
      op(code, `${held}.ne` as Opcode);
      get(code, { local: best });
      get(code, { local: best });
      op(code, `${held}.eq` as Opcode);
      op(code, "i32.and");
      op(code, "i32.or");
    }
    code.push(0x04, 0x40);
    get(code, term);
    set(code, best);
    get(code, position);
    set(code, winner);
    constI32(code, 1);
    set(code, hasTerms);
    op(code, "end");
  });
  emitFaultUnless(kernel, hasTerms);
  return { local: winner, type: "i32", level: here(kernel.emitter) };
}

function emitFaultUnless(kernel: Kernel, hasTerms: number): void {
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, { local: hasTerms });
  op(code, "i32.eqz");
  code.push(0x04, 0x40);
  call(code, kernel.emitter.imports.indexOf("fault", { parameters: [], results: [] }));
  op(code, "end");
}
