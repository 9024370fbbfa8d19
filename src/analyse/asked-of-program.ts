// Whether a program uses derivatives. The parts of the compiler that serve only derivatives are
// skipped for all other programs.

import type { Program, ScalarFunction } from "../ir/program.ts";
import { callsOf, functionsFrom } from "../ir/references.ts";
import { rootsOf } from "../ir/roots.ts";
import { reachable } from "./schedule.ts";
import { isAnywhere } from "../ir/parts.ts";

/** Whether a program has requests for derivatives, or rules. */
export function asksForDerivatives(program: Program): boolean {
  if (isShown(program)) return true;
  return reachable(rootsOf(program)).some(
    (definition) =>
      definition.request !== undefined ||
      definition.rule !== undefined ||
      [...callsOf(definition)].some((called) =>
        [...functionsFrom(called)].some((each) => each.rule !== undefined || hasSlopes(each)),
      ),
  );
}

/** Whether the program has a `print(@y)`. */
function isShown({ actions }: Program): boolean {
  return actions.some(
    (action) =>
      action.kind === "print" && action.parts.flat().some(({ kind }) => kind === "derivation"),
  );
}

/** Whether a function has requests for derivatives inside. */
export function hasSlopes({ results }: ScalarFunction): boolean {
  return results.some((result) =>
    isAnywhere(result, (part) => part.kind === "local" && part.local.slope !== undefined),
  );
}
