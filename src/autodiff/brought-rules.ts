// Whether the rules of a program are linear (linearity.ts), once somebody has brought it: a page loads it for programs with rules of their own.

import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Definition, Program, ScalarFunction } from "../ir/program.ts";
import { callsOf, functionsFrom } from "../ir/references.ts";
import { rootsOf } from "../ir/roots.ts";
import { reachable } from "../ir/schedule.ts";
import { brought } from "../part-missing.ts";
import type * as linearity from "./linearity.ts";

const place = brought<typeof linearity>("rules");

export const bringRules = place.bring;

/** What is wrong with the rules of definitions and of functions that stay functions. */
export function checkRules(program: Program): readonly Diagnostic[] {
  const ruled: Definition[] = [];
  const functions = new Set<ScalarFunction>();
  for (const definition of reachable(rootsOf(program))) {
    if (definition.rule) ruled.push(definition);
    for (const called of callsOf(definition))
      for (const each of functionsFrom(called)) if (each.rule) functions.add(each);
  }
  if (ruled.length === 0 && functions.size === 0) return [];
  const { checkFunctionRule, checkRule } = place.get();
  return [...ruled.flatMap(checkRule), ...[...functions].flatMap(checkFunctionRule)];
}
