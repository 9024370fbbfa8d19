// A sum over the steps of a loop, which is added up while the loop runs. With Σ the sum over all
// coordinates but the step t:
//
//   S[0, …] = 0,    S[t + 1, …] = S[t, …] + Σ terms of step t
//
// All steps of S share one place in memory. So S is a recurrence like any other, and its last step
// is the sum. Floats are added up in f64 totals beside the cells, and rounded into the cells once.

import { sizeOf, stridesOf } from "../../../scalar/values/value.ts";
import type { Rider } from "../../../plan/along.ts";
import {
  constant,
  ofVariable,
  plus,
  variable as newVariable,
  type Variable,
} from "../../../affine/term.ts";
import type { Clause, Definition, Loop, Scalar } from "../../../ir/program.ts";
import {
  isFloat,
  isUnsized,
  zeroOf,
  type ElementType,
  type TypedArray,
  type Unsized,
} from "../../../scalar/types.ts";
import {
  instantiate,
  instantiateLoop,
  integerScalar,
  type Replacements,
} from "../../../ir/substitute.ts";
import { inType, widerThan } from "../../../plan/narrow.ts";
import { sized, type Reduction, type Sized, type Sizing } from "../../../plan/regions/regions.ts";
import type { Layout } from "../code/kernels.ts";
import { Unsupported } from "../unsupported.ts";
import { applied } from "../../../ir/simple-scalars.ts";

type SumRider = Rider & { readonly along: { readonly kind: "sum" } };

export function isSum(rider: Rider): rider is SumRider {
  return rider.along.kind === "sum";
}

/** A sum that a loop adds up. */
export interface RunningSum {
  readonly rider: SumRider;
  readonly element: Exclude<ElementType, Unsized>;
  /**
   * The type in which the sum is added up. If it differs from the type of the cells, the totals lie
   * beside the cells.
   */
  readonly totals: Exclude<ElementType, Unsized>;
  /** The recurrence S; the step is its first axis. */
  readonly running: Definition;
  readonly sized: Sized;
  readonly layout: Layout;
  /** The steps that have terms. */
  readonly from: number;
  readonly to: number;
  readonly cells: number;
  /** What a mean is divided by; 1 for a sum. */
  readonly divisor: number;
}

const addable: ReadonlySet<ElementType> = new Set(["f32", "f64", "i32", "i64"]);

/**
 * Whether kernels can add up a sum step by step. A mean must have the same number of terms in every
 * cell.
 */
export function canAddUp({ definition, along }: Rider): boolean {
  if (along.kind !== "sum") return true;
  const [clause] = definition.clauses;
  const body = clause!.body;
  if (body.kind !== "reduce" || body.value.type !== definition.element) return false;
  // An f16 would be rounded at every step.
  if (!addable.has(definition.element)) return false;
  if (body.reduction === "sum") return true;
  if (!isFloat(definition.element)) return false;
  const isSameForAllCells = (bound: Scalar): boolean => {
    const around = new Set([...clause!.loops, ...body.loops].map((loop) => loop.variable));
    return bound.kind === "integer" && !usesVariablesOrOpaque(bound, around);
  };
  return (
    body.guards.length === 0 &&
    body.loops.every(({ from, to }) => isSameForAllCells(from) && isSameForAllCells(to))
  );
}

function usesVariablesOrOpaque(
  bound: Extract<Scalar, { kind: "integer" }>,
  variables: ReadonlySet<Variable>,
): boolean {
  return bound.term.parts.some((part) =>
    part.factors.some((atom) => atom.kind !== "variable" || variables.has(atom.variable)),
  );
}

