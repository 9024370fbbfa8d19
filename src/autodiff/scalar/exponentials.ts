// Rewrites quotients of exponentials so that they are numbers even if the exponential is infinite
// in its type. With e = exp(u) and m = expm1(u):
//
//    e / (e + 1) = sigmoid(u)      1 / (e + 1) = sigmoid(-u)
//    e / (k·e - c) = 1 / (k - c·exp(-u))      (m + 1) / m = -1 / expm1(-u)
//
// The derivatives of log(1 + exp(u)), 1 / (1 + exp(-x)), 1 / (exp(u) - 1) and 1 / expm1(u) contain
// these quotients. The plain rules would give ∞ / ∞ where the derivative is simply 0 or 1. If
// exp(-u) is infinite in turn, e is almost 0, and so is the quotient, provided that c is at least
// 1. In f16 that does not hold, because f16 has numbers smaller than one over its largest number.
// So f16 uses only the sigmoid.

import { isOff } from "../../ir/rewrites.ts";
import { keyOf } from "../../ir/keys.ts";
import { eachScalar, withoutLocals } from "../../ir/parts.ts";
import type { Scalar } from "../../ir/program.ts";
import type { Algebra } from "../../scalar/derivative.ts";
import type { FloatType } from "../../scalar/types.ts";
import { algebraOf, one, type Product } from "./products.ts";

/** The product without exponentials that are divided by something of their own size. */
export function withExponentialsDivided(product: Product): Product {
  if (isOff("exponentials")) return product;
  for (const [at, factor] of product.factors.entries())
    for (const [below, divisor] of product.divisors.entries()) {
      const divided = quotientOf(factor, divisor);
      if (!divided) continue;
      const { quotient, reciprocal } = divided;
      const others = product.divisors.toSpliced(below, 1);
      const isSameDivisor = (other: Scalar): boolean =>
        reciprocal !== undefined && keyOf(other) === keyOf(divisor);
      const reciprocals = others.filter(isSameDivisor).map(() => reciprocal!);
      return withExponentialsDivided({
        constant: product.constant * quotient.constant,
        factors: product.factors.toSpliced(at, 1, ...quotient.factors, ...reciprocals),
        divisors: [...others.filter((other) => !isSameDivisor(other)), ...quotient.divisors],
      });
    }
  return product;
}

interface Quotient {
  readonly quotient: Product;
  /** 1 / divisor, if an operation gives it. */
  readonly reciprocal?: Scalar;
}

function quotientOf(above: Scalar, below: Scalar): Quotient | undefined {
  const [factor, divisor] = [above, below].map(withoutLocals) as [Scalar, Scalar];
  if (factor.kind !== "apply" || divisor.kind !== "apply" || factor.type !== divisor.type)
    return undefined;
  const algebra = algebraOf(factor.type as FloatType, factor.span);
  const [a, b] = divisor.operands as readonly [Scalar, Scalar];
  if (
    factor.operation === "exp" &&
    (divisor.operation === "add" || divisor.operation === "subtract")
  ) {
    const opposite = negativeOf(factor.operands[0]!, algebra);
    if (
      divisor.operation === "add" &&
      [a, b].some(isOne) &&
      [a, b].some((each) => constantTimes(each, factor) === 1)
    ) {
      // The two signs of an opposite difference cancel.
      const [quotient, reciprocal] = [negativeOf(opposite, algebra), opposite].map((u) =>
        algebra.apply("sigmoid", u),
      );
      return { quotient: { ...one, factors: [quotient!] }, reciprocal: reciprocal! };
    }
    if (factor.type === "f16") return undefined;
    const [left, right] = [a, b].map((each) => {
      const times = constantTimes(each, factor);
      if (times !== undefined) return algebra.number(times);
      const isLarge = each.kind === "constant" && Math.abs(each.value as number) >= 1;
      return isLarge ? algebra.apply("multiply", each, algebra.apply("exp", opposite)) : undefined;
    });
    const isBoth = left && right && (left.kind === "constant") !== (right.kind === "constant");
    return isBoth
      ? { quotient: { ...one, divisors: [algebra.apply(divisor.operation, left, right)] } }
      : undefined;
  }
  if (factor.operation === "add" && divisor.operation === "expm1" && factor.type !== "f16") {
    const [m, more] = factor.operands as readonly [Scalar, Scalar];
    if (!areEqual(m, divisor) || !isOne(more)) return undefined;
    return {
      quotient: {
        ...one,
        constant: -1,
        divisors: [algebra.apply("expm1", negativeOf(a, algebra))],
      },
    };
  }
  return undefined;
}

function isOne(scalar: Scalar): boolean {
  return scalar.kind === "constant" && scalar.value === 1;
}

function areEqual(a: Scalar, b: Scalar): boolean {
  return keyOf(withoutLocals(a)) === keyOf(withoutLocals(b));
}

/** The constant c if `scalar` is c·`other`. */
function constantTimes(scalar: Scalar, other: Scalar): number | undefined {
  if (areEqual(scalar, other)) return 1;
  if (scalar.kind !== "apply" || scalar.operation !== "multiply") return undefined;
  const number = scalar.operands.find((operand) => operand.kind === "constant");
  const isTimes = number && scalar.operands.some((operand) => areEqual(operand, other));
  return isTimes ? (number.value as number) : undefined;
}

/**
 * The keys of the exponentials by which an expression divides, with the constants that are added to
 * them or multiply them.
 */
export function exponentialsBelow(value: Scalar): ReadonlySet<string> {
  const found = new Set<string>();
  const note = (scalar: Scalar): void => {
    if (isExponential(scalar))
      eachScalar(scalar, (part) => void (isExponential(part) && found.add(keyOf(part))));
  };
  eachScalar(value, (part) => {
    if (part.kind !== "apply") return;
    const [a, b] = part.operands;
    if (part.operation === "divide") note(b!);
    if (part.operation === "log" || part.operation === "log1p") note(a!);
  });
  return found;
}

function isExponential(scalar: Scalar): boolean {
  const inner = withoutLocals(scalar);
  if (inner.kind !== "apply") return false;
  if (inner.operation === "exp" || inner.operation === "expm1") return true;
  if (!["add", "subtract", "multiply"].includes(inner.operation)) return false;
  return (
    inner.operands.some(isExponential) && inner.operands.some(({ kind }) => kind === "constant")
  );
}

/** The negative of a scalar: -a becomes a, and a - b becomes b - a. */
function negativeOf(scalar: Scalar, algebra: Algebra<Scalar>): Scalar {
  return withSignsCancelled(scalar) ?? algebra.apply("negate", scalar);
}

function withSignsCancelled(scalar: Scalar): Scalar | undefined {
  if (scalar.kind !== "apply") return undefined;
  const [a, b] = scalar.operands as readonly [Scalar, Scalar];
  switch (scalar.operation) {
    case "negate":
      return a;
    case "subtract":
      return { ...scalar, operands: [b, a] };
    case "multiply":
    case "divide": {
      const first = withSignsCancelled(a);
      return first && { ...scalar, operands: [first, b] };
    }
    default:
      return undefined;
  }
}
