// Sums of products: the factors of a term, and which sums are contractions as they are written.

import { eachScalar } from "../../ir/parts.ts";
import type { Body, Definition, Loop, Scalar } from "../../ir/program.ts";
import { conjuncts, usesAny } from "../../analyse/ties.ts";
import { valueOf } from "../../analyse/can-fail.ts";
import { isSameScalar, withoutLocals } from "../same.ts";

type Reduce = Extract<Body, { kind: "reduce" }>;

export interface Product {
  readonly factors: readonly Scalar[];
  /** Factors of which a zero means that there is no term, whatever the others are. */
  readonly masks: readonly Scalar[];
}

/**
 * The factors of a product. Around it may stand `if c { … } else { 0 }`, which is a guard, and `if
 * f == 0 { 0 } else { … }` with a factor f: where f is 0 there is no term, whatever the others are.
 */
export function productOf(value: Scalar, guards: Scalar[]): Product {
  const masks: Scalar[] = [];
  let left = withoutLocals(value);
  while (left.kind === "select") {
    const mask = zeroTest(left.condition);
    if (isZero(left.otherwise)) {
      guards.push(...conjuncts(left.condition));
      left = withoutLocals(left.then);
    } else if (mask && isZero(left.then)) {
      masks.push(mask);
      left = withoutLocals(left.otherwise);
    } else break;
  }
  const factors = factorsOf(left);
  const isWhole = masks.every((mask) => factors.some((factor) => isSameScalar(mask, factor)));
  return isWhole ? { factors, masks } : { factors: [value], masks: [] };
}

function isZero(scalar: Scalar): boolean {
  return valueOf(scalar) === 0;
}

/** The f of `f == 0`. */
function zeroTest(condition: Scalar): Scalar | undefined {
  const test = withoutLocals(condition);
  if (test.kind !== "apply" || test.operation !== "equal") return undefined;
  const [a, b] = test.operands;
  return isZero(b!) ? a : isZero(a!) ? b : undefined;
}

function factorsOf(value: Scalar): readonly Scalar[] {
  if (value.kind !== "apply" || value.operation !== "multiply" || value.type !== value.within)
    return [value];
  return value.operands.flatMap((operand) => factorsOf(withoutLocals(operand)));
}

/**
 * Whether a reduction is a contraction as it is written: a sum whose terms are products with reads
 * of two or more different tensors,
 *
 *   sum[k](a[i, k] * b[k, j])   is one,   sum[k](x[k] ** 2),  sum[k](0.5 * x[k])  and  sum[k](x[k] * x[n - 1 - k])  are not.
 *
 * Reads that are the same for all terms are factors of the whole sum, and do not count.
 */
export function isContraction({ reduction, loops, value }: Reduce): boolean {
  if (reduction !== "sum") return false;
  const tensors = new Set<Definition>();
  for (const factor of numeratorOf(productOf(value, []).factors))
    if (factor.kind === "read" && usesAny(factor, loops)) tensors.add(factor.definition);
  return tensors.size > 1;
}

/**
 * Whether the terms of a sum are products of factors that read different tensors, whatever else is
 * done in them: such a sum is multiplied out where rows and columns can be told apart in it, as in
 * sum[k](relu(a[i, k]) * b[k, j]). Two of the factors have no tensor in common:
 *
 *   sum[k](x[i, k] * x[j, k])  and  sum[k]((x[i, k] - m[k]) * (x[j, k] - m[k]))  are none.
 */
export function isOfProducts({ reduction, loops, value }: Reduce): boolean {
  if (reduction !== "sum") return false;
  const tensors = productOf(value, [])
    .factors.map((factor) => movingTensors(factor, loops))
    .filter((each) => each.size > 0);
  return tensors.some((one) => tensors.some((other) => haveNothingInCommon(one, other)));
}

/** The tensors of which a scalar reads cells that are not the same in all rounds of some loops. */
function movingTensors(scalar: Scalar, loops: readonly Loop[]): ReadonlySet<Definition> {
  const found = new Set<Definition>();
  eachScalar(scalar, (part) => {
    if (part.kind === "read" && usesAny(part, loops)) found.add(part.definition);
  });
  return found;
}

function haveNothingInCommon(
  one: ReadonlySet<Definition>,
  other: ReadonlySet<Definition>,
): boolean {
  return [...one].every((each) => !other.has(each));
}

/** Factors without signs and divisors. */
function numeratorOf(factors: readonly Scalar[]): readonly Scalar[] {
  return factors.flatMap((factor): readonly Scalar[] => {
    const isAround =
      factor.kind === "apply" && (factor.operation === "negate" || factor.operation === "divide");
    return isAround ? numeratorOf(factorsOf(withoutLocals(factor.operands[0]!))) : [factor];
  });
}
