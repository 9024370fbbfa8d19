// Quotients of exponentials, written so that they are numbers where the exponential is too large
// for its type. With e = exp(u) and m = expm1(u),
//
//   e / (e + 1) = sigmoid(u)      1 / (e + 1) = sigmoid(-u)      e / (k·e - c) = 1 / (k - c·exp(-u))      (m + 1) / m = -1 / expm1(-u)
//
// They are what log(1 + exp(u)), 1 / (1 + exp(-x)), 1 / (exp(u) - 1) and 1 / expm1(u) move with. As
// the rules give them they are infinity over infinity where what is differentiated is simply 0 or
// 1. Where exp(-u) is too large in turn, e is 0 or nearly so, and so is the quotient if c is 1 at
// least. Not so in f16, which has smaller numbers than one over its largest: there only sigmoid is
// taken.

import { isOff } from "../../ir/rewrites.ts";
import { keyOf } from "../../ir/keys.ts";
import { eachScalar, withoutLocals } from "../../ir/parts.ts";
import type { Scalar } from "../../ir/program.ts";
import type { Algebra } from "../../scalar/derivative.ts";
import type { FloatType } from "../../scalar/types.ts";
import { algebraOf, one, type Product } from "./products.ts";

/** A product in which exponentials are not divided by what is as large as they are. */
export function withExponentialsDivided(product: Product): Product {
  if (isOff("exponentials")) return product;
  for (const [at, factor] of product.factors.entries())
    for (const [below, divisor] of product.divisors.entries()) {
      const divided = quotientOf(factor, divisor);
      if (!divided) continue;
      const { quotient, reciprocal } = divided;
      const others = product.divisors.toSpliced(below, 1);
      const isSame = (other: Scalar): boolean =>
        reciprocal !== undefined && keyOf(other) === keyOf(divisor);
      const reciprocals = others.filter(isSame).map(() => reciprocal!);
      return withExponentialsDivided({
        constant: product.constant * quotient.constant,
        factors: product.factors.toSpliced(at, 1, ...quotient.factors, ...reciprocals),
        divisors: [...others.filter((other) => !isSame(other)), ...quotient.divisors],
      });
    }
  return product;
}

interface Quotient {
  readonly quotient: Product;
  /** What it is to divide by the divisor once more, where that has a name. */
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
    const opposite = opposed(factor.operands[0]!, algebra);
    if (
      divisor.operation === "add" &&
      [a, b].some(isOne) &&
      [a, b].some((each) => timesOf(each, factor) === 1)
    ) {
      // Turned round twice, a minus before a difference is gone.
      const [quotient, reciprocal] = [opposed(opposite, algebra), opposite].map((u) =>
        algebra.apply("sigmoid", u),
      );
      return { quotient: { ...one, factors: [quotient!] }, reciprocal: reciprocal! };
    }
    if (factor.type === "f16") return undefined;
    const [left, right] = [a, b].map((each) => {
      const times = timesOf(each, factor);
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
    if (!isSame(m, divisor) || !isOne(more)) return undefined;
    return {
      quotient: { ...one, constant: -1, divisors: [algebra.apply("expm1", opposed(a, algebra))] },
    };
  }
  return undefined;
}

function isOne(scalar: Scalar): boolean {
  return scalar.kind === "constant" && scalar.value === 1;
}

function isSame(a: Scalar, b: Scalar): boolean {
  return keyOf(withoutLocals(a)) === keyOf(withoutLocals(b));
}

/** How many times another a scalar is, where that is a number. */
function timesOf(scalar: Scalar, other: Scalar): number | undefined {
  if (isSame(scalar, other)) return 1;
  if (scalar.kind !== "apply" || scalar.operation !== "multiply") return undefined;
  const number = scalar.operands.find((operand) => operand.kind === "constant");
  const isTimes = number && scalar.operands.some((operand) => isSame(operand, other));
  return isTimes ? (number.value as number) : undefined;
}

/**
 * Exponentials that an expression divides by, with numbers that they are added to or multiplied
 * with, by their structure.
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

/** The opposite of a number: a minus is taken away, a difference turned round. */
function opposed(scalar: Scalar, algebra: Algebra<Scalar>): Scalar {
  return turned(scalar) ?? algebra.apply("negate", scalar);
}

function turned(scalar: Scalar): Scalar | undefined {
  if (scalar.kind !== "apply") return undefined;
  const [a, b] = scalar.operands as readonly [Scalar, Scalar];
  switch (scalar.operation) {
    case "negate":
      return a;
    case "subtract":
      return { ...scalar, operands: [b, a] };
    case "multiply":
    case "divide": {
      const first = turned(a);
      return first && { ...scalar, operands: [first, b] };
    }
    default:
      return undefined;
  }
}
