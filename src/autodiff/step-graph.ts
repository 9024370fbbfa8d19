// What a derivative depends on within one step of a recurrence: reads at the same step. Reads of other steps are constants.
//
// Every definition on the way has one axis that is the step. It is found from the numerator on: where the clause stands at step t,
// a read whose index along some axis is t itself is a read of the same step, and that axis is the step of what is read.

import { equal, ofVariable } from "../ir/affine/term.ts";
import { eachScalar, scalarsOf, type Clause, type Definition, type Scalar } from "../ir/program.ts";
import type { Graph } from "./graph.ts";

type Read = Extract<Scalar, { kind: "read" }>;

export interface StepGraph extends Graph {
  /** Is this read, in a clause of the definition, one of the same step? */
  readonly isSameStep: (reader: Definition, clause: Clause, read: Read) => boolean;
  /** The axis of a definition that is the step. */
  readonly stepAxis: (definition: Definition) => number | undefined;
}

export function stepGraphOf(root: Definition, axis: number): StepGraph {
  const steps = new Map<Definition, number>([[root, axis]]);
  const ways = new Map<Definition, readonly Definition[]>();
  for (const [definition, step] of steps) {
    const found = new Set<Definition>();
    for (const clause of definition.clauses) {
      for (const scalar of scalarsOf(clause)) {
        eachScalar(scalar, (part) => {
          if (part.kind !== "read") return;
          const at = stepOf(clause, step, part);
          if (at === undefined || (steps.has(part.definition) && steps.get(part.definition) !== at)) return;
          steps.set(part.definition, at);
          found.add(part.definition);
        });
      }
    }
    ways.set(definition, [...found]);
  }
  return {
    all: [...steps.keys()],
    ways: (definition) => ways.get(definition) ?? [],
    parameterOf: () => undefined,
    isTangent: () => false,
    stepAxis: (definition) => steps.get(definition),
    isSameStep: (reader, clause, read) => {
      const step = steps.get(reader);
      return (
        step !== undefined && steps.has(read.definition) && stepOf(clause, step, read) === steps.get(read.definition)
      );
    },
  };
}

/** The axis along which a read stands at the step of its clause. */
function stepOf(clause: Clause, step: number, read: Read): number | undefined {
  const here = ofVariable(clause.loops[step]!.variable);
  const at = read.indices.findIndex((index) => index.kind === "integer" && equal(index.term, here));
  return at < 0 ? undefined : at;
}
