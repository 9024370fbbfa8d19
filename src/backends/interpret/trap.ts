// `--trap nan`: the first float that is not finite stops the run. The message names the definition,
// the cell, the step, and the values from which the float was computed.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import { showScalar } from "../../scalar/values/show.ts";
import type { Clause, Definition } from "../../ir/program.ts";
import type { Scalar as Value } from "../../scalar/types.ts";
import { nameInSource } from "../../analyse/name-in-source.ts";
import { cellInSource, coordinates, whereabouts } from "./blame.ts";
import type { Machine } from "./machine.ts";
import { finiteOperands, operandsOf } from "./scalars/operands.ts";
import { prepareLoop, walkLoops, type Reduction } from "./reduce.ts";
import { compile, compileWhole } from "./scalars/scalars.ts";
import { isTrapped, type TrappedLocal } from "./trap-values.ts";

/** The fault of a cell. The clause's coordinates must still have the values of the cell. */
export function trapped(
  machine: Machine,
  definition: Definition,
  clause: Clause,
  position: readonly number[],
  value: Value,
): Fault {
  const cell = cellInSource(definition, position) ?? nameInSource(definition);
  const { body } = clause;
  const at = whereabouts(machine, clause);
  const terms = body.kind === "map" ? undefined : termsUntilTrapped(machine, body);
  const operands = body.kind === "map" ? operandsOf(machine, body.value) : (terms?.first ?? []);
  const shown = [...at, ...operands].join(", ");
  return new Fault(
    error("E0907", `\`${cell}\` is ${showScalar(definition.element, value)}`, clause.span, {
      text: shown ? `with ${shown}` : "the first value that is not finite",
      labels:
        definition.span === clause.span
          ? []
          : [{ span: definition.span, text: `\`${nameInSource(definition)}\` begins here` }],
      help: terms
        ? reasonOf(terms)
        : "look at the operands: one of them is outside the operation's domain",
    }),
  );
}

/** The fault of a local name in the body of a cell. */
export function trappedLocal(
  machine: Machine,
  definition: Definition,
  clause: Clause,
  position: readonly number[],
  { local, value }: TrappedLocal,
): Fault {
  const cell = cellInSource(definition, position);
  const { body } = clause;
  const reduced = body.kind === "map" ? [] : coordinates(machine, body.loops);
  const shown = [
    ...whereabouts(machine, clause),
    ...reduced,
    ...finiteOperands(machine, local),
  ].join(", ");
  const named = `\`${local.name}\`${cell ? ` in \`${cell}\`` : ""}`;
  return new Fault(
    error("E0907", `${named} is ${showScalar(local.value.type, value)}`, clause.span, {
      text: shown ? `with ${shown}` : "the first value that is not finite",
      help: "look at the operands: one of them is outside the operation's domain",
    }),
  );
}

interface Terms {
  readonly count: number;
  /** The coordinates and operands of the first term that is not finite. */
  readonly first?: readonly string[];
}

function reasonOf({ count, first }: Terms): string {
  if (first) return "this is the first term of the reduction that is not finite";
  return count === 0
    ? "no element passed: of nothing the reduction is not finite"
    : "every term of the reduction is finite, and together they overflow";
}

function termsUntilTrapped(machine: Machine, body: Reduction): Terms {
  const loops = body.loops.map((loop) => prepareLoop(machine, loop));
  const guards = body.guards.map((guard) => compile(machine, guard));
  const value = compileWhole(machine, body.value);
  let first: readonly string[] | undefined;
  let count = 0;
  walkLoops(machine, loops, () => {
    if (first || !guards.every((guard) => guard())) return;
    count++;
    if (isTrapped(value()))
      first = [...coordinates(machine, body.loops), ...operandsOf(machine, body.value)];
  });
  return { count, ...(first ? { first } : {}) };
}
