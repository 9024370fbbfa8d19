// This folder finds the derivative of the expression of one cell: the coefficient of each read. The
// derivatives of reductions are in `rules`.
//
// Linearization is reverse accumulation over the graph of the expression. v̄ tells how the result
// moves per unit of v. The root has v̄ = 1, and v = f(u₁, …) adds v̄·∂f/∂uₖ to ūₖ:
//
//    x * sin(x)   has the coefficient   sin(x) + x * cos(x)   for the read x
//
// A branch adds its condition. A local is visited once, with the sum of the contributions of its
// uses.

import { applied } from "../../ir/simple-scalars.ts";
import { holding } from "../../analyse/opposite.ts";
import { eachScalar, partsOf } from "../../ir/parts.ts";
import type { Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import { readsOfFunction } from "../../ir/references.ts";
import { operationRow } from "../../scalar/operations.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";
import { nowhere, type Span } from "../../base/source.ts";
import { sumOfCounting, whereSomeCount } from "../rewrites/choices.ts";
import { tangentType } from "../legality/handed-on.ts";
import { cellsReadIn } from "../data/within/captured-cells.ts";
import { withExponentialsDivided } from "./exponentials.ts";
import { movedByCell, movedByRead, partialByCell, partialOf } from "../data/functions.ts";
import { keyOf } from "../../ir/keys.ts";
import { instantiate, atIndices } from "../../ir/substitute.ts";
import {
  algebraOf,
  cancelled,
  collected,
  factorsInCommon,
  factorsOf,
  gathered,
  one,
  productScalar,
  testedFactor,
  times,
  withoutCasts,
  withoutFactors,
  whereHolds,
  type Condition,
  type Conditioned,
  type Product,
} from "./products.ts";
import { isTouched, makingsOf, type Stopped } from "../legality/stops.ts";
import { takesData, withoutDataReads } from "../data/through-data.ts";

export interface Coefficient extends Conditioned {
  readonly read: Extract<Scalar, { kind: "read" }>;
  /** The summed coordinates of the read, if a call may read any cell. */
  readonly over?: readonly Loop[];
}

interface Linearized {
  readonly coefficients: readonly Coefficient[];
  readonly stopped: readonly Stopped[];
}

/**
 * Finds the coefficients of an expression. `isActive` tells which definitions the derivative passes
 * through. `stops` tells why a definition that is not a float has no derivative. `result` reads the
 * value of the whole expression, if it is available.
 */
export function linearize(
  written: Scalar,
  isActive: (definition: Definition) => boolean,
  stops: (definition: Definition) => Stopped | undefined,
  result?: Scalar,
): Linearized {
  const root = withoutDataReads(written);
  const coefficients: Coefficient[] = [];
  const stopped: Stopped[] = [];
  const ofLocals = new Map<Local, Conditioned[]>();
  const { ofScalar } = makingsOf({ isActive, stops });

  // An integer passes on the tangent of a rule. Otherwise the reason why it has no tangent is
  // noted, also for the result of a function of integers.
  const noteStop = (scalar: Scalar): void => {
    const { stopped: stop } = ofScalar(scalar);
    if (stop) stopped.push(stop);
  };

  const visit = (scalar: Scalar, arriving: readonly Conditioned[], value: Scalar): void => {
    if (arriving.length === 0 || !isTouched(ofScalar(scalar))) return;
    const bars = withoutOwnTest(scalar, arriving);
    switch (scalar.kind) {
      case "constant":
      case "integer":
        return;
      case "read":
        if (isActive(scalar.definition)) {
          const moved = isFloat(scalar.type) ? bars : recast(bars, tangentType(scalar.definition));
          coefficients.push(...moved.map((bar) => ({ ...bar, read: scalar })));
        } else noteStop(scalar);
        return;
      case "call": {
        const { function: called, arguments: given } = scalar.invocation;
        noteStop(scalar);
        if (!isFloat(scalar.type) && !called.rule) return;
        if (takesData(scalar)) return throughData(scalar, bars, scalar.invocation.span);
        // Each cell of a tensor that the function reads from outside moves the result.
        for (const captured of called.rule ? [] : [...readsOfFunction(called)].filter(isActive))
          byCells(scalar, captured, bars, scalar.invocation.span, (cell) =>
            partialByCell(scalar.invocation, scalar.member, captured, cell),
          );
        for (const [k, argument] of given.entries()) {
          if (!isFloat(argument.type)) continue;
          const slope = partialOf(scalar.invocation, scalar.member, k);
          visit(
            argument,
            recast(
              bars.flatMap((bar) => times(bar, slope)),
              argument.type,
            ),
            argument,
          );
        }
        return;
      }
      case "parameter":
        return;
      case "local":
        ofLocals.set(scalar.local, [...(ofLocals.get(scalar.local) ?? []), ...bars]);
        return;
      case "select": {
        const factor = testedFactor(scalar);
        const under = (holds: boolean): readonly Conditioned[] =>
          bars.map((bar) => ({
            ...bar,
            conditions: [...bar.conditions, { value: scalar.condition, holds, ...factor }],
          }));
        visit(scalar.then, under(true), scalar.then);
        visit(scalar.otherwise, under(false), scalar.otherwise);
        return;
      }
      case "cast":
        if (!isFloat(scalar.operand.type)) visit(scalar.operand, bars, scalar.operand);
        else if (isFloat(scalar.type))
          visit(scalar.operand, recast(bars, scalar.operand.type), scalar.operand);
        else noteStop(scalar);
        return;
      case "apply": {
        if (!isFloat(scalar.type)) {
          noteStop(scalar);
          return;
        }
        const { derivative } = operationRow(scalar.operation);
        if (typeof derivative === "string") return;
        const algebra = algebraOf(scalar.type, scalar.span);
        const slopes = derivative(algebra, scalar.operands, value);
        for (const [k, slope] of slopes.entries()) {
          if (slope === "zero" || !isFloat(scalar.operands[k]!.type)) continue;
          const isFirst =
            k === 0 && (scalar.operation === "multiply" || scalar.operation === "divide");
          visit(
            scalar.operands[k]!,
            bars.flatMap((bar) => times(bar, slope, isFirst ? "behind" : "before")),
            scalar.operands[k]!,
          );
        }
        return;
      }
      case "data":
        noteStop(scalar);
        if (isFloat(scalar.type)) throughData(scalar, bars, spanIn(scalar) ?? nowhere);
        return;
      case "text":
        return;
      default:
        scalar satisfies never;
    }
  };
  /**
   * An operation on data moves with each cell that the data is made of: the reads in the scalar
   * itself, and any cell that a call may read.
   */
  const throughData = (scalar: Scalar, bars: readonly Conditioned[], span: Span): void => {
    for (const [definition, reads] of readsByDefinition(scalar)) {
      if (!isActive(definition)) continue;
      if (reads) for (const read of reads) note(read, bars, movedByRead(scalar, read, span), []);
      else
        byCells(scalar, definition, bars, span, (cell) =>
          movedByCell(scalar, definition, cell, span),
        );
    }
  };
  const byCells = (
    scalar: Scalar,
    definition: Definition,
    bars: readonly Conditioned[],
    span: Span,
    slopeBy: (cell: readonly Scalar[]) => Scalar | undefined,
  ): void => {
    for (const { indices, over } of cellsReadIn(scalar, definition)) {
      const read: Coefficient["read"] = {
        kind: "read",
        type: definition.element,
        definition,
        indices,
        span,
      };
      note(read, bars, slopeBy(indices), over);
    }
  };
  const note = (
    read: Coefficient["read"],
    bars: readonly Conditioned[],
    slope: Scalar | undefined,
    over: readonly Loop[],
  ): void => {
    const moved = recast(
      slope ? bars.flatMap((bar) => times(bar, slope)) : [],
      tangentType(read.definition),
    );
    coefficients.push(
      ...moved.map((bar) => ({ ...bar, read, ...(over.length > 0 ? { over } : {}) })),
    );
  };

  visit(root, [{ product: one, conditions: [] }], result ?? root);
  // Locals in an order in which all uses of a local come before it.
  for (const local of localsOf(root).reverse()) {
    const bars = ofLocals.get(local);
    if (bars) visit(local.value, sumOfUses(bars, local.value, local.name), local.value);
  }
  const readOf = ({ read }: Coefficient): string => keyOf(read);
  const all = coefficients.map((each) => ({ ...each, product: collected(each.product) }));
  const plain = gathered(all, readOf);
  const simple = gathered(
    plain.map((each) => ({ ...each, product: withExponentialsDivided(cancelled(each.product)) })),
    readOf,
  );
  // If everything cancels, as in x / x, there still is a path, with the coefficient before
  // cancellation.
  const left = new Set(simple.map(({ read }) => keyOf(read)));
  return {
    coefficients: [...simple, ...plain.filter(({ read }) => !left.has(keyOf(read)))],
    stopped,
  };
}

/**
 * Every definition that a scalar reads, with its reads. Without reads if a called function reads
 * the definition, at places of its own.
 */
export function readsByDefinition(
  scalar: Scalar,
): ReadonlyMap<Definition, readonly Coefficient["read"][] | undefined> {
  const found = new Map<Definition, readonly Coefficient["read"][] | undefined>();
  const seen = new Set<string>();
  eachScalar(scalar, (part) => {
    if (part.kind === "call")
      for (const read of readsOfFunction(part.invocation.function)) found.set(read, undefined);
    if (part.kind !== "read" || seen.has(keyOf(part))) return;
    seen.add(keyOf(part));
    const { definition } = part;
    const before = found.has(definition) ? found.get(definition) : [];
    found.set(definition, before && [...before, part]);
  });
  return found;
}

/** The span of the first call in the scalar. */
function spanIn(scalar: Scalar): Span | undefined {
  let found: Span | undefined;
  eachScalar(scalar, (part) => void (part.kind === "call" && (found ??= part.invocation.span)));
  return found;
}

/** A cast between float types passes the tangent on in the other type. */
function recast(bars: readonly Conditioned[], type: FloatType): readonly Conditioned[] {
  return bars.map((bar) => ({
    ...bar,
    product: {
      ...bar.product,
      factors: bar.product.factors.map((factor): Scalar =>
        factor.type === type ? factor : { kind: "cast", type, operand: factor },
      ),
      divisors: bar.product.divisors.map((factor): Scalar =>
        factor.type === type ? factor : { kind: "cast", type, operand: factor },
      ),
    },
  }));
}

/**
 * The sum of several uses of a local, as a local of its own, so that the work behind it is done
 * once. If none of the uses counts, the sum does not count either, and its parts may not even
 * exist.
 */
function sumOfUses(
  uses: readonly Conditioned[],
  value: Scalar,
  name: string,
): readonly Conditioned[] {
  // Cancel before a divisor is taken out of all uses: w·e / e - 1 / e is w - 1 / e. Written as
  // (w·e - 1) / e it is no number where e is infinite.
  const bars = gathered(
    uses.length > 1 ? uses.map((use) => ({ ...use, product: cancelled(use.product) })) : uses,
    () => "",
  );
  if (bars.length <= 1 || !isFloat(value.type)) return bars;
  const type = value.type;
  const span = ("span" in value ? value.span : undefined) ?? nowhere;
  const algebra = algebraOf(type, span);
  const common = bars[0]!.conditions.filter((each) =>
    bars.every((bar) => bar.conditions.some((other) => isSameCondition(each, other))),
  );
  const isLeftOut = ({ unlessOf }: Condition): boolean => unlessOf !== undefined;
  const furtherConditions = bars.map(({ conditions }) =>
    conditions.filter((each) => !common.some((other) => isSameCondition(each, other))),
  );
  // A factor that a part is tested for stays in the part: where the factor is 0, the part is left
  // out, and moves with the factor all the same.
  const tested = new Set(furtherConditions.flat().map(({ unlessOf }) => unlessOf));
  const inAll = factorsInCommon(bars);
  const outside: Product = {
    ...inAll,
    factors: inAll.factors.filter((each) => !tested.has(keyOf(withoutCasts(each)))),
  };
  const parts = bars.map(({ product }, k) => ({
    value: furtherConditions[k]!.filter(isLeftOut).reduceRight(
      (inner, each) => whereHolds(inner, each, algebra),
      productScalar(withoutFactors(product, outside), type, span),
    ),
    conditions: furtherConditions[k]!.filter((each) => !isLeftOut(each)).map(holding),
  }));
  const total = sumOfCounting(parts, algebra, span);
  const sum: Scalar = { kind: "local", type, local: { name: `d_${name}`, value: total } };
  const some = whereSomeCount(parts, span);
  const counts = some ? [{ value: some, holds: true }] : [];
  const product: Product = { ...outside, factors: [...outside.factors, sum] };
  // If all parts are left out, the product is left out: the sum is 0 there, whatever its other
  // factors are.
  const isZero = algebra.apply("equal", sum, algebra.number(0));
  const zeros = furtherConditions.flat().some(isLeftOut)
    ? [{ value: isZero, holds: false, unlessOf: keyOf(sum) }]
    : [];
  // A test of a factor for 0 comes after the conditions under which the factor exists.
  const [first, last] = [false, true].map((isLast) =>
    common.filter((each) => isLeftOut(each) === isLast),
  );
  const left = bars.some(({ unlessZero }) => unlessZero) ? { unlessZero: true as const } : {};
  return [{ product, conditions: [...first!, ...counts, ...zeros, ...last!], ...left }];
}

function isSameCondition(a: Condition, b: Condition): boolean {
  return a.holds === b.holds && keyOf(a.value) === keyOf(b.value);
}

/** The locals, each after the locals that its value uses. */
function localsOf(root: Scalar): Local[] {
  const found = new Set<Local>();
  const visit = (scalar: Scalar): void => {
    if (scalar.kind === "local") {
      if (found.has(scalar.local)) return;
      visit(scalar.local.value);
      found.add(scalar.local);
      return;
    }
    partsOf(scalar).forEach(visit);
  };
  visit(root);
  return [...found];
}

/**
 * A product that is left out where one factor is 0 still moves with that factor there: d of `if d
 * == 0 { 0 } else { d * x }` has the coefficient x everywhere. With the other factors it does not
 * move there.
 */
function withoutOwnTest(factor: Scalar, bars: readonly Conditioned[]): readonly Conditioned[] {
  const isTested = bars.some(({ conditions }) =>
    conditions.some(({ unlessOf }) => unlessOf !== undefined),
  );
  if (!isTested) return bars;
  const own = keysOf(factor);
  return bars.map((bar) => {
    const conditions = bar.conditions.flatMap((each) => withoutTestOf(own, each));
    const isChanged = conditions.some((each, k) => each !== bar.conditions[k]);
    return isChanged || conditions.length < bar.conditions.length
      ? { ...bar, conditions, unlessZero: true }
      : bar;
  });
}

/**
 * A condition without its test of a factor. Where the factor is one of several that are tested
 * together, as `a` in `a * b == 0`, the test of the others stays.
 */
function withoutTestOf(own: ReadonlySet<string>, condition: Condition): readonly Condition[] {
  const { unlessOf, value } = condition;
  if (unlessOf === undefined) return [condition];
  if (own.has(unlessOf)) return [];
  if (value.kind !== "apply") return [condition];
  const [tested] = value.operands;
  const factors = factorsOf(withoutCasts(tested!));
  const others = factors.filter((each) => !own.has(keyOf(withoutCasts(each))));
  if (others.length === factors.length) return [condition];
  const rest = others.filter((each) => each.kind !== "constant" || each.value === 0);
  if (rest.length === 0) return [];
  const left = rest.reduce((a, b) => applied("multiply", [a, b], value.span));
  const zero: Scalar = { kind: "constant", type: left.type, value: 0 };
  return [{ ...condition, value: { ...value, operands: [left, zero] }, unlessOf: keyOf(left) }];
}

/**
 * The key of the factor. If the factor is a cell into which the compiler has put a part of the
 * product, also the keys of the factors of that part: `d[i]` of `let part[i] = d[i] / 3.0;`.
 */
function keysOf(factor: Scalar): ReadonlySet<string> {
  const keys = new Set([keyOf(factor)]);
  if (factor.kind !== "read" || factor.definition.origin !== "helper") return keys;
  const [clause, another] = factor.definition.clauses;
  if (!clause || another || clause.body.kind !== "map") return keys;
  const by = atIndices(clause.loops, factor.indices);
  eachScalar(instantiate(clause.body.value, by), (part) => void keys.add(keyOf(part)));
  return keys;
}
