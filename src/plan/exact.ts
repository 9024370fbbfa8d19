// Which clauses have the same bits whoever computes them: maps of operations that IEEE 754 and the
// integers leave no choice in.

import { eachScalar, scalarsOf } from "../ir/parts.ts";
import type { Clause } from "../ir/program.ts";
import type { OperationName } from "../scalar/operations.ts";

const exact: ReadonlySet<OperationName> = new Set<OperationName>([
  "add",
  "subtract",
  "multiply",
  "divide",
  "negate",
  "abs",
  "sqrt",
  "max",
  "min",
  "relu",
  "clamp",
  "equal",
  "notEqual",
  "less",
  "lessEqual",
  "greater",
  "greaterEqual",
  "and",
  "or",
  "not",
  "select",
]);

export function isExact(clauses: readonly Clause[]): boolean {
  return clauses.every((clause) => {
    if (clause.body.kind !== "map") return false;
    let fine = true;
    for (const scalar of scalarsOf(clause))
      eachScalar(
        scalar,
        (part) => void (part.kind === "apply" && !exact.has(part.operation) && (fine = false)),
      );
    return fine;
  });
}
