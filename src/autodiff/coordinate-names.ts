// What the coordinates of an adjoint are called: as in the declaration, else as where the value is first read.

import { variablesOf } from "../ir/affine/visit.ts";
import { eachScalar, scalarsOf, type Definition, type Scalar } from "../ir/program.ts";
import type { Activity } from "./activity.ts";

const letters = ["i", "j", "k", "l", "m", "n", "p", "q"];

export function coordinateNames(activity: Activity, definition: Definition): readonly string[] {
  const declared = definition.axes.map((axis) => axis.name);
  const use =
    declared.some((name) => name === undefined) || new Set(declared).size < declared.length
      ? firstUse(activity, definition)
      : undefined;
  const taken = new Set<string>();
  const repeated = (name: string | undefined): boolean => declared.filter((other) => other === name).length > 1;
  return definition.axes.map((_, k) => {
    const own = declared[k];
    const wanted = own !== undefined && !repeated(own) ? own : indexName(use?.indices[k]);
    const name =
      wanted !== undefined && !taken.has(wanted)
        ? wanted
        : letters.find((letter) => !taken.has(letter) && !declared.includes(letter))!;
    taken.add(name);
    return name;
  });
}

function indexName(index: Scalar | undefined): string | undefined {
  if (index?.kind !== "integer") return undefined;
  const [only, ...others] = variablesOf(index.term);
  const { constant, parts } = index.term;
  return only && others.length === 0 && constant === 0 && parts[0]!.coefficient === 1 && parts[0]!.factors.length === 1
    ? only.name
    : undefined;
}

/** The read that stands first in the source. */
function firstUse(activity: Activity, definition: Definition): Extract<Scalar, { kind: "read" }> | undefined {
  let first: Extract<Scalar, { kind: "read" }> | undefined;
  for (const reader of activity.all) {
    for (const scalar of reader.clauses.flatMap(scalarsOf)) {
      eachScalar(scalar, (part) => {
        if (part.kind === "read" && part.definition === definition && (!first || part.span.start < first.span.start))
          first = part;
      });
    }
  }
  return first;
}
