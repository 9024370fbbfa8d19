// Finds the factors of the terms of a sum, and decides which sums count as contractions.

import { eachScalar, withoutLocals } from "../../ir/parts.ts";
import type { Body, Definition, Loop, Scalar } from "../../ir/program.ts";
import { conjuncts, usesAny } from "../../analyse/ties.ts";
import { valueOf } from "../../analyse/can-fail.ts";
import { isSameScalar } from "../same.ts";

type Reduce = Extract<Body, { kind: "reduce" }>;

interface Product {
  readonly factors: readonly Scalar[];
  /**
   * Factors that are tested by `if f == 0 { 0 } else { … }`: where one of them is 0, there is no
   * term, whatever the other factors are.
   */
  readonly masks: readonly Scalar[];
}

/**
 * Splits a value into factors. The product may stand inside of `if c { … } else { 0 }`; then c
 * becomes a guard. It may also stand inside of `if f == 0 { 0 } else { … }` with a factor f; then f
 * becomes a mask. Other values are a single factor.
 */
export function productOf(value: Scalar, guards: Scalar[]): Product {
  const masks: Scalar[] = [];
  let rest = withoutLocals(value);
  while (rest.kind === "select") {
    const mask = zeroTest(rest.condition);
    if (isZeroConstant(rest.otherwise)) {
      guards.push(...conjuncts(rest.condition));
      rest = withoutLocals(rest.then);
    } else if (mask && isZeroConstant(rest.then)) {
      masks.push(mask);
      rest = withoutLocals(rest.otherwise);
    } else break;
  }
  const factors = factorsOf(rest);
  const isWhole = masks.every((mask) => factors.some((factor) => isSameScalar(mask, factor)));
  return isWhole ? { factors, masks } : { factors: [value], masks: [] };
}

function isZeroConstant(scalar: Scalar): boolean {
  return valueOf(scalar) === 0;
}

/** The f of `f == 0`. */
function zeroTest(condition: Scalar): Scalar | undefined {
  const test = withoutLocals(condition);
  if (test.kind !== "apply" || test.operation !== "equal") return undefined;
  const [a, b] = test.operands;
  return isZeroConstant(b!) ? a : isZeroConstant(a!) ? b : undefined;
}

function factorsOf(value: Scalar): readonly Scalar[] {
  if (value.kind !== "apply" || value.operation !== "multiply" || value.type !== value.within)
    return [value];
  return value.operands.flatMap((operand) => factorsOf(withoutLocals(operand)));
}

/**
 * Whether a reduction as written is a contraction: a sum whose terms are products with reads of at
 * least two different tensors.
 *
 *   yes: sum[k](a[i, k] * b[k, j])
 *   no:  sum[k](x[k] ** 2),  sum[k](0.5 * x[k])  and  sum[k](x[k] * x[n - 1 - k])
 *
 * Reads that are the same for all terms are factors of the whole sum, so they do not count.
 */
export function isContraction({ reduction, loops, value }: Reduce): boolean {
  if (reduction !== "sum") return false;
  const tensors = new Set<Definition>();
  for (const factor of numeratorOf(productOf(value, []).factors))
    if (factor.kind === "read" && usesAny(factor, loops)) tensors.add(factor.definition);
  return tensors.size > 1;
}

/**
 * Whether two factors of the terms have no tensor in common. Such a sum is computed as a matrix
 * product where it has rows and columns.
 *
 *   yes: sum[k](relu(a[i, k]) * b[k, j])
 *   no:  sum[k](x[i, k] * x[j, k])  and  sum[k]((x[i, k] - m[k]) * (x[j, k] - m[k]))
 */
export function isOfProducts({ reduction, loops, value }: Reduce): boolean {
  if (reduction !== "sum") return false;
  const tensors = productOf(value, [])
    .factors.map((factor) => movingTensors(factor, loops))
    .filter((each) => each.size > 0);
  return tensors.some((first) => tensors.some((second) => haveNothingInCommon(first, second)));
}

/** The tensors whose cells a scalar reads at indices that depend on the given loops. */
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

/** The factors without signs and divisors. */
function numeratorOf(factors: readonly Scalar[]): readonly Scalar[] {
  return factors.flatMap((factor): readonly Scalar[] => {
    const isAround =
      factor.kind === "apply" && (factor.operation === "negate" || factor.operation === "divide");
    return isAround ? numeratorOf(factorsOf(withoutLocals(factor.operands[0]!))) : [factor];
  });
}
