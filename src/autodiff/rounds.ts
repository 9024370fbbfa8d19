// What the frames of a loop have (frames.ts), where its rounds are taken back, and what they need not be asked for.

import { keyOf } from "../ir/keys.ts";
import type { Scalar, ScalarFunction } from "../ir/program.ts";
import { partAt, valueOf, type Ends, type Plan } from "./frames.ts";

/** Where a frame of a loop has how many rounds were before, and the frame of the round before; the arguments stand before them. */
export function loopSlots({ parameters }: ScalarFunction): { readonly steps: number; readonly before: number } {
  return { steps: parameters.length, before: parameters.length + 1 };
}

/** The arguments of a round: what all rounds have been given is there already, the others are in the frame. */
export function argumentsIn({ of, ends }: Plan, frame: Scalar): readonly Scalar[] {
  const rounds = againIn(ends);
  return of.parameters.map((parameter, k) => {
    const same = valueOf(parameter);
    const isSame = rounds.every((given) => keyOf(given[k]!) === keyOf(same));
    return isSame ? same : partAt(frame, k, parameter.type);
  });
}

/** What a loop goes on with, at each of its ends. */
function againIn(ends: Ends): readonly (readonly Scalar[])[] {
  if (ends.kind === "branch") return [...againIn(ends.then), ...againIn(ends.otherwise)];
  return ends.kind === "again" ? [ends.invocation.arguments] : [];
}
