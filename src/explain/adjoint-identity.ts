// The adjoint identity ⟨J·v, w⟩ = ⟨v, Jᵀ·w⟩: forward mode and reverse mode of one program, held to each other in f64.

import { backward } from "../autodiff/backward.ts";
import type { Workshop } from "../autodiff/sweep.ts";
import { newDefinition } from "../autodiff/cells.ts";
import { forward } from "../autodiff/forward.ts";
import { addNeeds } from "../autodiff/requests.ts";
import { evaluateAt } from "../backends/interpret/run.ts";
import { fromScalars, type TensorValue } from "../host/value.ts";
import { analyse } from "../ir/analyse.ts";
import { claim, type Definition } from "../ir/program.ts";
import { reachable } from "../ir/schedule.ts";
import { uniform } from "../ir/scalar/random.ts";
import { numbersOf, type Setting } from "./moving.ts";

/** How far the two sides are apart, relative to the terms that are summed; nothing where one of the modes cannot be had. */
export function adjointError(setting: Setting, of: Definition, wrt: Definition): number | undefined {
  const { program, analysis, inputs, extents } = setting;
  const names = new Set(program.names);
  const workshop: Workshop = { claim: (wanted) => claim(names, wanted), extents };
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
  const found = analyse(whole, extents);
  if (found.diagnostics.some(({ level }) => level === "error")) return undefined;
  const drawn = (definition: Definition, seed: number): TensorValue => {
    const { shape, data } = evaluateAt(program, analysis, inputs, new Map(), definition);
    return fromScalars(
      "f64",
      shape,
      Array.from({ length: data.length }, (_, k) => uniform(seed, k) - 0.5),
    );
  };
  const [v, w] = [drawn(wrt, 1), drawn(of, 2)];
  const held = new Map([[direction, v], [weights, w]]); // prettier-ignore
  const [jv, jw] = [tangent, adjoint].map((definition) =>
    numbersOf(evaluateAt(whole, found, inputs, held, definition)),
  );
  const forwards = dot(jv!, numbersOf(w));
  const backwards = dot(jw!, numbersOf(v));
  const apart = Math.abs(forwards.sum - backwards.sum);
  // Where everything cancels, what is left is the rounding of terms that nobody sees here.
  return apart === 0 ? 0 : apart / Math.max(forwards.size, backwards.size, 1e-6);
}

function dot(a: readonly number[], b: readonly number[]): { readonly sum: number; readonly size: number } {
  const terms = a.map((x, k) => x * b[k]!);
  return {
    sum: terms.reduce((total, term) => total + term, 0),
    size: terms.reduce((total, term) => total + Math.abs(term), 0),
  };
}
