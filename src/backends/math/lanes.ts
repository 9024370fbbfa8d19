// The operations of which elementary functions are made: those of one vector register of f32, on
// any machine that has them.
//
// A function over `Lanes<V>` is defined once and used in several ways. The WebAssembly backend
// calls it with values that are instructions on `v128`; in JavaScript the values are single
// numbers. Both give the same bits.

/**
 * `V` is four floats, four 32-bit integers or four masks (all ones or all zeros), depending on the
 * operation.
 */
export interface Lanes<V> {
  /** The f32 nearest to `value`, in every lane. */
  float(value: number): V;
  /** A 32-bit integer in every lane. */
  integer(value: number): V;

  // f32, rounded once
  add(a: V, b: V): V;
  sub(a: V, b: V): V;
  mul(a: V, b: V): V;
  /** `a · b + c` and `c - a · b`: rounded twice, or once if the host may do so. */
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
   * `mask ? exceptional() : usual`, for masks that are hardly ever set. `exceptional` may be long,
   * and is computed only if some lane needs it. In WebAssembly it becomes `v128.any_true`, an `if`
   * around the instructions of `exceptional`, and a `choose`.
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

  // The value of each lane in double precision, for the few steps in which f32 is too coarse.
  /**
   * Computes with the lanes in f64: each argument is widened, and the result is rounded once to
   * f32.
   */
  wide(args: readonly V[], compute: <W>(m: Doubles<W>, args: readonly W[]) => W): V;
}

type Shift = "shiftLeft" | "shiftRight" | "shiftRightUnsigned";
type OfThree = "mulAdd" | "mulSubtractFrom" | "choose";
type OfOne = "sqrt" | "floor" | "nearest" | "abs" | "neg" | "toFloat" | "toInteger";
type OfTwo = Exclude<
  keyof Lanes<unknown>,
  OfOne | OfThree | Shift | "float" | "integer" | "except" | "wide"
>;

/**
 * The operations on several registers: each operation is done on all of them before the next
 * begins.
 */
export function abreast<V>(m: Lanes<V>, count: number): Lanes<readonly V[]> {
  type All = readonly V[];
  const same = (value: V): All => Array.from({ length: count }, () => value);
  const one = (name: OfOne) => (a: All) => a.map((each) => m[name](each));
  const two = (name: OfTwo) => (a: All, b: All) => a.map((each, k) => m[name](each, b[k]!));
  const three = (name: OfThree) => (a: All, b: All, c: All) =>
    a.map((each, k) => m[name](each, b[k]!, c[k]!));
  const shifted = (name: Shift) => (a: All, by: number) => a.map((each) => m[name](each, by));
  return {
    float: (value) => same(m.float(value)),
    integer: (value) => same(m.integer(value)),
    add: two("add"),
    sub: two("sub"),
    mul: two("mul"),
    mulAdd: three("mulAdd"),
    mulSubtractFrom: three("mulSubtractFrom"),
    div: two("div"),
    sqrt: one("sqrt"),
    floor: one("floor"),
    nearest: one("nearest"),
    abs: one("abs"),
    neg: one("neg"),
    pmin: two("pmin"),
    pmax: two("pmax"),
    less: two("less"),
    lessEqual: two("lessEqual"),
    equal: two("equal"),
    notEqual: two("notEqual"),
    choose: three("choose"),
    // Each register has a longer way of its own, which is not worth doing for several at once.
    // Functions with a longer way are therefore not computed on several registers.
    except: (mask, exceptional, usual) =>
      mask.map((each, k) => m.except(each, () => exceptional()[k]!, usual[k]!)),
    and: two("and"),
    or: two("or"),
    xor: two("xor"),
    andNot: two("andNot"),
    addInteger: two("addInteger"),
    subInteger: two("subInteger"),
    mulInteger: two("mulInteger"),
    shiftLeft: shifted("shiftLeft"),
    shiftRight: shifted("shiftRight"),
    shiftRightUnsigned: shifted("shiftRightUnsigned"),
    equalInteger: two("equalInteger"),
    lessInteger: two("lessInteger"),
    toFloat: one("toFloat"),
    toInteger: one("toInteger"),
    wide: (args, compute) =>
      same(m.float(0)).map((_, k) =>
        m.wide(
          args.map((all) => all[k]!),
          compute,
        ),
      ),
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
   * 2 to the power of an integer from -1022 to 1023. In WebAssembly: `f64x2.add` of 1.5 · 2^52 +
   * 1023, which leaves the exponent in the lowest bits, and then `i64x2.shl` by 52.
   */
  powerOfTwo(n: W): W;
}
