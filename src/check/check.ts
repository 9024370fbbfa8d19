// This folder turns a syntax tree into a typed program, or into a list of everything that is wrong
// with the program. It finds ranges, types and shapes, and it elaborates calls and derivatives of
// functions. It does not parse, and it does not write the indexed form; `lower/` does.

import type * as ast from "../syntax/tree/ast.ts";
import type { Span } from "../base/source.ts";
import { errorCount, newChecker, placeIn, report, type Checker, type Place } from "./context.ts";
import { statements } from "./elaborate.ts";
import { elaborators } from "./elaborator-table.ts";
import { denominatorsIn } from "./names/free-names.ts";
import { checkLiterals } from "./types/literals.ts";
import { checkAmbiguities } from "./names/ambiguities.ts";
import { onceEach } from "./lints/once.ts";
import { dimensionsOf, ownFunctions, scopeInside } from "./names/scope.ts";
import { soundActions } from "./statements/sound.ts";
import {
  checkUncalled,
  checkUncalledLambdas,
  checkUncalledInModules,
} from "./statements/uncalled.ts";
import type { Action, TensorBinding, TypedProgram, ValueBinding } from "./types/typed.ts";
import type { ReadModule } from "./names/read-module.ts";

export interface Checked {
  readonly checker: Checker;
  readonly program: TypedProgram;
}

function spanOfFirstUnsound(all: readonly Action[], kept: readonly Action[]): Span | undefined {
  const lost = all.find((action, k) => kept[k] !== action);
  return lost && (lost.kind === "bind" ? lost.binding.span : lost.span);
}

function bindingsOf(action: Action): readonly (ValueBinding | TensorBinding)[] {
  return action.kind === "bind" ? [action.binding] : [];
}

export interface CheckOptions {
  /**
   * The ranks of inputs declared as `[f32; *]`. They come from the values that the host supplies.
   */
  readonly ranks?: ReadonlyMap<string, number> | undefined;
  /** The positions in the text at which the parser could not read a statement. */
  readonly damage?: readonly number[];
  /** Finds the text of a module that is declared as `mod m;`. */
  readonly readModule?: ReadModule | undefined;
}

export function check(
  module: ast.Module,
  { ranks, damage, readModule }: CheckOptions = {},
): Checked {
  const checker = newChecker(elaborators, ranks, damage, { root: module.source, readModule });
  const scope = scopeInside();
  const place: Place = { ...placeIn(checker, scope), asked: denominatorsIn(module) };
  const done = statements(place, module.statements);
  checkUncalled({ ...place, effects: [] }, ownFunctions(scope));
  checkLiterals(place);
  if (checker.modules.length > 0) checkUncalledInModules(checker);
  checkUncalledLambdas(place);
  checkAmbiguities(checker);
  checker.diagnostics = onceEach(checker.diagnostics, module);
  const isRight =
    checker.damage.length === 0 && checker.unranked.size === 0 && errorCount(place) === 0;
  const actions = soundActions(done);
  // A trial that failed may have left bindings behind. They count only if the program has errors.
  const left = errorCount(place) > 0 ? checker.salvaged : [];
  const salvaged = soundActions(left.map((binding): Action => ({ kind: "bind", binding })));
  // An expression may be dropped without a message only if another message explains why.
  const silenced = checker.silenced ?? spanOfFirstUnsound(done, actions);
  if (isRight && silenced)
    report(place, "E0999", "this is wrong, and the compiler cannot say why", silenced);
  const dimensions = dimensionsOf(scope);
  const inputs = actions.flatMap((action) =>
    action.kind === "bind" && action.binding.kind === "value" && action.binding.role === "input"
      ? [action.binding]
      : [],
  );
  return {
    checker,
    program: { actions, salvaged: salvaged.flatMap(bindingsOf), inputs, dimensions },
  };
}
