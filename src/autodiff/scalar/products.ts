// Coefficients as products, so that a gradient reads as a person would write it: first a constant,
// then the incoming gradient, then the other factors in the order of the source, and then the
// divisors.
//
//    let y[i] = x[i] / s * b[i];   gives   d_x[i] = d_y[i] * b[i] / s

import type { OperationName } from "../../scalar/operations.ts";
import { operationRow } from "../../scalar/operations.ts";
import type { Algebra } from "../../scalar/derivative.ts";
import {
  isFloat,
  isInteger,
  type ElementType,
  type FloatType,
  type Scalar as Value,
} from "../../scalar/types.ts";
import { keyOf } from "../../ir/keys.ts";
import { partsOf, somewhere, isAnywhere } from "../../ir/parts.ts";
import type { Scalar } from "../../ir/program.ts";
import type { Span } from "../../base/source.ts";

export interface Product {
  readonly constant: number;
  readonly factors: readonly Scalar[];
  readonly divisors: readonly Scalar[];
  /**
   * While factors are collected: the number of factors and of divisors before the place at which
   * the next ones stand in the source. Absent: all of them.
   */
  readonly next?: readonly [factors: number, divisors: number];
}

/** A condition under which a product counts. */
export interface Condition {
  readonly value: Scalar;
  readonly holds: boolean;
  /**
   * The key of the factor that the condition tests for 0. The condition does not apply to the
   * derivative by that factor.
   */
  readonly unlessOf?: string;
}

/**
 * A product that counts only where its conditions hold. Conditions are tested before the factors
 * are computed.
 */
export interface Conditioned {
  readonly product: Product;
  readonly conditions: readonly Condition[];
  /**
   * The product had a test for 0 of the factor that moves. If the tangent of that factor is 0, the
   * product is 0.
   */
  readonly unlessZero?: true;
}

export const one: Product = { constant: 1, factors: [], divisors: [] };

export function isConstantProduct(product: Product): boolean {
  return product.factors.length === 0 && product.divisors.length === 0;
}

/**
 * A product times a slope, as one or more products with conditions. A slope that is 0 in one branch
 * becomes a condition. `stands` tells whether the slope stands before the next factors in the
 * source, as the cosine in sin(…), or behind them, as b in (…)·b.
 */
export function times(
  left: Conditioned,
  slope: Scalar,
  stands: "before" | "behind" = "before",
): readonly Conditioned[] {
  const { constant, factors, divisors, next = [factors.length, divisors.length] } = left.product;
  return productsOf(slope).map(({ product, conditions }) => {
    const [before, below] =
      stands === "before" ? [product.factors.length, product.divisors.length] : [0, 0];
    return {
      ...left,
      conditions: [...left.conditions, ...conditions],
      product: {
        constant: constant * product.constant,
        factors: factors.toSpliced(next[0], 0, ...product.factors),
        divisors: divisors.toSpliced(next[1], 0, ...product.divisors),
        next: [next[0] + before, next[1] + below],
      },
    };
  });
}

/** A slope as products with conditions. */
function productsOf(slope: Scalar): readonly Conditioned[] {
  const alone: Conditioned = { product: { ...one, factors: [slope] }, conditions: [] };
  switch (slope.kind) {
    case "constant":
      return slope.value === 0
        ? []
        : [{ product: { ...one, constant: slope.value as number }, conditions: [] }];
    case "select": {
      const condition = { value: slope.condition, ...testedFactor(slope) };
      const when = (holds: boolean, then: Scalar): readonly Conditioned[] =>
        times({ product: one, conditions: [{ ...condition, holds }] }, then);
      if (isZero(slope.then)) return when(false, slope.otherwise);
      return isZero(slope.otherwise) ? when(true, slope.then) : [alone];
    }
    case "apply": {
      const [a, b] = slope.operands as readonly [Scalar, Scalar];
      if (slope.operation === "negate")
        return times({ product: { ...one, constant: -1 }, conditions: [] }, a);
      if (slope.operation === "multiply") return productsOf(a).flatMap((each) => times(each, b));
      if (slope.operation !== "divide") return [alone];
      return productsOf(a).map(({ product: { constant, factors, divisors }, conditions }) => ({
        conditions,
        product: { constant, factors, divisors: [...divisors, b] },
      }));
    }
    default:
      return [alone];
  }
}

