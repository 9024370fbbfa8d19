// Decides which clauses give the same bits on every backend: maps whose operations are determined
// exactly by IEEE 754 or by integer arithmetic. `a * b + c` is exact; `exp(a)` and `sum[i](a[i])`
// are not.

import { eachScalar, scalarsOf } from "../ir/parts.ts";
import type { Clause } from "../ir/program.ts";
import type { OperationName } from "../scalar/operations.ts";

const exactOperations: ReadonlySet<OperationName> = new Set<OperationName>([
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
    let isExactSoFar = true;
    for (const scalar of scalarsOf(clause))
      eachScalar(
        scalar,
        (part) =>
          void (
            part.kind === "apply" &&
            !exactOperations.has(part.operation) &&
            (isExactSoFar = false)
          ),
      );
    return isExactSoFar;
  });
}
