// What an elementary function may be made of: the operations of one vector register of f32, on any machine that has them.
//
// A function written against `Lanes<V>` is one definition with many lives: the WebAssembly backend instantiates it with values that are
// instructions on `v128`, plain JavaScript with single numbers, and both give the same bits.

/** `V` is four floats, four 32-bit integers or four masks (all ones or all zeros), as the operation reads it. */
export interface Lanes<V> {
  /** The f32 nearest to `value`, in every lane. */
  float(value: number): V;
  /** A 32-bit integer in every lane. */
  integer(value: number): V;

  // f32, rounded once
  add(a: V, b: V): V;
  sub(a: V, b: V): V;
  mul(a: V, b: V): V;
  /** `a · b + c` and `c - a · b`: rounded twice, or once where the host is allowed to. */
  mulAdd(a: V, b: V, c: V): V;
  mulSubtractFrom(c: V, a: V, b: V): V;
  div(a: V, b: V): V;
  sqrt(a: V): V;
  /** Towards minus infinity. */
  floor(a: V): V;
  /** To the nearest, ties to even. */
  nearest(a: V): V;
  abs(a: V): V;
  neg(a: V): V;
  /** `a < b ? a : b`, so that a NaN in either operand gives `b`. */
  pmin(a: V, b: V): V;
  /** `a > b ? a : b`, so that a NaN in either operand gives `b`. */
  pmax(a: V, b: V): V;

  // masks
  less(a: V, b: V): V;
  lessEqual(a: V, b: V): V;
  equal(a: V, b: V): V;
  notEqual(a: V, b: V): V;
  /** `mask ? a : b`, bit by bit. */
  choose(mask: V, a: V, b: V): V;
  /**
   * `mask ? exceptional() : usual`, where hardly ever a mask is set: `exceptional` may be long, and is computed only if some lane needs it.
   * In WebAssembly `v128.any_true` and an `if` around the instructions of `exceptional` and a `choose`.
   */
  except(mask: V, exceptional: () => V, usual: V): V;

  // bits
  and(a: V, b: V): V;
  or(a: V, b: V): V;
  xor(a: V, b: V): V;
  /** `a & ~b` */
  andNot(a: V, b: V): V;

  // 32-bit integers, wrapping
  addInteger(a: V, b: V): V;
  subInteger(a: V, b: V): V;
  mulInteger(a: V, b: V): V;
  shiftLeft(a: V, by: number): V;
  /** Signed. */
  shiftRight(a: V, by: number): V;
  shiftRightUnsigned(a: V, by: number): V;
  equalInteger(a: V, b: V): V;
  lessInteger(a: V, b: V): V;

  /** Signed integer to the nearest float. */
  toFloat(a: V): V;
  /** Towards zero, saturating; NaN gives 0. */
  toInteger(a: V): V;

  // The two halves of each lane's value in double precision, for the few steps where f32 is too coarse.
  /** Computes with the lanes in f64: each argument is widened, the result rounded once to f32. */
  wide(args: readonly V[], compute: <W>(m: Doubles<W>, args: readonly W[]) => W): V;
}

/** The operations on so many registers at once: each is done on all of them before the next one is. */
export function abreast<V>(m: Lanes<V>, count: number): Lanes<readonly V[]> {
  type All = readonly V[];
  const same = (value: V): All => Array.from({ length: count }, () => value);
  const one = (operation: (a: V) => V) => (a: All) => a.map((each) => operation(each));
  const two = (operation: (a: V, b: V) => V) => (a: All, b: All) => a.map((each, k) => operation(each, b[k]!));
  const three = (operation: (a: V, b: V, c: V) => V) => (a: All, b: All, c: All) =>
    a.map((each, k) => operation(each, b[k]!, c[k]!));
  const shifted = (operation: (a: V, by: number) => V) => (a: All, by: number) => a.map((each) => operation(each, by));
  return {
    float: (value) => same(m.float(value)),
    integer: (value) => same(m.integer(value)),
    add: two(m.add),
    sub: two(m.sub),
    mul: two(m.mul),
    mulAdd: three(m.mulAdd),
    mulSubtractFrom: three(m.mulSubtractFrom),
    div: two(m.div),
    sqrt: one(m.sqrt),
    floor: one(m.floor),
    nearest: one(m.nearest),
    abs: one(m.abs),
    neg: one(m.neg),
    pmin: two(m.pmin),
    pmax: two(m.pmax),
    less: two(m.less),
    lessEqual: two(m.lessEqual),
    equal: two(m.equal),
    notEqual: two(m.notEqual),
    choose: three(m.choose),
    // Each has a longer way of its own.
    except: (mask, exceptional, usual) => mask.map((each, k) => m.except(each, () => exceptional()[k]!, usual[k]!)),
    and: two(m.and),
    or: two(m.or),
    xor: two(m.xor),
    andNot: two(m.andNot),
    addInteger: two(m.addInteger),
    subInteger: two(m.subInteger),
    mulInteger: two(m.mulInteger),
    shiftLeft: shifted(m.shiftLeft),
    shiftRight: shifted(m.shiftRight),
    shiftRightUnsigned: shifted(m.shiftRightUnsigned),
    equalInteger: two(m.equalInteger),
    lessInteger: two(m.lessInteger),
    toFloat: one(m.toFloat),
    toInteger: one(m.toInteger),
    wide: (args, compute) => same(m.float(0)).map((_, k) => m.wide(args.map((all) => all[k]!), compute)), // prettier-ignore
  };
}

/** The operations of one vector register of f64. */
export interface Doubles<W> {
  double(value: number): W;
  add(a: W, b: W): W;
  sub(a: W, b: W): W;
  mul(a: W, b: W): W;
  div(a: W, b: W): W;
  sqrt(a: W): W;
  nearest(a: W): W;
  floor(a: W): W;
  abs(a: W): W;
  neg(a: W): W;
  pmin(a: W, b: W): W;
  pmax(a: W, b: W): W;
  less(a: W, b: W): W;
  choose(mask: W, a: W, b: W): W;
  /**
   * 2 to the power of an integer from -1022 to 1023. In WebAssembly `f64x2.add` of 1.5 · 2^52 + 1023, which leaves the exponent in the lowest
   * bits, and `i64x2.shl` by 52.
   */
  powerOfTwo(n: W): W;
}