export function runningSum(
  rider: SumRider,
  shape: readonly number[],
  sizing: Sizing,
  numberOf: (scalar: Scalar) => number,
): RunningSum {
  const { definition, along } = rider;
  const [clause] = sizing.clausesOf(definition);
  const element = sizing.typeOf(definition.element);
  if (clause?.body.kind !== "reduce" || isUnsized(element))
    throw new Unsupported("a sum that is none");
  const { body } = clause;
  const stepLoop = body.loops.find((loop) => loop.variable === along.loop.variable);
  if (!stepLoop) throw new Unsupported("a sum over steps that became another");
  const [from, to] = [numberOf(stepLoop.from), numberOf(stepLoop.to)];
  const totals = isFloat(element) ? "f64" : element;
  const step = newVariable("step");
  const running: Definition = {
    ...definition,
    element: totals,
    origin: "helper",
    axes: [{ extent: constant(Math.max(0, to) + 1) }, ...definition.axes],
    clauses: [],
  };
  const written = definition.clauses[0]!.body as Reduction;
  const termType = widerThan(element, written) ?? element;
  const terms: Definition = { ...running, element: termType };
  const atPreviousStep: Replacements = new Map([
    [stepLoop.variable, integerScalar(plus(ofVariable(step), -1))],
  ]);
  const others = body.loops
    .filter((loop) => loop !== stepLoop)
    .map((loop) => instantiateLoop(loop, atPreviousStep));
  const guards = body.guards.map((guard) => instantiate(guard, atPreviousStep));
  const value = inType(termType, instantiate(body.value, atPreviousStep));
  const steps: Loop = {
    variable: step,
    from: integerScalar(constant(from + 1)),
    to: integerScalar(constant(to + 1)),
    reversed: false,
  };
  const loops = [steps, ...clause.loops];
  const cellAtStep = (of: Definition, by: number): Scalar => {
    const indices = [
      plus(ofVariable(step), by),
      ...clause.loops.map((loop) => ofVariable(loop.variable)),
    ];
    return {
      kind: "read",
      type: of.element,
      definition: of,
      indices: indices.map(integerScalar),
      span: body.span,
    };
  };
  terms.clauses = [
    {
      loops,
      guards: [],
      span: clause.span,
      body: { ...body, reduction: "sum", loops: others, guards, value },
    },
  ];
  const added = inType(
    totals,
    others.length > 0 ? cellAtStep(terms, 0) : underConditions(guards, value),
  );
  running.clauses = [
    {
      loops,
      guards: [],
      span: clause.span,
      body: { kind: "map", value: scalarSum(cellAtStep(running, -1), added) },
    },
  ];
  const clausesOf = (each: Definition): readonly Clause[] =>
    each === running || each === terms ? each.clauses : sizing.clausesOf(each);
  const merged = new Map([...sizing.merged, [terms, running] as const]);
  const keptShape = [1, ...shape];
  const fullShape = [Math.max(0, to) + 1, ...shape];
  // This is used for means only, whose ranges have the same length in every cell.
  const lengthOfLoop = (loop: Loop): number => Math.max(0, numberOf(loop.to) - numberOf(loop.from));
  return {
    rider,
    element,
    totals,
    running: running,
    sized: fromStep(sized(running, fullShape, { ...sizing, clausesOf, merged }), from + 1),
    layout: {
      element: totals,
      shape: fullShape,
      strides: stridesOf(keptShape),
      window: { axis: 0, steps: 1 },
    },
    from,
    to,
    cells: sizeOf(shape),
    divisor:
      body.reduction === "mean"
        ? body.loops.reduce((product, loop) => product * lengthOfLoop(loop), 1)
        : 1,
  };
}

/**
 * Removes the regions of steps before `first`. No terms are added there, and the totals must not be
 * reset there.
 */
function fromStep(all: Sized, first: number): Sized {
  const regions = all.regions.filter(({ sides }) => sides[0]!.to > first);
  if (regions.some(({ sides }) => sides[0]!.from < first))
    throw new Unsupported("steps that could not be told apart");
  return { ...all, regions };
}

/** A value where all conditions hold, else 0. */
function underConditions(conditions: readonly Scalar[], value: Scalar): Scalar {
  return conditions.reduceRight<Scalar>(
    (then, condition) => ({
      kind: "select",
      type: value.type,
      condition,
      then,
      otherwise: { kind: "constant", type: value.type, value: zeroOf(value.type) },
    }),
    value,
  );
}

function scalarSum(a: Scalar, b: Scalar): Scalar {
  const { span } = a as Extract<Scalar, { kind: "read" }>;
  return applied("add", [a, b], span);
}

/** Writes the sums, or the means, from the totals into the cells. */
export function finishSum(divisor: number, cells: TypedArray, totals: Float64Array): void {
  const sums = cells as Float64Array;
  for (let k = 0; k < totals.length; k++) sums[k] = totals[k]! / divisor;
}
