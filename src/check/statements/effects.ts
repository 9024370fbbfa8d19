// The values that an effect (a print, an assertion or a call that prints) depends on.

import type { Effect, Typed } from "../types/typed.ts";

/** The values that an effect needs, its conditions first. */
export function partsOfEffect(effect: Effect): readonly Typed[] {
  const conditions = effect.when.map((branch) => branch.condition);
  switch (effect.kind) {
    case "print":
      return [...conditions, ...effect.values];
    case "assert":
      return [...conditions, effect.condition, ...(effect.message ? [effect.message] : [])];
    case "call":
      return [...conditions, ...effect.invocation.arguments];
    default:
      return effect satisfies never;
  }
}