/** The factors of a product of floats, in the order of the source. */
export function factorsOf(value: Scalar): readonly Scalar[] {
  const found: Scalar[] = [];
  const visit = (scalar: Scalar): void => {
    if (isProduct(scalar)) scalar.operands.forEach(visit);
    else found.push(scalar);
  };
  visit(value);
  return found;
}

/** Is it a product of floats? Only its factors may be reordered. */
export function isProduct(value: Scalar): value is Extract<Scalar, { kind: "apply" }> {
  return value.kind === "apply" && value.operation === "multiply" && isFloat(value.within);
}

/** The product when no further factors will come. */
export function collected({ constant, factors, divisors }: Product): Product {
  return { constant, factors, divisors };
}

function isZero(scalar: Scalar): boolean {
  return scalar.kind === "constant" && scalar.value === 0;
}

/** The product as a scalar of a type. */
export function productScalar(product: Product, type: FloatType, span: Span): Scalar {
  const algebra = algebraOf(type, span);
  const [first, ...rest] = product.factors;
  let value: Scalar;
  if (!first) value = algebra.number(product.constant);
  else {
    const start =
      product.constant === 1
        ? first
        : product.constant === -1
          ? algebra.apply("negate", first)
          : algebra.apply("multiply", algebra.number(product.constant), first);
    value = rest.reduce((total, factor) => algebra.apply("multiply", total, factor), start);
  }
  return product.divisors.reduce(
    (total, divisor) => algebra.apply("divide", total, divisor),
    value,
  );
}

/**
 * 0 where the incoming gradient is exactly 0, whatever the other factors are. Such a gradient came
 * through a guard.
 */
export function unlessZero(incoming: Scalar, value: Scalar, type: FloatType, span: Span): Scalar {
  return algebraOf(type, span).unlessZero(incoming, value);
}

/** The factor that a product tests for 0, as part of a condition. */
export function testedFactor({
  isProduct,
  condition,
}: Extract<Scalar, { kind: "select" }>): Pick<Condition, "unlessOf"> {
  if (!isProduct || condition.kind !== "apply") return {};
  return { unlessOf: keyOf(withoutCasts(condition.operands[0]!)) };
}

export function withoutCasts(scalar: Scalar): Scalar {
  return scalar.kind === "cast" ? withoutCasts(scalar.operand) : scalar;
}

/**
 * A value where a condition holds. A test of a factor for 0 stays marked as such, so that the
 * product moves with that factor there.
 */
export function whereHolds(
  value: Scalar,
  { value: test, holds, unlessOf }: Condition,
  algebra: Algebra<Scalar>,
): Scalar {
  const nothing = algebra.number(0);
  const chosen = holds
    ? algebra.select(test, value, nothing)
    : algebra.select(test, nothing, value);
  return unlessOf !== undefined && chosen.kind === "select"
    ? { ...chosen, isProduct: true }
    : chosen;
}

/**
 * A slope times a moving value. In a branch in which the slope is 0, the result is 0. A slope that
 * divides makes the moving value a dividend: the slopes 1 / b and -(a / b) / b of a quotient both
 * contain `moved / b`.
 */
export function slopeTimes(
  slope: Scalar,
  moved: Scalar,
  algebra: Algebra<Scalar>,
  divided = (value: Scalar, by: Scalar): Scalar => algebra.apply("divide", value, by),
): Scalar {
  const times = (each: Scalar): Scalar => slopeTimes(each, moved, algebra, divided);
  if (slope.kind === "constant" && slope.value === -1) return algebra.apply("negate", moved);
  if (isZero(slope)) return slope;
  if (slope.kind === "apply" && slope.operation === "negate")
    return algebra.apply("negate", times(slope.operands[0]!));
  if (slope.kind === "apply" && slope.operation === "divide") {
    const [above, below] = slope.operands as [Scalar, Scalar];
    const over = divided(moved, below);
    return above.kind === "constant" && above.value === 1
      ? over
      : algebra.apply("multiply", above, over);
  }
  if (slope.kind !== "select" || !isZeroSomewhere(slope))
    return algebra.apply("multiply", slope, moved);
  return { ...slope, then: times(slope.then), otherwise: times(slope.otherwise) };
}

