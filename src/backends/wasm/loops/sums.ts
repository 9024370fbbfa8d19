// A sum over the steps of a loop, added up as the loop goes. With Σ the sum over everything but the
// step,
//
//   S[0, …] = 0,    S[t + 1, …] = S[t, …] + Σ terms of step t,
//
// all steps of S in one place: a recurrence like any other, of which the last step is the sum.
// Floats are added up in f64, beside the cells of the sum, and rounded into these once.

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

export type SumRider = Rider & { readonly along: { readonly kind: "sum" } };

export function isSum(rider: Rider): rider is SumRider {
  return rider.along.kind === "sum";
}

/** A sum that is being added up. */
export interface RunningSum {
  readonly rider: SumRider;
  readonly element: Exclude<ElementType, Unsized>;
  /**
   * The type in which it is added up: where that is not the type of its cells, it has cells beside
   * them.
   */
  readonly totals: Exclude<ElementType, Unsized>;
  /** The recurrence that adds up, with the step before the other axes. */
  readonly running: Definition;
  readonly sized: Sized;
  readonly layout: Layout;
  /** The steps whose terms there are. */
  readonly from: number;
  readonly to: number;
  readonly cells: number;
  /** What a mean is divided by. */
  readonly divisor: number;
}

const addable: ReadonlySet<ElementType> = new Set(["f32", "f64", "i32", "i64"]);

/** Whether kernels add up a sum: means only where they have as many terms in every cell. */
export function canAddUp({ definition, along }: Rider): boolean {
  if (along.kind !== "sum") return true;
  const [clause] = definition.clauses;
  const body = clause!.body;
  if (body.kind !== "reduce" || body.value.type !== definition.element) return false;
  // Halves would be rounded at every step.
  if (!addable.has(definition.element)) return false;
  if (body.reduction === "sum") return true;
  if (!isFloat(definition.element)) return false;
  const isFixed = (bound: Scalar): boolean => {
    const around = new Set([...clause!.loops, ...body.loops].map((loop) => loop.variable));
    return bound.kind === "integer" && !mentionsAny(bound, around);
  };
  return (
    body.guards.length === 0 && body.loops.every(({ from, to }) => isFixed(from) && isFixed(to))
  );
}

function mentionsAny(
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
  const own = body.loops.find((loop) => loop.variable === along.loop.variable);
  if (!own) throw new Unsupported("a sum over steps that became another");
  const [from, to] = [numberOf(own.from), numberOf(own.to)];
  const totals = isFloat(element) ? "f64" : element;
  const step = newVariable("step");
  const place: Definition = {
    ...definition,
    element: totals,
    origin: "helper",
    axes: [{ extent: constant(Math.max(0, to) + 1) }, ...definition.axes],
    clauses: [],
  };
  const written = definition.clauses[0]!.body as Reduction;
  const inStep = widerThan(element, written) ?? element;
  const terms: Definition = { ...place, element: inStep };
  const here: Replacements = new Map([[own.variable, integerScalar(plus(ofVariable(step), -1))]]);
  const others = body.loops
    .filter((loop) => loop !== own)
    .map((loop) => instantiateLoop(loop, here));
  const guards = body.guards.map((guard) => instantiate(guard, here));
  const value = inType(inStep, instantiate(body.value, here));
  const steps: Loop = {
    variable: step,
    from: integerScalar(constant(from + 1)),
    to: integerScalar(constant(to + 1)),
    reversed: false,
  };
  const loops = [steps, ...clause.loops];
  const cell = (of: Definition, by: number): Scalar => {
    const at = [
      plus(ofVariable(step), by),
      ...clause.loops.map((loop) => ofVariable(loop.variable)),
    ];
    return {
      kind: "read",
      type: of.element,
      definition: of,
      indices: at.map(integerScalar),
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
  const added = inType(totals, others.length > 0 ? cell(terms, 0) : where(guards, value));
  place.clauses = [
    {
      loops,
      guards: [],
      span: clause.span,
      body: { kind: "map", value: sum(cell(place, -1), added) },
    },
  ];
  const clausesOf = (each: Definition): readonly Clause[] =>
    each === place || each === terms ? each.clauses : sizing.clausesOf(each);
  const merged = new Map([...sizing.merged, [terms, place] as const]);
  const kept = [1, ...shape];
  const whole = [Math.max(0, to) + 1, ...shape];
  // Only of a mean every range is known to be as long in every cell.
  const lengthOf = (loop: Loop): number => Math.max(0, numberOf(loop.to) - numberOf(loop.from));
  return {
    rider,
    element,
    totals,
    running: place,
    sized: between(sized(place, whole, { ...sizing, clausesOf, merged }), from + 1),
    layout: {
      element: totals,
      shape: whole,
      strides: stridesOf(kept),
      window: { axis: 0, steps: 1 },
    },
    from,
    to,
    cells: sizeOf(shape),
    divisor:
      body.reduction === "mean"
        ? body.loops.reduce((product, loop) => product * lengthOf(loop), 1)
        : 1,
  };
}

/**
 * Without the steps before the first: there is nothing to be added there, and nothing to begin
 * anew.
 */
function between(all: Sized, first: number): Sized {
  const regions = all.regions.filter(({ sides }) => sides[0]!.to > first);
  if (regions.some(({ sides }) => sides[0]!.from < first))
    throw new Unsupported("steps that could not be told apart");
  return { ...all, regions };
}

/** A value where all conditions hold, 0 elsewhere. */
function where(conditions: readonly Scalar[], value: Scalar): Scalar {
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

function sum(a: Scalar, b: Scalar): Scalar {
  const { span } = a as Extract<Scalar, { kind: "read" }>;
  return { kind: "apply", type: a.type, within: a.type, operation: "add", operands: [a, b], span };
}

/** Puts sums, or means, from their totals where they belong. */
export function finishSum(divisor: number, cells: TypedArray, totals: Float64Array): void {
  const sums = cells as Float64Array;
  for (let k = 0; k < totals.length; k++) sums[k] = totals[k]! / divisor;
}
