// Emits operations on vectors, including those of which the definitions of `math/` are made, as
// instructions on `v128`.

import type { Doubles, Lanes } from "../../math/lanes.ts";
import { isRelaxed } from "../contract/form.ts";
import {
  branch,
  codeAt,
  constI32,
  get,
  here,
  memory,
  newLocal,
  op,
  set,
  shuffle,
  valueAt,
  type Slot,
} from "./emitter.ts";
import type { Kernel } from "./kernel.ts";
import type { Opcode } from "./opcodes.ts";
import type { ValueType } from "./encode.ts";

/** The part of a kernel that vector instructions need. */
export type Vectors = Pick<Kernel, "emitter" | "constantAt">;

export function instruction(
  { emitter }: Vectors,
  name: Opcode,
  type: ValueType,
  operands: readonly Slot[],
): Slot {
  const level = Math.max(...operands.map((operand) => operand.level));
  const key = `${name}:${operands.map((operand) => `l${operand.local}`).join()}`;
  return valueAt(emitter, key, type, level, (code) => {
    for (const operand of operands) get(code, operand);
    op(code, name);
  });
}

/** Emits an instruction on vectors. */
export function vector(kernel: Vectors, name: Opcode, ...operands: readonly Slot[]): Slot {
  return instruction(kernel, name, "v128", operands);
}

function emitShift(kernel: Vectors, name: Opcode, a: Slot, by: number): Slot {
  return valueAt(kernel.emitter, `${name}:l${a.local},${by}`, "v128", a.level, (code) => {
    get(code, a);
    constI32(code, by);
    op(code, name);
  });
}

function emitShuffle(kernel: Vectors, a: Slot, b: Slot, bytes: readonly number[]): Slot {
  const level = Math.max(a.level, b.level);
  return valueAt(
    kernel.emitter,
    `shuffle:l${a.local},l${b.local},${bytes.join()}`,
    "v128",
    level,
    (code) => {
      get(code, a);
      get(code, b);
      shuffle(code, bytes);
    },
  );
}

const bits = new DataView(new ArrayBuffer(8));

/**
 * Vector constants are loaded from memory. V8 keeps a loaded constant in a register, but rebuilds a
 * constant that an instruction could give.
 */
export function constant32(kernel: Vectors, pattern: number): Slot {
  const address = kernel.constantAt(pattern, pattern);
  return valueAt(kernel.emitter, `v128=${pattern}`, "v128", 0, (code) => {
    constI32(code, address);
    memory(code, "v128.load", 0);
  });
}

export function constantFloat(kernel: Vectors, value: number): Slot {
  bits.setFloat32(0, value);
  return constant32(kernel, bits.getInt32(0));
}

export function constantDouble(kernel: Vectors, value: number): Slot {
  bits.setFloat64(0, value);
  const [high, low] = [bits.getInt32(0), bits.getInt32(4)];
  const address = kernel.constantAt(low, high);
  return valueAt(kernel.emitter, `v128=${low},${high}`, "v128", 0, (code) => {
    constI32(code, address);
    memory(code, "v128.load", 0);
  });
}

export function lanesFor(kernel: Vectors): Lanes<Slot> {
  const two = (name: Opcode) => (a: Slot, b: Slot) => vector(kernel, name, a, b);
  const one = (name: Opcode) => (a: Slot) => vector(kernel, name, a);
  return {
    float: (value) => constantFloat(kernel, value),
    integer: (value) => constant32(kernel, value | 0),
    add: two("f32x4.add"),
    sub: two("f32x4.sub"),
    mul: two("f32x4.mul"),
    mulAdd: (a, b, c) =>
      isRelaxed()
        ? vector(kernel, "f32x4.relaxed_madd", a, b, c)
        : vector(kernel, "f32x4.add", vector(kernel, "f32x4.mul", a, b), c),
    mulSubtractFrom: (c, a, b) =>
      isRelaxed()
        ? vector(kernel, "f32x4.relaxed_nmadd", a, b, c)
        : vector(kernel, "f32x4.sub", c, vector(kernel, "f32x4.mul", a, b)),
    div: two("f32x4.div"),
    sqrt: one("f32x4.sqrt"),
    floor: one("f32x4.floor"),
    nearest: one("f32x4.nearest"),
    abs: one("f32x4.abs"),
    neg: one("f32x4.neg"),
    // The instruction computes `b < a ? b : a`.
    pmin: (a, b) => vector(kernel, "f32x4.pmin", b, a),
    pmax: (a, b) => vector(kernel, "f32x4.pmax", b, a),
    less: two("f32x4.lt"),
    lessEqual: two("f32x4.le"),
    equal: two("f32x4.eq"),
    notEqual: two("f32x4.ne"),
    choose: (mask, a, b) => vector(kernel, "v128.bitselect", a, b, mask),
    except: (mask, exceptional, usual) => emitRarely(kernel, mask, exceptional, usual),
    and: two("v128.and"),
    or: two("v128.or"),
    xor: two("v128.xor"),
    andNot: two("v128.andnot"),
    addInteger: two("i32x4.add"),
    subInteger: two("i32x4.sub"),
    mulInteger: two("i32x4.mul"),
    shiftLeft: (a, by) => emitShift(kernel, "i32x4.shl", a, by),
    shiftRight: (a, by) => emitShift(kernel, "i32x4.shr_s", a, by),
    shiftRightUnsigned: (a, by) => emitShift(kernel, "i32x4.shr_u", a, by),
    equalInteger: two("i32x4.eq"),
    lessInteger: two("i32x4.lt_s"),
    toFloat: one("f32x4.convert_i32x4_s"),
    toInteger: one("i32x4.trunc_sat_f32x4_s"),
    wide: (args, compute) => {
      const halves = args.map((arg): Halves => ({
        low: vector(kernel, "f64x2.promote_low_f32x4", arg),
        high: vector(kernel, "f64x2.promote_low_f32x4", upperHalf(kernel, arg)),
      }));
      const { low, high } = compute(doublesFor(kernel), halves);
      const narrow = (half: Slot): Slot => vector(kernel, "f32x4.demote_f64x2_zero", half);
      return emitShuffle(kernel, narrow(low), narrow(high), bothLowerHalves);
    },
  };
}