function isZeroSomewhere(slope: Scalar): boolean {
  return slope.kind === "select"
    ? [slope.then, slope.otherwise].some(isZeroSomewhere)
    : isZero(slope);
}

/** The sum of the terms that are not 0. A term with a minus is subtracted. */
export function sumOf(terms: readonly Scalar[], algebra: Algebra<Scalar>): Scalar | undefined {
  const [first, ...others] = terms.filter((term) => !isZero(term));
  return others.reduce<Scalar | undefined>((sum, term) => {
    const positive = unsigned(term);
    return positive ? algebra.apply("subtract", sum!, positive) : algebra.apply("add", sum!, term);
  }, first);
}

/** `p` for a product `-p`. */
export function unsigned(value: Scalar): Scalar | undefined {
  if (value.kind === "select") {
    const otherwise = value.isProduct && unsigned(value.otherwise);
    return otherwise ? { ...value, otherwise } : undefined;
  }
  if (value.kind === "constant" && typeof value.value === "number" && value.value < 0)
    return { ...value, value: -value.value };
  if (value.kind !== "apply") return undefined;
  const [first, ...others] = value.operands;
  if (value.operation === "negate") return first;
  if (value.operation !== "multiply" && value.operation !== "divide") return undefined;
  const positive = unsigned(first!);
  return positive && { ...value, operands: [positive, ...others] };
}

/**
 * Adds products with equal factors: x·x gives 2·x. Only products with the same `readOf` are added.
 */
export function gathered<T extends Conditioned>(
  list: readonly T[],
  // The key of the read to which a product belongs.
  readOf: (each: T) => string,
): readonly T[] {
  const textOf = shortTexts();
  const found = new Map<string, T>();
  for (const each of list) {
    const key = `${readOf(each)} ${list.length > 1 ? keyOfProduct(each, textOf) : ""}`;
    const other = found.get(key);
    const constant = (other?.product.constant ?? 0) + each.product.constant;
    found.set(key, other ? { ...other, product: { ...other.product, constant } } : each);
  }
  return [...found.values()].filter((each) => each.product.constant !== 0);
}

/**
 * A text that is equal for products with equal factors and divisors, in any order, and equal
 * conditions.
 */
function keyOfProduct(conditioned: Conditioned, textOf: (scalar: Scalar) => string): string {
  const { product, conditions, unlessZero } = conditioned;
  const sorted = (list: readonly Scalar[]): string => list.map(textOf).sort().join();
  const [factors, divisors] = [sorted(product.factors), sorted(product.divisors)];
  const tests = conditions.map(({ value, holds }) => `${textOf(value)}${holds ? "+" : "-"}`);
  return `${factors} / ${divisors} ${tests.join()} ${unlessZero ? "unless zero" : ""}`;
}

/** Numbers scalars by their structure. A list of numbers is shorter than a list of structures. */
function shortTexts(): (scalar: Scalar) => string {
  const numbers = new Map<string, string>();
  return (scalar) => {
    const key = keyOf(scalar);
    const known = numbers.get(key) ?? String(numbers.size);
    numbers.set(key, known);
    return known;
  };
}

/** The factors and divisors that all products share: 2·a·x - 2·a·y is 2·a·(x - y). */
export function factorsInCommon(list: readonly Conditioned[]): Product {
  const inAll = (lists: readonly (readonly Scalar[])[]): readonly Scalar[] =>
    lists.reduce((left, each) => dividedBy(left, each).of);
  const [first, ...others] = list.map(({ product }) => Math.abs(product.constant));
  return {
    constant: others.every((constant) => constant === first) ? first! : 1,
    factors: inAll(list.map(({ product }) => product.factors)),
    divisors: inAll(list.map(({ product }) => product.divisors)),
  };
}

