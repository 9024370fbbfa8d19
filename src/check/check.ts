// The checker: from a syntax tree to a typed program, or to everything that is wrong with it.

import type * as ast from "../syntax/ast.ts";
import type { Variable } from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import { newChecker, newFrame, type Checker, type Place } from "./context.ts";
import { scopeInside } from "./scope.ts";
import { statements } from "./statements.ts";
import type { TypedProgram } from "./typed.ts";

export interface Checked {
  readonly checker: Checker;
  readonly program: TypedProgram;
}

export function check(module: ast.Module): Checked {
  const checker = newChecker();
  const scope = scopeInside();
  const place: Place = { checker, scope, frame: newFrame(), guarded: new Set(), filters: [], depth: 0 };
  const actions = statements(place, module.statements);
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