export const upperFirst = [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7];

/** The third and the fourth lane, as the first and the second. */
function upperHalf(kernel: Vectors, slot: Slot): Slot {
  return emitShuffle(kernel, slot, slot, upperFirst);
}

export const bothLowerHalves = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];

/** Four lanes of f64, two in each register. */
export function pairOf(lower: Slot, upper: Slot): Slot {
  return { ...lower, level: Math.max(lower.level, upper.level), upper };
}

/** The registers of a vector: two for four lanes of f64, else one. */
export function registersOf(slot: Slot): readonly Slot[] {
  return slot.upper ? [slot, slot.upper] : [slot];
}

/** Emits an instruction for each register of the operands, which have equally many. */
export function eachRegister(kernel: Kernel, name: Opcode, ...operands: readonly Slot[]): Slot {
  const [lower, upper] = registersOf(operands[0]!).map((_, k) =>
    vector(kernel, name, ...operands.map((operand) => registersOf(operand)[k]!)),
  );
  return upper ? pairOf(lower!, upper) : lower!;
}

/** Converts four lanes of f32 to f64. */
export function promoted(kernel: Kernel, slot: Slot): Slot {
  return bothHalves(kernel, "f64x2.promote_low_f32x4", slot);
}

/** Applies an instruction to the lower two lanes and to the upper two. */
export function bothHalves(kernel: Kernel, name: Opcode, slot: Slot): Slot {
  return pairOf(vector(kernel, name, slot), vector(kernel, name, upperHalf(kernel, slot)));
}

/** Rounds four lanes of f64 to f32. */
export function demoted(kernel: Kernel, { upper, ...lower }: Slot): Slot {
  const narrow = (half: Slot): Slot => vector(kernel, "f32x4.demote_f64x2_zero", half);
  return emitShuffle(kernel, narrow(lower), narrow(upper!), bothLowerHalves);
}

/** Turns a mask of four lanes into one mask for each register of four lanes of f64. */
export function widenedMask(kernel: Kernel, mask: Slot): Slot {
  const half = (name: Opcode): Slot => vector(kernel, name, mask);
  return pairOf(half("i64x2.extend_low_i32x4_s"), half("i64x2.extend_high_i32x4_s"));
}

/** Four lanes in double precision take two registers. */
interface Halves {
  readonly low: Slot;
  readonly high: Slot;
}

function doublesFor(kernel: Vectors): Doubles<Halves> {
  const onBothHalves =
    (name: Opcode) =>
    (...operands: readonly Halves[]): Halves => ({
      low: vector(kernel, name, ...operands.map((operand) => operand.low)),
      high: vector(kernel, name, ...operands.map((operand) => operand.high)),
    });
  const sameInBoth = (make: () => Slot): Halves => {
    const slot = make();
    return { low: slot, high: slot };
  };
  return {
    double: (value) => sameInBoth(() => constantDouble(kernel, value)),
    add: onBothHalves("f64x2.add"),
    sub: onBothHalves("f64x2.sub"),
    mul: onBothHalves("f64x2.mul"),
    div: onBothHalves("f64x2.div"),
    sqrt: onBothHalves("f64x2.sqrt"),
    nearest: onBothHalves("f64x2.nearest"),
    floor: onBothHalves("f64x2.floor"),
    abs: onBothHalves("f64x2.abs"),
    neg: onBothHalves("f64x2.neg"),
    pmin: (a, b) => onBothHalves("f64x2.pmin")(b, a),
    pmax: (a, b) => onBothHalves("f64x2.pmax")(b, a),
    less: onBothHalves("f64x2.lt"),
    choose: (mask, a, b) => onBothHalves("v128.bitselect")(a, b, mask),
    // Adding 1.5·2^52 + 1023 leaves n + 1023 in the lowest bits. The shift moves these bits into
    // the exponent.
    powerOfTwo(n) {
      const biased = onBothHalves("f64x2.add")(
        n,
        sameInBoth(() => constantDouble(kernel, 1.5 * 2 ** 52 + 1023)),
      );
      return {
        low: emitShift(kernel, "i64x2.shl", biased.low, 52),
        high: emitShift(kernel, "i64x2.shl", biased.high, 52),
      };
    },
  };
}

/** Computes the exceptional values only if some lane needs one. */
function emitRarely(kernel: Vectors, mask: Slot, exceptional: () => Slot, usual: Slot): Slot {
  const { emitter } = kernel;
  const local = newLocal(emitter, "v128");
  const code = codeAt(emitter, here(emitter));
  get(code, usual);
  set(code, local);
  const isNeeded = valueAt(emitter, `any:l${mask.local}`, "i32", mask.level, (at) => {
    get(at, mask);
    op(at, "v128.any_true");
  });
  branch(emitter, isNeeded, () => {
    const before = emitter.outermost;
    emitter.outermost = here(emitter);
    const value = exceptional();
    emitter.outermost = before;
    const inside = codeAt(emitter, here(emitter));
    get(inside, value);
    get(inside, usual);
    get(inside, mask);
    op(inside, "v128.bitselect");
    set(inside, local);
  });
  return { local, type: "v128", level: here(emitter) };
}
