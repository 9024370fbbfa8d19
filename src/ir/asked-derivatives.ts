// Whether a program asks for derivatives or has rules for them, anywhere in what it computes and prints: most of autodiff is for those that do.

import { eachScalar } from "./parts.ts";
import type { Definition, Program, ScalarFunction } from "./program.ts";
import { callsOf, functionsFrom, readsOf } from "./references.ts";
import { rootsOf } from "./roots.ts";

export function asksForDerivatives(program: Program): boolean {
  return isShown(program) || rootsOf(program).some(isAskedBehind(new Set()));
}

/** `print(@y)`. */
function isShown({ actions }: Program): boolean {
  return actions.some(
    (action) => action.kind === "print" && action.parts.flat().some(({ kind }) => kind === "derivation"),
  );
}

function isAskedBehind(seen: Set<Definition>): (definition: Definition) => boolean {
  return (root) => {
    const waiting = [root];
    for (let definition = waiting.pop(); definition; definition = waiting.pop()) {
      if (seen.has(definition)) continue;
      seen.add(definition);
      if (definition.request || definition.rule) return true;
      for (const called of callsOf(definition))
        for (const each of functionsFrom(called)) if (each.rule || hasSlopes(each)) return true;
      waiting.push(...readsOf(definition));
    }
    return false;
  };
}

/** Whether a function takes derivatives inside. */
export function hasSlopes({ results }: ScalarFunction): boolean {
  let found = false;
  for (const result of results)
    eachScalar(result, (part) => void (found ||= part.kind === "local" && part.local.slope !== undefined));
  return found;
}
