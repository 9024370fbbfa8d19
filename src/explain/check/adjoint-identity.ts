// Compares forward mode and reverse mode of one program in f64, by the adjoint identity:
//
//    ⟨J·v, w⟩ = ⟨v, Jᵀ·w⟩   for random v and w

import { backward } from "../../autodiff/sweep/backward.ts";
import type { Workshop } from "../../autodiff/sweep/sweep.ts";
import { newDefinition } from "../../autodiff/sweep/cells.ts";
import { forward } from "../../autodiff/sweep/forward.ts";
import { addNeeds } from "../../autodiff/requests/requests.ts";
import { evaluateAt } from "../../run/run.ts";
import { fromScalars, type TensorValue } from "../../scalar/values/value.ts";
import { knownOfSizes } from "../../affine/agreeing.ts";
import { analyse } from "../../analyse/analyse.ts";
import type { Definition } from "../../ir/program.ts";
import { claim } from "../../base/claim.ts";
import { reachable } from "../../analyse/schedule.ts";
import { uniform } from "../../scalar/random.ts";
import { numbersOf, type Setting } from "./moving.ts";

/**
 * The difference of the two sides, relative to the sizes of the terms in the sums. `undefined`: one
 * of the two modes cannot be derived.
 */
export function adjointError(
  setting: Setting,
  of: Definition,
  wrt: Definition,
): number | undefined {
  const { program, analysis, inputs, extents } = setting;
  const names = new Set(program.names);
  const workshop: Workshop = {
    claim: (wanted) => claim(names, wanted),
    known: knownOfSizes(program, extents),
  };
  const direction = newDefinition(workshop.claim("direction"), wrt.element, wrt.axes, [], wrt.span);
  const weights = newDefinition(workshop.claim("weights"), of.element, of.axes, [], of.span);
  const pushed = forward(of, wrt, workshop, direction);
  const pulled = backward(of, [wrt], workshop, { seed: weights });
  const [tangent, adjoint] = [pushed.adjoints.get(wrt), pulled.adjoints.get(wrt)];
  if (!tangent || !adjoint || pushed.problems.length + pulled.problems.length > 0) return undefined;
  for (const definition of reachable([tangent, adjoint])) addNeeds(program, definition);
  const asked = [direction, weights, tangent, adjoint];
  const outputs = new Map([
    ...program.outputs,
    ...asked.map((definition) => [definition.name, { definition }] as const),
  ]);
  const whole = { ...program, outputs };
  const wholeAnalysis = analyse(whole, extents);
  if (wholeAnalysis.diagnostics.some(({ level }) => level === "error")) return undefined;
  const valueOf = (definition: Definition): TensorValue =>
    evaluateAt(program, analysis, inputs, new Map(), definition);
  const [x, y] = [valueOf(wrt), valueOf(of)];
  const [v, w] = [drawnLike(x, 1), drawnLike(y, 2)];
  const held = new Map([
    [direction, v],
    [weights, w],
  ]);
  const [jv, jw] = [tangent, adjoint].map((definition) =>
    numbersOf(evaluateAt(whole, wholeAnalysis, inputs, held, definition)),
  );
  const forwards = dot(jv!, numbersOf(w));
  const backwards = dot(jw!, numbersOf(v));
  const apart = Math.abs(forwards.sum - backwards.sum);
  if (apart === 0) return 0;
  // If everything cancels, only rounding errors of larger terms are left. These terms are about as
  // large as y · w, scaled by the relative size of the direction v. So the units of x and y do not
  // matter.
  const [from, by] = [largest(numbersOf(x)), largest(numbersOf(v))];
  const relative = cancelledShare * (from === 0 ? by : by / from);
  const error =
    apart /
    Math.max(forwards.size, backwards.size, relative * dot(numbersOf(y), numbersOf(w)).size);
  if (error <= adjointTolerance) return error;
  // y itself may be the rest of terms that cancel. So the values between x and y set the scale,
  // too.
  const onTheWay = new Set(reachable([of, adjoint]));
  const sizes = [...pulled.trace.adjoints].flatMap(([between, own]) => {
    if (!onTheWay.has(between) || !onTheWay.has(own)) return [];
    const [value, slope] = [between, own].map((each) =>
      numbersOf(evaluateAt(whole, wholeAnalysis, inputs, held, each)),
    );
    return dot(value!, slope!).size;
  });
  return Math.min(error, apart / (relative * Math.max(0, ...sizes.filter(Number.isFinite))));
}

/** The largest accepted difference of the two sides. */
export const adjointTolerance = 1e-10;

/**
 * The share of the expected size that may be lost by cancellation. Together with the tolerance,
 * this allows a few rounding errors of the terms that cancel.
 */
const cancelledShare = 1e-5;

function drawnLike({ shape, data }: TensorValue, seed: number): TensorValue {
  return fromScalars(
    "f64",
    shape,
    Array.from({ length: data.length }, (_, k) => uniform(seed, k) - 0.5),
  );
}

function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
}

function dot(
  a: readonly number[],
  b: readonly number[],
): { readonly sum: number; readonly size: number } {
  const terms = a.map((x, k) => x * b[k]!);
  return {
    sum: terms.reduce((total, term) => total + term, 0),
    size: terms.reduce((total, term) => total + Math.abs(term), 0),
  };
}
