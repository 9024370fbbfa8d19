// The checker: from a syntax tree to a typed program, or to everything that is wrong with it.

import type * as ast from "../syntax/ast.ts";
import type { Variable } from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import { newChecker, placeIn, type Checker } from "./context.ts";
import { scopeInside } from "./scope.ts";
import { statements } from "./statements.ts";
import { checkUncalled } from "./uncalled.ts";
import type { TypedProgram } from "./typed.ts";

export interface Checked {
  readonly checker: Checker;
  readonly program: TypedProgram;
}

/** `ranks`: of inputs declared as `[f32; *]`, from the values that the host supplies. */
export function check(module: ast.Module, ranks?: ReadonlyMap<string, number>): Checked {
  const checker = newChecker(ranks);
  const scope = scopeInside();
  const place = placeIn(checker, scope);
  const actions = statements(place, module.statements);
  checkUncalled({ ...place, effects: [] }, scope.functions.values());
  const dimensions = new Map<string, Variable>();
  for (const [name, binding] of scope.names)
    if (binding.kind === "dimension") dimensions.set(name, [...variablesOf(binding.extent)][0]!);
  const inputs = actions.flatMap((action) =>
    action.kind === "bind" && action.binding.kind === "value" && action.binding.role === "input"
      ? [action.binding]
      : [],
  );
  return { checker, program: { actions, inputs, dimensions } };
}