/** A product without some of its factors and divisors. */
export function withoutFactors({ constant, factors, divisors }: Product, taken: Product): Product {
  return {
    constant: constant / taken.constant,
    factors: dividedBy(factors, taken.factors).rest,
    divisors: dividedBy(divisors, taken.divisors).rest,
  };
}

/**
 * A product without factors that are divisors as well: in x·log(x), 1 / x is multiplied by x.
 * Division by a quotient is multiplication by its inverse: in log(a / b), -a / b / b is divided by
 * a / b, and -1 / b is left.
 */
export function cancelled(product: Product): Product {
  const factorKeys = new Set(product.factors.map(keyOf));
  const isFactor = (factor: Scalar): boolean => factorKeys.has(keyOf(factor));
  for (const divisor of product.divisors) {
    const parts = quotientOf(divisor);
    const left =
      (isFactor(divisor) ? dividedOut(product, [divisor], [divisor]) : undefined) ??
      (parts?.factors.every(isFactor)
        ? dividedOut(product, parts.factors, [divisor, ...parts.divisors])
        : undefined);
    if (left) return cancelled(left);
  }
  return product;
}

/**
 * A product in which a quotient that one of its factors computes anyway stays a quotient: the
 * derivative of exp(-(x / s)²) has the factor x / s.
 */
export function withQuotients(product: Product): Product {
  if (product.divisors.length === 0) return product;
  const found = new Map<string, Scalar>();
  const hasQuotient = somewhere((part) => quotientOf(part) !== undefined);
  const seen = new Set<Scalar>();
  const visit = (scalar: Scalar): void => {
    if (!hasQuotient(scalar) || seen.has(scalar)) return;
    seen.add(scalar);
    if (quotientOf(scalar)) found.set(keyOf(scalar), scalar);
    partsOf(scalar).forEach(visit);
  };
  for (const factor of [...product.factors, ...product.divisors]) visit(factor);
  return [...found.values()].reduce(withQuotient, product);
}

const quotients = new WeakMap<Scalar, Product | false>();

/** The factors and divisors of a quotient of floats that consists of nothing else. */
function quotientOf(scalar: Scalar): Product | undefined {
  if (scalar.kind !== "apply" || scalar.operation !== "divide" || !isFloat(scalar.type))
    return undefined;
  let found = quotients.get(scalar);
  if (found === undefined) {
    const [parts, another] = times({ product: one, conditions: [] }, scalar);
    const isPlain =
      parts && !another && parts.conditions.length === 0 && parts.product.constant === 1;
    quotients.set(scalar, (found = isPlain ? parts.product : false));
  }
  return found || undefined;
}

function withQuotient(product: Product, quotient: Scalar): Product {
  const { factors, divisors } = quotientOf(quotient)!;
  const [factor] = factors;
  if (!factor || !product.factors.some((each) => keyOf(each) === keyOf(factor))) return product;
  const left = dividedOut(product, factors, divisors);
  if (!left) return product;
  const at = product.factors.findLastIndex((factor) => keyOf(factor) === keyOf(factors[0]!));
  const others = [...left.factors.slice(0, at), quotient, ...left.factors.slice(at)];
  return withQuotient({ ...left, factors: others }, quotient);
}

function dividedOut(
  product: Product,
  factors: readonly Scalar[],
  divisors: readonly Scalar[],
): Product | undefined {
  const [above, below] = [product.factors, product.divisors].map((list) => [...list].reverse());
  const [first, second] = [dividedBy(above!, factors), dividedBy(below!, divisors)];
  if (first.of.length < factors.length || second.of.length < divisors.length) return undefined;
  return { ...product, factors: [...first.rest].reverse(), divisors: [...second.rest].reverse() };
}

/**
 * Splits a list into the scalars that occur among others, as often as they occur there, and the
 * rest.
 */
