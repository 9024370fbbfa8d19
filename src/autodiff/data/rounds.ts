// What the frames of a loop have (frames.ts), where its rounds are taken back, and what they need
// not be asked for.

import type { Variable } from "../../affine/term.ts";
import { keyOf } from "../../ir/keys.ts";
import type { Parameter, Scalar, ScalarFunction } from "../../ir/program.ts";
import { named, partAt, valueOf, type Ends, type Plan } from "./frames.ts";

/**
 * Where a frame of a loop has whether its round is the first one, and the frame of the round
 * before; the arguments stand before them.
 */
export function loopSlots({ parameters }: ScalarFunction): {
  readonly isFirst: number;
  readonly before: number;
} {
  return { isFirst: parameters.length, before: parameters.length + 1 };
}

/** The parameters that all rounds have been given alike. */
export function steadyIn({ of, ends }: Plan): readonly Parameter[] {
  const rounds = againIn(ends);
  return of.parameters.filter((parameter, k) => {
    const same = keyOf(valueOf(parameter));
    return rounds.every((given) => keyOf(given[k]!) === same);
  });
}

/** What stands in a round for the other parameters: its frame has them. */
export function argumentsIn(plan: Plan, frame: Scalar): ReadonlyMap<Variable, Scalar> {
  const steady = steadyIn(plan);
  const all = plan.of.parameters.map((parameter, k) => ({ parameter, k }));
  const moving = all.filter(({ parameter }) => !steady.includes(parameter));
  return new Map(
    moving.map(({ parameter: { name, type, variable: v }, k }) => [
      v,
      named(name, partAt(frame, k, type)),
    ]),
  );
}

/** What a loop goes on with, at each of its ends. */
function againIn(ends: Ends): readonly (readonly Scalar[])[] {
  if (ends.kind === "branch") return [...againIn(ends.then), ...againIn(ends.otherwise)];
  return ends.kind === "again" ? [ends.invocation.arguments] : [];
}
