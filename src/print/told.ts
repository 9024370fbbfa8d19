// Which definitions of printed recurrences have lines that do not tell their element type.
//
// A read tells its type to the literals beside it. But if a recurrence reads only its own members,
// no line tells the type, and
//
//   let d_v[t in rev(0..4)] = (if t == 3 { 1 } else { 0 }) + d_v[t + 1];
//
// would be a tensor of integers. Reads of such definitions are ignored, so that a literal tells the
// type: `1.0`.

import { tellsItsType } from "./scalar.ts";
import type { Clause, Definition, Scalar } from "../ir/program.ts";
import { operations } from "../scalar/operations.ts";

/** The definitions of a recurrence whose lines tell their type only by reading one another. */
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

/** A value of literals alone is written with its type, and a fraction is an `f32` everywhere. */
function tells(value: Scalar, open: ReadonlySet<Definition>): boolean {
  const written = { local: () => undefined };
  const untold = (definition: Definition): boolean => open.has(definition);
  return (
    tellsItsType({ ...written, untold }, value) ||
    !tellsItsType(written, value) ||
    hasFraction(value)
  );
}

/** Whether a literal that has the type of the whole value is no integer. */
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

/** The values of the cells of a clause, or the values that are reduced. */
function valuesOf({ body, otherwise }: Clause): readonly Scalar[] {
  return [body.value, ...(otherwise ? [otherwise] : [])];
}
