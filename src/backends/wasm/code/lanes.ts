// Operations on vectors, and those that the definitions of `math` are made of, as instructions on
// `v128`.

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

/** What instructions on vectors are emitted into. */
export type Vectors = Pick<Kernel, "emitter" | "constantAt">;

/** An instruction on vectors. */
export function vector(kernel: Vectors, name: Opcode, ...operands: readonly Slot[]): Slot {
  const level = Math.max(...operands.map((operand) => operand.level));
  const key = `${name}:${operands.map((operand) => `l${operand.local}`).join()}`;
  return valueAt(kernel.emitter, key, "v128", level, (code) => {
    for (const operand of operands) get(code, operand);
    op(code, name);
  });
}

function shifted(kernel: Vectors, name: Opcode, a: Slot, by: number): Slot {
  return valueAt(kernel.emitter, `${name}:l${a.local},${by}`, "v128", a.level, (code) => {
    get(code, a);
    constI32(code, by);
    op(code, name);
  });
}

function rearranged(kernel: Vectors, a: Slot, b: Slot, bytes: readonly number[]): Slot {
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
 * Vector constants come from memory: a register that V8 cannot rebuild from the instruction is one
 * that it keeps.
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
    // The instruction is `b < a ? b : a`.
    pmin: (a, b) => vector(kernel, "f32x4.pmin", b, a),
    pmax: (a, b) => vector(kernel, "f32x4.pmax", b, a),
    less: two("f32x4.lt"),
    lessEqual: two("f32x4.le"),
    equal: two("f32x4.eq"),
    notEqual: two("f32x4.ne"),
    choose: (mask, a, b) => vector(kernel, "v128.bitselect", a, b, mask),
    except: (mask, exceptional, usual) => rarely(kernel, mask, exceptional, usual),
    and: two("v128.and"),
    or: two("v128.or"),
    xor: two("v128.xor"),
    andNot: two("v128.andnot"),
    addInteger: two("i32x4.add"),
    subInteger: two("i32x4.sub"),
    mulInteger: two("i32x4.mul"),
    shiftLeft: (a, by) => shifted(kernel, "i32x4.shl", a, by),
    shiftRight: (a, by) => shifted(kernel, "i32x4.shr_s", a, by),
    shiftRightUnsigned: (a, by) => shifted(kernel, "i32x4.shr_u", a, by),
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
      return rearranged(kernel, narrow(low), narrow(high), bothLowerHalves);
    },
  };
}

export const upperFirst = [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7];

/** The third and fourth lane as first and second. */
export function upperHalf(kernel: Vectors, slot: Slot): Slot {
  return rearranged(kernel, slot, slot, upperFirst);
}

export const bothLowerHalves = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];

/** Four lanes of f64, two in each register. */
export function pairOf(lower: Slot, upper: Slot): Slot {
  return { ...lower, level: Math.max(lower.level, upper.level), upper };
}

/** The registers of a vector: two where it is four lanes of f64. */
export function registersOf(slot: Slot): readonly Slot[] {
  return slot.upper ? [slot, slot.upper] : [slot];
}

/** An instruction on the registers of vectors that have as many. */
export function eachRegister(kernel: Kernel, name: Opcode, ...operands: readonly Slot[]): Slot {
  const [lower, upper] = registersOf(operands[0]!).map((_, k) =>
    vector(kernel, name, ...operands.map((operand) => registersOf(operand)[k]!)),
  );
  return upper ? pairOf(lower!, upper) : lower!;
}

/** Four lanes of f32 as f64. */
export function promoted(kernel: Kernel, slot: Slot): Slot {
  return bothHalves(kernel, "f64x2.promote_low_f32x4", slot);
}

/** What an instruction makes of the lower two lanes, and of the upper two. */
export function bothHalves(kernel: Kernel, name: Opcode, slot: Slot): Slot {
  return pairOf(vector(kernel, name, slot), vector(kernel, name, upperHalf(kernel, slot)));
}

/** Four lanes of f64 as f32. */
export function demoted(kernel: Kernel, { upper, ...lower }: Slot): Slot {
  const narrow = (half: Slot): Slot => vector(kernel, "f32x4.demote_f64x2_zero", half);
  return rearranged(kernel, narrow(lower), narrow(upper!), bothLowerHalves);
}

/** A mask of four lanes for each of the registers of four lanes of f64. */
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
  const each =
    (name: Opcode) =>
    (...operands: readonly Halves[]): Halves => ({
      low: vector(kernel, name, ...operands.map((operand) => operand.low)),
      high: vector(kernel, name, ...operands.map((operand) => operand.high)),
    });
  const both = (make: () => Slot): Halves => {
    const slot = make();
    return { low: slot, high: slot };
  };
  return {
    double: (value) => both(() => constantDouble(kernel, value)),
    add: each("f64x2.add"),
    sub: each("f64x2.sub"),
    mul: each("f64x2.mul"),
    div: each("f64x2.div"),
    sqrt: each("f64x2.sqrt"),
    nearest: each("f64x2.nearest"),
    floor: each("f64x2.floor"),
    abs: each("f64x2.abs"),
    neg: each("f64x2.neg"),
    pmin: (a, b) => each("f64x2.pmin")(b, a),
    pmax: (a, b) => each("f64x2.pmax")(b, a),
    less: each("f64x2.lt"),
    choose: (mask, a, b) => each("v128.bitselect")(a, b, mask),
    // Adding 1.5·2^52 + 1023 leaves n + 1023 in the lowest bits, from where it moves into the
    // exponent.
    powerOfTwo(n) {
      const biased = each("f64x2.add")(
        n,
        both(() => constantDouble(kernel, 1.5 * 2 ** 52 + 1023)),
      );
      return {
        low: shifted(kernel, "i64x2.shl", biased.low, 52),
        high: shifted(kernel, "i64x2.shl", biased.high, 52),
      };
    },
  };
}

/** The long way only if some lane has to take it. */
function rarely(kernel: Vectors, mask: Slot, exceptional: () => Slot, usual: Slot): Slot {
  const { emitter } = kernel;
  const local = newLocal(emitter, "v128");
  const code = codeAt(emitter, here(emitter));
  get(code, usual);
  set(code, local);
  const some = valueAt(emitter, `any:l${mask.local}`, "i32", mask.level, (at) => {
    get(at, mask);
    op(at, "v128.any_true");
  });
  branch(emitter, some, () => {
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
