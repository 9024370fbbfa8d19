// `--trap nan`: the first float that is not finite stops the run, with the definition, the cell and what went into it.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import { showScalar } from "../../host/show.ts";
import type { Clause, Definition, Scalar } from "../../ir/program.ts";
import { eachScalar } from "../../ir/program.ts";
import { isFloat, type Scalar as Value } from "../../ir/scalar/types.ts";
import { textOf } from "../../syntax/source.ts";
import type { Machine } from "./machine.ts";
import { compile } from "./scalars.ts";

export function isTrapped(value: Value): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}

/** The clause's coordinates must still stand at the cell. */
export function trapped(
  machine: Machine,
  definition: Definition,
  clause: Clause,
  position: readonly number[],
  value: Value,
): Fault {
  const cell = position.length > 0 ? `${definition.name}[${position.join(", ")}]` : definition.name;
  const { body } = clause;
  const operands = body.kind === "map" ? operandsOf(machine, body.value) : [];
  const coordinates = clause.loops
    .map((loop, axis) => ({ ...loop, at: position[axis]! }))
    .filter(({ fixed }) => !fixed)
    .map(({ variable, at }) => `${variable.name} = ${at}`);
  const shown = [...coordinates, ...operands].join(", ");
  return new Fault(
    error("E0907", `\`${cell}\` is ${showScalar(definition.element, value)}`, clause.span, {
      text: shown ? `with ${shown}` : "the first value that is not finite",
      labels:
        definition.span === clause.span ? [] : [{ span: definition.span, text: `\`${definition.name}\` begins here` }],
      help:
        body.kind === "map"
          ? "look at the operands: one of them is outside the operation's domain"
          : "a term of the reduction is not finite, or their sum overflows",
    }),
  );
}

/** What the body read, as `text = value`. */
function operandsOf(machine: Machine, scalar: Scalar): readonly string[] {
  const shown = new Map<string, string>();
  eachScalar(scalar, (part) => {
    if (part.kind !== "read" || shown.size >= 6 || !isFloat(part.type)) return;
    const text = textOf(part.span);
    if (shown.has(text)) return;
    try {
      shown.set(text, showScalar(part.type, compile(machine, part)()));
    } catch {
      // A read of a branch that was not taken may be out of bounds; it took no part.
    }
  });
  return [...shown].map(([text, value]) => `${text} = ${value}`);
}