function dividedBy(
  list: readonly Scalar[],
  others: readonly Scalar[],
): Record<"of" | "rest", readonly Scalar[]> {
  const keys = others.map(keyOf);
  const [of, rest]: [Scalar[], Scalar[]] = [[], []];
  for (const each of list) {
    const at = keys.indexOf(keyOf(each));
    (at < 0 ? rest : of).push(each);
    if (at >= 0) keys.splice(at, 1);
  }
  return { of, rest };
}

/** May the product be infinite although all its reads are finite? */
export function isSingular({ factors, divisors }: Product): boolean {
  const isSteep = (part: Scalar): boolean =>
    part.kind === "call" ||
    (part.kind === "apply" &&
      singular.has(part.operation) &&
      isFloat(part.within) &&
      !isNeverInfinite(part));
  return (
    divisors.some((divisor) => !isNumber(divisor)) ||
    [...factors, ...divisors].some((factor) => isAnywhere(factor, isSteep))
  );
}

/** Is it a power with a whole exponent, or a division by a number? */
function isNeverInfinite({ operation, operands }: Extract<Scalar, { kind: "apply" }>): boolean {
  const [, other] = operands;
  if (operation === "divide") return isNumber(other!);
  if (operation !== "power" || other?.kind !== "constant") return false;
  // The slope of any other power may be infinite.
  return Number.isInteger(other.value) && (other.value as number) >= 0;
}

function isNumber(scalar: Scalar): boolean {
  return scalar.kind === "constant" && scalar.value !== 0;
}

const singular: ReadonlySet<string> = new Set([
  "divide",
  "remainder",
  "power",
  "log",
  "log1p",
  "sqrt",
  "tan",
]);

/** Builds scalars of one float type and folds constants. */
export function algebraOf(type: FloatType, span: Span): Algebra<Scalar> {
  const number = (value: number): Scalar => ({ kind: "constant", type, value });
  const apply = (operation: OperationName, ...operands: Scalar[]): Scalar => {
    const folded = fold(operation, operands, type);
    if (folded) return folded;
    const { signature } = operationRow(operation);
    const within = operands[Math.max(0, signature.operands.indexOf("T"))]!.type;
    const result: ElementType = signature.result === "T" ? within : signature.result;
    return { kind: "apply", type: result, within, operation, operands, span };
  };
  const select = (condition: Scalar, then: Scalar, otherwise: Scalar): Scalar => {
    if (condition.kind === "constant") return condition.value ? then : otherwise;
    return { kind: "select", type: then.type, condition, then, otherwise };
  };
  const unlessZero = (factor: Scalar, product: Scalar): Scalar => {
    const chosen = select(apply("equal", factor, number(0)), number(0), product);
    return chosen.kind === "select" ? { ...chosen, isProduct: true } : chosen;
  };
  const isNumber = (operand: Scalar): boolean =>
    operand.kind === "constant"
      ? !Number.isNaN(operand.value)
      : operand.kind === "cast" && isInteger(operand.operand.type);
  return { number, apply, select, unlessZero, isNumber };
}

function fold(
  operation: OperationName,
  operands: readonly Scalar[],
  type: FloatType,
): Scalar | undefined {
  const constants = operands.map((operand) =>
    operand.kind === "constant" ? operand.value : undefined,
  );
  const [a, b] = operands;
  const isConstant = (at: number, value: Value): boolean => constants[at] === value;
  switch (operation) {
    case "multiply":
      if (isConstant(0, 1)) return b;
      if (isConstant(1, 1)) return a;
      break;
    case "divide":
      if (isConstant(1, 1)) return a;
      break;
    case "add":
      if (isConstant(0, 0)) return b;
      if (isConstant(1, 0)) return a;
      break;
    case "subtract":
      if (isConstant(1, 0)) return a;
      break;
    case "power":
      if (isConstant(1, 1)) return a;
      if (isConstant(1, 0)) return { kind: "constant", type, value: 1 };
      break;
    default:
      break;
  }
  if (constants.some((value) => value === undefined)) return undefined;
  const { evaluate, signature } = operationRow(operation);
  const value = evaluate(isFloat(a!.type) ? "f64" : a!.type, ...(constants as Value[]));
  return { kind: "constant", type: signature.result === "T" ? a!.type : signature.result, value };
}
