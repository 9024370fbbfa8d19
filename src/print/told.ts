// Which definitions of printed recurrences have their element type from none of their lines.
//
// A read says its type to the literals beside it. If those of a recurrence's own members are all
// there is, the type comes from nowhere, and `let d_v[t in rev(0..4)] = (if t == 3 { 1 } else { 0
// }) + d_v[t + 1]` would be one of integers. Such reads tell nothing, so that a literal says what
// it is: `1.0`.

import { anchored } from "./scalar.ts";
import type { Clause, Definition, Scalar } from "../ir/program.ts";
import { operations } from "../scalar/operations.ts";

/** The definitions of a recurrence whose lines say their type only by reading one another. */
export function untoldIn(recurrence: readonly Definition[]): ReadonlySet<Definition> {
  const open = new Set(recurrence);
  for (;;) {
    const told = [...open].filter(({ clauses }) =>
      clauses.flatMap(valuesOf).some((value) => tells(value, open)),
    );
    if (told.length === 0) return open;
    for (const definition of told) open.delete(definition);
  }
}

/** Literals alone are written with their type, and a fraction is an `f32` wherever it stands. */
function tells(value: Scalar, open: ReadonlySet<Definition>): boolean {
  const written = { local: () => undefined };
  const untold = (definition: Definition): boolean => open.has(definition);
  return anchored({ ...written, untold }, value) || !anchored(written, value) || hasFraction(value);
}

/** Whether one of the literals that have the type of the whole is no integer. */
function hasFraction(value: Scalar): boolean {
  switch (value.kind) {
    case "constant":
      return value.type === "f32" && !Number.isInteger(value.value);
    case "apply": {
      const { signature } = operations[value.operation];
      return value.operands.some(
        (operand, k) => signature.operands[k] === "T" && hasFraction(operand),
      );
    }
    case "select":
      return hasFraction(value.then) || hasFraction(value.otherwise);
    case "local":
      return hasFraction(value.local.value);
    default:
      return false;
  }
}

/** What the cells of a clause are, or are reduced from. */
function valuesOf({ body, otherwise }: Clause): readonly Scalar[] {
  return [body.value, ...(otherwise ? [otherwise] : [])];
}
