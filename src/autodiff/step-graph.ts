// What a derivative depends on within one step of a recurrence: reads at the same step. Reads of other steps are constants.
//
// Every definition on the way has one axis that is the step. It is found from the numerator on: where the clause stands at step t,
// a read whose index along some axis is t itself is a read of the same step, and that axis is the step of what is read. A rule's tangent
// and the parameters behind its stand-ins have the axes of what they belong to.

import { equal, ofVariable } from "../ir/affine/term.ts";
import { integerOf } from "../ir/integers.ts";
import { eachScalar, scalarsOf } from "../ir/parts.ts";
import type { Clause, Definition, Scalar } from "../ir/program.ts";
import { dependents, type Graph } from "./graph.ts";

type Read = Extract<Scalar, { kind: "read" }>;

export interface StepGraph extends Graph {
  /** Is this read, in a clause of the definition, one of the same step? */
  readonly isSameStep: (reader: Definition, clause: Clause, read: Read) => boolean;
  /** The axis of a definition that is the step. */
  readonly stepAxis: (definition: Definition) => number | undefined;
}

export function isStepGraph(graph: Graph): graph is StepGraph {
  return "isSameStep" in graph;
}

export function stepGraphOf(root: Definition, axis: number): StepGraph {
  const steps = new Map<Definition, number>([[root, axis]]);
  const reads = new Map<Definition, readonly Definition[]>();
  const parameters = new Map<Definition, Definition>();
  const reach = (definition: Definition, at: number | undefined): boolean => {
    if (at === undefined || (steps.has(definition) && steps.get(definition) !== at)) return false;
    steps.set(definition, at);
    return true;
  };
  for (const [definition, step] of steps) {
    const found = new Set<Definition>();
    for (const clause of definition.clauses) {
      for (const scalar of scalarsOf(clause)) {
        eachScalar(scalar, (part) => {
          if (part.kind === "read" && reach(part.definition, stepOf(clause, step, part))) found.add(part.definition);
        });
      }
    }
    reads.set(definition, [...found]);
    if (definition.rule) {
      reach(definition.rule.tangent, step);
      for (const { primal, tangent } of definition.rule.parameters) parameters.set(tangent, primal);
    }
    const primal = parameters.get(definition);
    if (primal) reach(primal, step);
  }
  const tangents = dependents(steps.keys(), new Set(parameters.keys()));
  const isTangent = (definition: Definition): boolean => tangents.has(definition);
  const ways = (definition: Definition): readonly Definition[] => {
    const onward = parameters.get(definition) ?? definition.rule?.tangent;
    if (onward) return steps.has(onward) ? [onward] : [];
    const found = reads.get(definition) ?? [];
    return isTangent(definition) ? found.filter(isTangent) : found;
  };
  return {
    all: [...steps.keys()],
    ways,
    parameterOf: (standIn) => parameters.get(standIn),
    isTangent,
    running: () => undefined,
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
  const at = read.indices.findIndex((index) => {
    const term = integerOf(index);
    return term !== undefined && equal(term, here);
  });
  return at < 0 ? undefined : at;
}
