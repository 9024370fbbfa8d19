// The graph of a derivative within one step of a recurrence. It follows reads at the same step.
// Reads of other steps are constants.
//
// Every definition on the way has one axis that is the step. The axes are found from the numerator
// on: if a clause stands at step t and the index of a read along some axis is t, the read is at the
// same step, and that axis is the step of its definition. The tangent of a rule has the axes of its
// value, and a parameter has those of its stand-in.
//
// An index may be t only at some points: k in 0..t + 1, t / 2, or data. Such a read counts where it
// is t.

import { holds, lessThan } from "../../affine/prove.ts";
import { constantOf, equal, ofVariable, subtract, type Term } from "../../affine/term.ts";
import { factsOf, loopFacts, newOpaque, termOf } from "../../analyse/facts.ts";
import { integerOf } from "../../ir/integers.ts";
import { eachScalar, scalarsOf } from "../../ir/parts.ts";
import type { Clause, Definition, Scalar } from "../../ir/program.ts";
import { readsOfFunction } from "../../ir/references.ts";
import { reachable } from "../../analyse/schedule.ts";
import { cellsReadIn } from "../data/within/captured-cells.ts";
import { instantiate, integerScalar } from "../../ir/substitute.ts";
import { dependents, type Graph } from "../sweep/graph.ts";
import type { Coefficient } from "../scalar/linearize.ts";
import { withoutDataReads } from "../data/through-data.ts";
import type { Span } from "../../base/source.ts";

type Read = Extract<Scalar, { kind: "read" }>;

export interface StepGraph extends Graph {
  /** The axis of a definition that is the step. */
  readonly stepAxis: (definition: Definition) => number | undefined;
  /**
   * A coefficient of cells that may be read at any step, restricted to the same step. `undefined`
   * if no cell is read at the same step.
   */
  readonly atStep: (
    reader: Definition,
    clause: Clause,
    coefficient: Coefficient,
  ) => AtStep | undefined;
}

/**
 * A coefficient at the step, the conditions under which the read is at that step, and the original
 * read.
 */
export interface AtStep {
  readonly coefficient: Coefficient;
  readonly where: readonly Scalar[];
  readonly written: Read;
}

export function isStepGraph(graph: Graph): graph is StepGraph {
  return "atStep" in graph;
}

/**
 * `towards` are the denominators, if they are known. The definitions between numerator and
 * denominators belong to the recurrence.
 */
