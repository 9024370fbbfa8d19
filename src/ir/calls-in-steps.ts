// Functions that the steps of a recurrence call: what they read of it, and the arrays that they make of it.

import type { Typed } from "../check/typed.ts";
import type { TensorType } from "../check/types.ts";
import { dependsOnLookup } from "./lower-around.ts";
import type { Site } from "./lower-site.ts";
import { refersTo } from "./outer-variables.ts";
import { eachScalar, scalarsOf } from "./parts.ts";
import type { Definition, Scalar, ScalarFunction } from "./program.ts";
import { readsOfFunction } from "./references.ts";
import type { Edge } from "./schedule.ts";

/** What the functions that a member of a recurrence calls read of the other members. */
export function readsInFunctions(reader: Definition, members: ReadonlySet<Definition>): readonly Edge[] {
  return reader.clauses.flatMap((clause) => {
    const called = new Set<ScalarFunction>();
    for (const scalar of scalarsOf(clause))
      eachScalar(scalar, (part) => void (part.kind === "call" && called.add(part.invocation.function)));
    const reads = new Set([...called].flatMap((each) => [...readsOfFunction(each)]));
    const others = [...reads].filter((definition) => definition !== reader && members.has(definition));
    return others.map((definition): Edge => {
      const { span, loops } = clause;
      const read: Extract<Scalar, { kind: "read" }> = { kind: "read", type: definition.element, definition, indices: [], span }; // prettier-ignore
      return { reader, clause, access: { read, facts: [], exact: false, loops }, inFunction: true };
    });
  });
}

/**
 * Whether an array that a function makes at each step is made of what the recurrence has had so far: its cells are read where they are made, since the longest
 * of all of them is not known before the last step.
 */
export function isOfStep({ lowering, function: around }: Site, value: Typed): boolean {
  const { axes } = value.type as TensorType;
  if (around || !axes.some(({ extent }) => extent && dependsOnLookup(lowering, extent))) return false;
  return refersTo(value, (binding) => {
    const known = binding.kind === "tensor" ? lowering.lowered.get(binding) : undefined;
    return known?.definition.clauses.length === 0;
  });
}
