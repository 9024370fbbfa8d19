// The derivatives of scalar operations: one formula for each operand, in terms of the operands and
// the result. The formulas are written for any kind of expression, which `Algebra` builds.
//
//   d(x * y) = y·dx + x·dy
//
// At kinks the language fixes the slope: `relu` and `abs` have slope 0 at 0, `clamp` has slope 1 on
// its closed interval, `max(a, b)` passes the derivative to `a` if a >= b or if a is NaN, and
// `x ** c` has slope 0 for c == 0.

import type { OperationName } from "./operations.ts";

/** Builds the expressions of a formula. */
export interface Algebra<E> {
  number(value: number): E;
  apply(operation: OperationName, ...operands: E[]): E;
  select(condition: E, then: E, otherwise: E): E;
  /**
   * `product`, but 0 where `factor` is 0, even if another factor is infinite or NaN there.
   * Differentiated by `factor`, it is the plain product.
   */
  unlessZero(factor: E, product: E): E;
  /** Whether an operand is known not to be NaN, such as a literal or an integer cast to a float. */
  isNumber(operand: E): boolean;
}

/** The partial derivative by one operand: an expression, or 0 everywhere. */
export type Slope<E> = E | "zero";

export type Formula = <E>(
  algebra: Algebra<E>,
  operands: readonly E[],
  result: E,
) => readonly Slope<E>[];

/**
 * "passes" means that the result is a bool or an integer, so a derivative ends here. Whether this
 * is an error depends on how the result is used. "branches" means that the operation chooses
 * between its operands and is differentiated branch by branch.
 */
export type Derivative = Formula | "passes" | "branches";

/** Slope 0 almost everywhere. */
export const flat: Formula = (_algebra, operands) => operands.map(() => "zero");

/** The formula of an operation with one operand, from the operand and the result. */
export function slope(formula: <E>(algebra: Algebra<E>, x: E, result: E) => E): Formula {
  return (algebra, [x], result) => [formula(algebra, x!, result)];
}

export const ofAdd: Formula = (a) => [a.number(1), a.number(1)];
export const ofSubtract: Formula = (a) => [a.number(1), a.number(-1)];
export const ofMultiply: Formula = (_a, [x, y]) => [y!, x!];

/** d(x/y) = dx/y - (x/y)·dy/y */
export const ofDivide: Formula = (a, [, y], result) => [
  a.apply("divide", a.number(1), y!),
  a.apply("negate", a.apply("divide", result, y!)),
];

/**
 * d(x % y) = dx - trunc(x/y)·dy, because x % y = x - y·trunc(x/y) and trunc is constant between its
 * steps.
 */
export const ofRemainder: Formula = (a, [x, y]) => {
  const quotient = a.apply("divide", x!, y!);
  const whole = a.select(
    a.apply("less", quotient, a.number(0)),
    a.apply("ceil", quotient),
    a.apply("floor", quotient),
  );
  return [a.number(1), a.apply("negate", whole)];
};

/**
 * d(x^y) = y·x^(y-1)·dx + x^y·log(x)·dy. The first term is 0 for y = 0. Where x^y is 0, the second
 * term is its limit 0.
 */
export const ofPower: Formula = (a, [x, y], result) => {
  const base = a.apply("multiply", y!, a.apply("power", x!, a.apply("subtract", y!, a.number(1))));
  const exponent = a.apply("multiply", result, a.apply("log", x!));
  return [
    a.unlessZero(y!, base),
    a.select(a.apply("equal", result, a.number(0)), a.number(0), exponent),
  ];
};

export const ofNegate: Formula = (a) => [a.number(-1)];

/**
 * Whether the second operand of a maximum or minimum wins. As in the reductions, the first NaN wins
 * over all numbers, and among equal numbers the first one wins. For `max(x, y)` the condition is
 * `!(x >= y || x != x)`; for `max(x, 0)` it is just `x < 0`.
 */
function secondWins<E>(a: Algebra<E>, extreme: "max" | "min", x: E, y: E): E {
  if (a.isNumber(y) && !a.isNumber(x)) return a.apply(extreme === "max" ? "less" : "greater", x, y);
  const isFirst = a.apply(extreme === "max" ? "greaterEqual" : "lessEqual", x, y);
  return a.apply(
    "not",
    a.isNumber(x) ? isFirst : a.apply("or", isFirst, a.apply("notEqual", x, x)),
  );
}

function toWinner<E>(a: Algebra<E>, extreme: "max" | "min", x: E, y: E): readonly Slope<E>[] {
  const isSecond = secondWins(a, extreme, x, y);
  return [
    a.select(isSecond, a.number(0), a.number(1)),
    a.select(isSecond, a.number(1), a.number(0)),
  ];
}

export const ofMax: Formula = (a, [x, y]) => toWinner(a, "max", x!, y!);
export const ofMin: Formula = (a, [x, y]) => toWinner(a, "min", x!, y!);

/** A NaN as `x` is neither below nor above the bounds, so `x` gets the gradient. */
export const ofClamp: Formula = (a, [x, low, high]) => {
  const one = a.number(1);
  const none = a.number(0);
  const below = a.apply("less", x!, low!);
  const above = a.apply("greater", x!, high!);
  // If the bounds cross, `clamp` gives the upper one, so `low` gets no gradient.
  const ofLow = a.select(below, a.select(a.apply("lessEqual", low!, high!), one, none), none);
  const ofHigh = a.select(a.apply("greater", a.apply("max", x!, low!), high!), one, none);
  return [a.select(a.apply("or", below, above), none, one), ofLow, ofHigh];
};

export const ofAbs = slope((a, x) => a.apply("sign", x));
export const ofRelu = slope((a, x) =>
  a.select(a.apply("greater", x, a.number(0)), a.number(1), a.number(0)),
);
export const ofExp = slope((_a, _x, result) => result);
export const ofLog = slope((a, x) => a.apply("divide", a.number(1), x));
export const ofSqrt = slope((a, _x, result) => a.apply("divide", a.number(0.5), result));
export const ofSin = slope((a, x) => a.apply("cos", x));
export const ofCos = slope((a, x) => a.apply("negate", a.apply("sin", x)));
export const ofTan = slope((a, _x, result) =>
  a.apply("add", a.number(1), a.apply("multiply", result, result)),
);
export const ofTanh = slope((a, _x, result) =>
  a.apply("subtract", a.number(1), a.apply("multiply", result, result)),
);
export const ofSigmoid = slope((a, _x, result) =>
  a.apply("multiply", result, a.apply("subtract", a.number(1), result)),
);
/** erf'(x) = 2/√π · exp(-x²) */
export const ofErf = slope((a, x) =>
  a.apply(
    "multiply",
    a.number(2 / Math.sqrt(Math.PI)),
    a.apply("exp", a.apply("negate", a.apply("multiply", x, x))),
  ),
);
export const ofLog1p = slope((a, x) =>
  a.apply("divide", a.number(1), a.apply("add", a.number(1), x)),
);
export const ofExpm1 = slope((a, _x, result) => a.apply("add", result, a.number(1)));
