// Derivatives through structs and enums that a run passes by reference: they have no adjoint of their own, so that what makes them is put in
// the place where they are read, and the derivative goes on to the floats that they are made of.

import type { Definition, Local, Scalar } from "../ir/program.ts";
import { eachScalar, mapParts, partsOf, readsOf } from "../ir/program.ts";
import { instantiate } from "../ir/substitute.ts";
import type { Span } from "../syntax/source.ts";

const nowhere: Span = { source: { name: "<compiler>", text: "" }, start: 0, end: 0 };

function readsData(scalar: Scalar): boolean {
  let found = false;
  eachScalar(scalar, (part) => {
    if (part.kind === "read" && part.type === "data") found = true;
  });
  return found;
}

/** The scalar with the makings of data in the place of reads of it. */
export function withoutDataReads(root: Scalar): Scalar {
  if (!readsData(root)) return root;
  const made = new Map<Definition, Local>();
  const copies = new Map<Local, Local>();
  const change = (scalar: Scalar): Scalar => {
    if (scalar.kind === "local") {
      let copy = copies.get(scalar.local);
      if (!copy) copies.set(scalar.local, (copy = { name: scalar.local.name, value: change(scalar.local.value) }));
      return { ...scalar, local: copy };
    }
    if (scalar.kind !== "read" || scalar.type !== "data") return mapParts(scalar, change);
    if (scalar.indices.length > 0) return change(makingOf(scalar.definition, scalar.indices));
    let local = made.get(scalar.definition);
    if (!local) {
      local = { name: scalar.definition.name, value: change(makingOf(scalar.definition, [])) };
      made.set(scalar.definition, local);
    }
    return { kind: "local", type: "data", local };
  };
  return change(root);
}

/** The value of one cell: of the last clause that owns it. */
function makingOf({ clauses }: Definition, indices: readonly Scalar[]): Scalar {
  const none: Scalar = { kind: "constant", type: "data", value: [] };
  return clauses.reduce<Scalar>((before, { loops, guards, body }) => {
    const by = new Map(loops.map((loop, k) => [loop.variable, indices[k]!]));
    const value = instantiate(body.value, by);
    const within = clauses.length === 1 ? [] : loops.flatMap((loop, k) => inside(loop.from, indices[k]!, loop.to));
    const conditions = [...within, ...guards.map((guard) => instantiate(guard, by))];
    return conditions.reduceRight<Scalar>(
      (then, condition) => ({ kind: "select", type: "data", condition, then, otherwise: before }),
      value,
    );
  }, none);
}

function inside(from: Scalar, index: Scalar, to: Scalar): readonly Scalar[] {
  const compared = (operation: "lessEqual" | "less", operands: readonly Scalar[]): Scalar => {
    return { kind: "apply", type: "bool", within: "i32", operation, operands, span: nowhere };
  };
  return [compared("lessEqual", [from, index]), compared("less", [index, to])];
}

/** What a definition reads, and through data that it reads, what that is made of. */
export function readsThroughData(definition: Definition): readonly Definition[] {
  const found = new Set(readsOf(definition));
  for (const read of found) if (read.element === "data") for (const further of readsOf(read)) found.add(further);
  return [...found];
}

/** Whether data stands among the parts of a scalar right inside it. */
export function takesData(scalar: Scalar): boolean {
  return partsOf(scalar).some((part) => part.type === "data");
}
