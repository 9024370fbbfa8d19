// Cells are counted from 0: a range on the left that starts below 0 is an error, unless it is
// empty.
//
//   let y[i in -1..3] = x[i + 1];      E0309

import { error, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { constant, constantOf, type Variable } from "../../affine/term.ts";
import { substitute } from "../../affine/visit.ts";
import {
  contradictory,
  holds,
  lessThan,
  nonNegative,
  prove,
  type Fact,
} from "../../affine/prove.ts";
import { show } from "../../affine/show.ts";
import type { RunCheck } from "./bounds.ts";
import { boundsOf, type Opaque } from "../facts.ts";
import { nameInSource } from "../name-in-source.ts";
import type { Clause, Definition, Loop } from "../../ir/program.ts";

/** The ranges on the left side that do not start at 0 at sight. */
export function rangesOf({ outer }: Definition, { loops }: Clause): readonly Loop[] {
  return loops
    .slice(outer)
    .filter(
      ({ fixed, from }) => !fixed && !(from.kind === "integer" && constantOf(from.term) === 0),
    );
}

export function checkStarts(
  opaque: Opaque,
  definition: Definition,
  known: readonly Fact[],
  pinned: ReadonlyMap<Variable, number>,
): { readonly diagnostics: readonly Diagnostic[]; readonly checks: readonly RunCheck[] } {
  const diagnostics: Diagnostic[] = [];
  const checks: RunCheck[] = [];
  const values = new Map([...pinned].map(([v, value]) => [v, constant(value)]));
  for (const clause of definition.clauses) {
    for (const loop of rangesOf(definition, clause)) {
      const { from, to } = boundsOf(opaque, loop, known);
      const running = [...known, lessThan(from, to)];
      if (holds(nonNegative(from), running) || contradictory(running)) continue;
      if (prove(nonNegative(from), known) === "false")
        diagnostics.push(startsBelow(definition, clause, loop, show(substitute(from, values))));
      else
        checks.push({
          text: `\`${loop.variable.name}\` starts at 0 or above: ${show(from)} >= 0`,
          span: clause.span,
        });
    }
  }
  return { diagnostics, checks };
}

/** `start` is the value at which the range starts. */
export function startsBelow(
  definition: Definition,
  clause: Clause,
  { variable, from }: Loop,
  start: string,
): Diagnostic {
  const tensor = nameInSource(definition);
  const written = from.kind === "integer" ? show(from.term) : start;
  const isShown = written !== start;
  return error(
    "E0309",
    `the cells of \`${tensor}\` are counted from 0, and \`${variable.name}\` starts at ${start}`,
    clause.span,
    {
      ...(isShown ? { text: `\`${written}\` is ${start}` } : {}),
      help:
        "start at 0 and write the shift on the " +
        `right${
          isShown
            ? `, or leave the cells below out: \`${variable.name} in max(${written}, 0)..…\``
            : ""
        }`,
    },
  );
}
