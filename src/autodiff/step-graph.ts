// What a derivative depends on within one step of a recurrence: reads at the same step. Reads of other steps are constants.
//
// Every definition on the way has one axis that is the step. It is found from the numerator on: where the clause stands at step t,
// a read whose index along some axis is t itself is a read of the same step, and that axis is the step of what is read. A rule's tangent
// and the parameters behind its stand-ins have the axes of what they belong to.

import { equal, ofVariable, type Term } from "../ir/affine/term.ts";
import { integerOf } from "../ir/integers.ts";
import { eachScalar, scalarsOf } from "../ir/parts.ts";
import type { Clause, Definition, Scalar } from "../ir/program.ts";
import { readsOfFunction } from "../ir/references.ts";
import { cellsReadIn } from "./captured-cells.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { dependents, type Graph } from "./graph.ts";
import type { Coefficient } from "./linearize.ts";
import { withoutDataReads } from "./through-data.ts";

type Read = Extract<Scalar, { kind: "read" }>;

export interface StepGraph extends Graph {
  /** Is this read, in a clause of the definition, one of the same step? */
  readonly isSameStep: (reader: Definition, clause: Clause, read: Read) => boolean;
  /** The axis of a definition that is the step. */
  readonly stepAxis: (definition: Definition) => number | undefined;
  /** A coefficient of cells that a call may read at any step, for those of the same step. */
  readonly atStep: (reader: Definition, clause: Clause, coefficient: Coefficient) => Coefficient;
}

export function isStepGraph(graph: Graph): graph is StepGraph {
  return "isSameStep" in graph;
}

export function stepGraphOf(root: Definition, axis: number): StepGraph {
  const steps = new Map<Definition, number>([[root, axis]]);
  const reads = new Map<Definition, readonly Definition[]>();
  const parameters = new Map<Definition, Definition>();
  const reach = (definition: Definition, at: number | undefined): boolean => {
    if (at === undefined) return false;
    steps.set(definition, at);
    return true;
  };
  const stepIn = (clause: Clause, step: number, { definition, indices }: Cell): number | undefined =>
    stepOf(clause, step, indices, steps.get(definition));
  for (const [definition, step] of steps) {
    const found = new Set<Definition>();
    // A clause that is one step has a number there, which other axes may be read at too: the others say which one is the step.
    const isOne = (clause: Clause): boolean => clause.loops[step]!.fixed === true;
    const { clauses } = definition;
    for (const clause of [...clauses.filter((each) => !isOne(each)), ...clauses.filter(isOne)]) {
      for (const scalar of scalarsOf(clause)) {
        eachScalar(withoutDataReads(scalar), (part) => {
          for (const cell of readsBy(part)) if (reach(cell.definition, stepIn(clause, step, cell))) found.add(cell.definition); // prettier-ignore
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
    atStep: (reader, clause, coefficient) => {
      const { read, product, conditions, over } = coefficient;
      const index = read.indices[steps.get(read.definition) ?? read.indices.length];
      const term = index && integerOf(index);
      const loop = over?.find((each) => term && equal(term, ofVariable(each.variable)));
      if (!loop) return coefficient;
      const here = integerScalar(stepTerm(clause, steps.get(reader)!));
      const said = (scalar: Scalar): Scalar => instantiate(scalar, new Map([[loop.variable, here]]));
      return {
        read: said(read) as Read,
        product: { ...product, factors: product.factors.map(said), divisors: product.divisors.map(said) },
        conditions: conditions.map((condition) => ({ ...condition, value: said(condition.value) })),
        over: over!.filter((each) => each !== loop),
      };
    },
    isSameStep: (reader, clause, read) => {
      const step = steps.get(reader);
      return step !== undefined && steps.has(read.definition) && stepIn(clause, step, read) !== undefined;
    },
  };
}

type Cell = Pick<Read, "definition" | "indices">;

/** What a scalar reads itself; of a call, what the function reads from around it, at the indices that it was passed. */
function readsBy(part: Scalar): readonly Cell[] {
  if (part.kind === "read") return [part];
  if (part.kind !== "call") return [];
  return [...readsOfFunction(part.invocation.function)].flatMap((definition) =>
    cellsReadIn(part, definition).map(({ indices }) => ({ definition, indices })),
  );
}

/** The step that a clause stands at. */
export function stepTerm({ loops }: Clause, step: number): Term {
  const { fixed, from, variable } = loops[step]!;
  return (fixed && integerOf(from)) || ofVariable(variable);
}

/** The axis along which something is read at the step of its clause: the one that is known to be its step, where one is. */
function stepOf(clause: Clause, step: number, indices: readonly Scalar[], known?: number): number | undefined {
  const here = stepTerm(clause, step);
  const isHere = (index: Scalar): boolean => {
    const term = integerOf(index);
    return term !== undefined && equal(term, here);
  };
  if (known !== undefined) return isHere(indices[known]!) ? known : undefined;
  const at = indices.findIndex(isHere);
  return at < 0 ? undefined : at;
}
