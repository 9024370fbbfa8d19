// Lints and the help for single kinds of mistakes in a checked program live here; the checks that
// decide whether a program is right do not. This file silences lints: `allow(W0301)` before a
// statement silences that lint inside the statement, whichever stage of the compiler reports it.

import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { parse } from "../../syntax/parse/parser.ts";
import type { Source } from "../../base/source.ts";
import { statementsIn } from "../names/free-names.ts";

const known = new WeakMap<Source, readonly ast.Statement[]>();

/** All statements of a text, including those inside functions and blocks. */
export function statementsOf(source: Source): readonly ast.Statement[] {
  let all = known.get(source);
  if (!all) known.set(source, (all = statementsIn(parse(source).module.statements)));
  return all;
}

/** The messages without those that a statement around them allows. */
export function withoutAllowed(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter(({ level, code, span }) => {
    if (level !== "warning" || !span) return true;
    return !statementsOf(span.source).some(
      ({ allow, span: around }) =>
        allow.some((name) => name.text === code) &&
        around.start <= span.start &&
        span.end <= around.end,
    );
  });
}
