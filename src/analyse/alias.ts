// Definitions that only rename a whole tensor: `let y[i, j] = x[i, j];` over all cells of `x`.

import { equal, ofVariable } from "../affine/term.ts";
import type { Definition } from "../ir/program.ts";

/** The tensor that a definition renames, if it is only another name. */
export function aliased(definition: Definition): Definition | undefined {
  const [clause, another] = definition.clauses;
  if (!clause || another || clause.body.kind !== "map" || clause.guards.length > 0)
    return undefined;
  const { value } = clause.body;
  if (value.kind !== "read" || value.definition.axes.length !== clause.loops.length)
    return undefined;
  const isWhole =
    value.definition.axes.every((axis, k) => equal(axis.extent, definition.axes[k]!.extent)) &&
    value.indices.every(
      (index, k) =>
        index.kind === "integer" && equal(index.term, ofVariable(clause.loops[k]!.variable)),
    );
  return isWhole ? value.definition : undefined;
}
