// Linearize: the coefficient of every read in a scalar expression, by reverse accumulation over its
// graph.
//
// With v̄ for how much the result moves per unit of v, the root has v̄ = 1, and v = f(u₁, …) adds
// v̄·∂f/∂uₖ to ūₖ. A read that is reached has its coefficient; a branch adds its condition; a local
// is visited once, with the sum of what its uses add.

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
  gathered,
  one,
  productScalar,
  testedFactor,
  times,
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
  /** Coordinates of the read that are summed, where a call reads any cell. */
  readonly over?: readonly Loop[];
}

interface Linearized {
  readonly coefficients: readonly Coefficient[];
  readonly stopped: readonly Stopped[];
}

/**
 * `isActive` says which definitions the derivative goes through, `stops` what stands in the way of
 * a non-float one. `result` reads the value of the whole expression where it is already there.
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

  // An integer hands on the tangent of a rule, or has to say why there is none; so has what a
  // function makes of integers.
  const noteStop = (scalar: Scalar): void => {
    const { stopped: stop } = ofScalar(scalar);
    if (stop) stopped.push(stop);
  };

  const visit = (scalar: Scalar, arriving: readonly Conditioned[], value: Scalar): void => {
    if (arriving.length === 0 || !isTouched(ofScalar(scalar))) return;
    const bars = untested(scalar, arriving);
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
        // A tensor that the function reads from around it moves the result by each of its cells.
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
   * What takes data apart moves with each cell of everything that the data is made of: with what is
   * read in the scalar itself, and with any cell that a call may read.
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
  // Locals in an order in which every use of one is visited before it.
  for (const local of localsOf(root).reverse()) {
    const bars = ofLocals.get(local);
    if (bars) visit(local.value, shared(bars, local.value, local.name), local.value);
  }
  const readOf = ({ read }: Coefficient): string => keyOf(read);
  const all = coefficients.map((each) => ({ ...each, product: collected(each.product) }));
  const plain = gathered(all, readOf);
  const simple = gathered(
    plain.map((each) => ({ ...each, product: withExponentialsDivided(cancelled(each.product)) })),
    readOf,
  );
  // Where all of it cancels there is a path all the same, as in x / x.
  const left = new Set(simple.map(({ read }) => keyOf(read)));
  return {
    coefficients: [...simple, ...plain.filter(({ read }) => !left.has(keyOf(read)))],
    stopped,
  };
}

/**
 * Every definition that a scalar reads, with its reads; without them where a function reads it that
 * the scalar calls, at places of its own.
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

/** Where the first call inside stands. */
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
 * Several uses of one local: their sum, as a local of its own, so that the work behind it is done
 * once. Where none of the uses counts, nor does what stands behind it: it may not even be there.
 */
function shared(uses: readonly Conditioned[], value: Scalar, name: string): readonly Conditioned[] {
  const bars = gathered(uses, () => "");
  if (bars.length <= 1 || !isFloat(value.type)) return bars;
  const type = value.type;
  const span = ("span" in value ? value.span : undefined) ?? nowhere;
  const algebra = algebraOf(type, span);
  const common = bars[0]!.conditions.filter((each) =>
    bars.every((bar) => bar.conditions.some((other) => same(each, other))),
  );
  const outside = factorsInCommon(bars);
  const isLeftOut = ({ unlessOf }: Condition): boolean => unlessOf !== undefined;
  const own = bars.map(({ conditions }) =>
    conditions.filter((each) => !common.some((other) => same(each, other))),
  );
  const parts = bars.map(({ product }, k) => ({
    value: own[k]!.filter(isLeftOut).reduceRight(
      (inner, each) => whereHolds(inner, each, algebra),
      productScalar(withoutFactors(product, outside), type, span),
    ),
    conditions: own[k]!.filter((each) => !isLeftOut(each)).map(holding),
  }));
  const total = sumOfCounting(parts, algebra, span);
  const sum: Scalar = { kind: "local", type, local: { name: `d_${name}`, value: total } };
  const some = whereSomeCount(parts, span);
  const counts = some ? [{ value: some, holds: true }] : [];
  const product: Product = { ...outside, factors: [...outside.factors, sum] };
  // Where all parts are left out, so is the product: the sum is 0 there, whatever it is multiplied
  // with.
  const isZero = algebra.apply("equal", sum, algebra.number(0));
  const zeros = own.flat().some(isLeftOut)
    ? [{ value: isZero, holds: false, unlessOf: keyOf(sum) }]
    : [];
  // What is left out where a factor is 0 looks at that factor behind the conditions under which it
  // is there.
  const [first, last] = [false, true].map((isLast) =>
    common.filter((each) => isLeftOut(each) === isLast),
  );
  const left = bars.some(({ unlessZero }) => unlessZero) ? { unlessZero: true as const } : {};
  return [{ product, conditions: [...first!, ...counts, ...zeros, ...last!], ...left }];
}

function same(a: Condition, b: Condition): boolean {
  return a.holds === b.holds && keyOf(a.value) === keyOf(b.value);
}

/** Locals, each after those that its value uses. */
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
 * A product that is left out where one factor is 0 moves with that factor there too, and with the
 * others not.
 */
function untested(factor: Scalar, bars: readonly Conditioned[]): readonly Conditioned[] {
  const isTested = bars.some(({ conditions }) =>
    conditions.some(({ unlessOf }) => unlessOf !== undefined),
  );
  if (!isTested) return bars;
  const own = keysOf(factor);
  return bars.map((bar) => {
    const conditions = bar.conditions.filter(
      ({ unlessOf }) => unlessOf === undefined || !own.has(unlessOf),
    );
    return conditions.length < bar.conditions.length
      ? { ...bar, conditions, unlessZero: true }
      : bar;
  });
}

/**
 * The factor by its key, and where it is a cell that the compiler has put a part of the product
 * into, the factors of that part: `d[i]` of `let part[i] = d[i] / 3.0;`.
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