export function stepGraphOf(
  root: Definition,
  axis: number,
  towards: readonly Definition[] = [],
): StepGraph {
  const steps = new Map<Definition, number>([[root, axis]]);
  const reads = new Map<Definition, readonly Definition[]>();
  const parameters = new Map<Definition, Definition>();
  const reach = (definition: Definition, at: number | undefined): boolean => {
    if (at === undefined) return false;
    steps.set(definition, at);
    return true;
  };
  const stepIn = (
    clause: Clause,
    step: number,
    { definition, indices }: Cell,
  ): number | undefined => stepOf(clause, step, indices, steps.get(definition));
  const open: OpenRead[] = [];
  const isMember = memberIn(new Set([root, ...towards]));
  for (const [definition, step] of steps) {
    const found = new Set<Definition>();
    // A clause for a single step has a number in place of the coordinate. Other axes may be read at
    // the same number. So the other clauses come first: they show which axis is the step.
    const isOne = (clause: Clause): boolean => clause.loops[step]!.fixed === true;
    const { clauses } = definition;
    for (const clause of [...clauses.filter((each) => !isOne(each)), ...clauses.filter(isOne)]) {
      for (const scalar of scalarsOf(clause)) {
        eachScalar(withoutDataReads(scalar), (part) => {
          for (const cell of readsBy(part)) {
            if (reach(cell.definition, stepIn(clause, step, cell))) found.add(cell.definition);
            else if (part.kind === "read") open.push({ reader: definition, clause, read: part });
          }
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
    if (steps.size === reads.size) reachOpen(isMember, steps, reads, open);
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
      const step = steps.get(reader);
      const axis = steps.get(coefficient.read.definition);
      if (step === undefined || axis === undefined) return undefined;
      const pinned = restrictedToStep(coefficient, axis, clause, step);
      const { read } = pinned;
      const index = read.indices[axis]!;
      const here = integerScalar(stepTerm(clause, step));
      switch (relationOf(clause, step, index)) {
        case "same":
          return { coefficient: pinned, where: [], written: read };
        case "other":
          return undefined;
        default: {
          const indices = read.indices.map((each, k) => (k === axis ? here : each));
          const where = [isAtStep(index, here, read.span)];
          return { coefficient: { ...pinned, read: { ...read, indices } }, where, written: read };
        }
      }
    },
  };
}

/** A read of which it is not known whether it is at the step of its clause. */
interface OpenRead {
  readonly reader: Definition;
  readonly clause: Clause;
  readonly read: Read;
}

type IsMember = (definition: Definition) => boolean;

/** Does a definition depend on one that belongs to the recurrence? */
function memberIn(known: ReadonlySet<Definition>): IsMember {
  const found = new Map<Definition, boolean>();
  return (definition) => {
    const before = found.get(definition);
    const isOne = before ?? reachable([definition]).some((each) => known.has(each));
    found.set(definition, isOne);
    return isOne;
  };
}

/** Adds reads of members that are at the same step at some points. */
function reachOpen(
  isMember: IsMember,
  steps: Map<Definition, number>,
  reads: Map<Definition, readonly Definition[]>,
  open: OpenRead[],
): void {
  const found = new Map<Definition, number | undefined>();
  const stepOf = (definition: Definition): number | undefined => {
    if (!found.has(definition)) {
      found.set(definition, undefined);
      found.set(definition, steps.get(definition) ?? ownStepOf(isMember, definition, stepOf));
    }
    return found.get(definition);
  };
  for (const { reader, clause, read } of open.splice(0)) {
    const target = read.definition;
    const step = steps.get(reader)!;
    // A definition that a clause of a single step reads has a step only if other reads show one.
    const axis = clause.loops[step]!.fixed ? steps.get(target) : stepOf(target);
    if (axis === undefined || relationOf(clause, step, read.indices[axis]!) !== "open") continue;
    steps.set(target, axis);
    reads.set(reader, [...new Set([...reads.get(reader)!, target])]);
  }
}

/**
 * The step of a definition that is never read at its own step. It is the only axis, or the axis
 * along which the definition reads other members at their steps, or the only axis along which all
 * its reads of members are at other positions.
 */
function ownStepOf(
  isMember: IsMember,
  definition: Definition,
  stepOf: (definition: Definition) => number | undefined,
): number | undefined {
  if (!isMember(definition)) return undefined;
  if (definition.axes.length === 1) return 0;
  const cells = definition.clauses.flatMap((clause) =>
    memberReads(isMember, clause).map(({ definition: read, indices }) => ({
      clause,
      indices,
      step: stepOf(read),
    })),
  );
  const axes = [...definition.axes.keys()];
  const readsAtStep = (axis: number): boolean =>
    cells.some(
      ({ clause, indices, step }) =>
        step !== undefined && shiftOf(clause, axis, indices[step]!) === 0,
    );
  const isBehind = (axis: number): boolean =>
    cells.length > 0 &&
    cells.every(({ clause, indices }) =>
      indices.some((index) => (shiftOf(clause, axis, index) ?? 0) !== 0),
    );
  const behind = axes.filter(isBehind);
  return axes.find(readsAtStep) ?? (behind.length === 1 ? behind[0] : undefined);
}

/** The reads of members of the recurrence in a clause. */
function memberReads(isMember: IsMember, clause: Clause): readonly Read[] {
  const found: Read[] = [];
  for (const scalar of scalarsOf(clause))
    eachScalar(scalar, (part) => {
      if (part.kind === "read" && isMember(part.definition)) found.push(part);
    });
  return found;
}

/** The distance of an index from a coordinate of its clause, if it is a constant. */
function shiftOf({ loops }: Clause, axis: number, index: Scalar): number | undefined {
  const term = integerOf(index);
  return term && constantOf(subtract(term, ofVariable(loops[axis]!.variable)));
}

function isTerm(index: Scalar, term: Term): boolean {
  const own = integerOf(index);
  return own !== undefined && equal(own, term);
}

/** Is an index the step of its clause: always, never, or only at run time? */
function relationOf(clause: Clause, step: number, index: Scalar): "same" | "other" | "open" {
  const here = stepTerm(clause, step);
  const known = integerOf(index);
  const gap = known && constantOf(subtract(known, here));
  if (gap !== undefined) return gap === 0 ? "same" : "other";
  const opaque = newOpaque();
  const { loops, guards, body } = clause;
  const inside = body.kind === "reduce" ? body : { loops: [], guards: [] };
  const ranges = loopFacts(opaque, [...loops, ...inside.loops], []);
  const conditions = clause.otherwise ? inside.guards : [...guards, ...inside.guards];
  const facts = [...ranges, ...conditions.flatMap((guard) => factsOf(opaque, guard, true, ranges))];
  const at = termOf(opaque, index, facts);
  return holds(lessThan(at, here), facts) || holds(lessThan(here, at), facts) ? "other" : "open";
}

/** The condition that an index is at the step, in the type of the index. */
function isAtStep(index: Scalar, here: Scalar, span: Span): Scalar {
  const { type } = index;
  const step: Scalar = type === "i32" ? here : { kind: "cast", type, operand: here };
  return {
    kind: "apply",
    type: "bool",
    within: type,
    operation: "equal",
    operands: [index, step],
    span,
  };
}

/**
 * A coefficient of cells that a call may read at any step, restricted to the step of the clause.
 */
function restrictedToStep(
  coefficient: Coefficient,
  axis: number,
  clause: Clause,
  step: number,
): Coefficient {
  const { read, product, conditions, over } = coefficient;
  const term = integerOf(read.indices[axis]!);
  const loop = over?.find((each) => term && equal(term, ofVariable(each.variable)));
  if (!loop) return coefficient;
  const here = integerScalar(stepTerm(clause, step));
  const atThisStep = (scalar: Scalar): Scalar =>
    instantiate(scalar, new Map([[loop.variable, here]]));
  return {
    read: atThisStep(read) as Read,
    product: {
      ...product,
      factors: product.factors.map(atThisStep),
      divisors: product.divisors.map(atThisStep),
    },
    conditions: conditions.map((condition) => ({
      ...condition,
      value: atThisStep(condition.value),
    })),
    over: over!.filter((each) => each !== loop),
  };
}

type Cell = Pick<Read, "definition" | "indices">;

/**
 * The reads of a scalar. For a call, the reads of the function, at the indices that are passed to
 * it.
 */
function readsBy(part: Scalar): readonly Cell[] {
  if (part.kind === "read") return [part];
  if (part.kind !== "call") return [];
  return [...readsOfFunction(part.invocation.function)].flatMap((definition) =>
    cellsReadIn(part, definition).map(({ indices }) => ({ definition, indices })),
  );
}

/** The step of a clause: its coordinate, or the number of a single step. */
export function stepTerm({ loops }: Clause, step: number): Term {
  const { fixed, from, variable } = loops[step]!;
  return (fixed && integerOf(from)) || ofVariable(variable);
}

/**
 * The axis along which a read is at the step of its clause. If the step of the definition is known,
 * only that axis counts.
 */
function stepOf(
  clause: Clause,
  step: number,
  indices: readonly Scalar[],
  known?: number,
): number | undefined {
  const here = stepTerm(clause, step);
  const isHere = (index: Scalar): boolean => isTerm(index, here);
  if (known !== undefined) return isHere(indices[known]!) ? known : undefined;
  const at = indices.findIndex(isHere);
  return at < 0 ? undefined : at;
}
