// Clauses for a single step of a recurrence, such as
//
//    let loss[0] = 1.0 + sum[i](w[0, i] ** 2);
//
// The parts that the compiler makes of the clause have no axis for the step, because they do not
// depend on it. A derivative within the step goes through definitions with a step. So each part
// gets an axis for the step, and has values only at that one step.

import { constantOf, renewed } from "../../affine/term.ts";
import { integerOf } from "../../ir/integers.ts";
import { mapParts } from "../../ir/parts.ts";
import type { Axis, Clause, Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import { reachable } from "../../analyse/schedule.ts";
import { zeroOf } from "../../scalar/types.ts";
import { copied } from "../../ir/substitute.ts";
import { wholeLoops } from "../sweep/cells.ts";
import { stepGraphOf } from "./step-graph.ts";
import { withFreshLoops } from "./jacobian-uses.ts";

/** Gives such parts on the way from a numerator a step. Clauses are rewritten in place. */
export function standInSteps(
  numerator: Definition,
  step: number,
  claim: (name: string) => string,
): void {
  const graph = stepGraphOf(numerator, step);
  for (const definition of graph.all) {
    const axis = graph.stepAxis(definition)!;
    definition.clauses.forEach((clause, position) => {
      const at = clause.loops[axis]!;
      const number = at.fixed && integerOf(at.from);
      if (!number || constantOf(number) === undefined) return;
      const isPart = (read: Definition): boolean =>
        graph.stepAxis(read) === undefined && reachable([read]).includes(numerator);
      const change = partsAt(definition.axes[axis]!, at, isPart, claim);
      const changed = change(clause);
      if (changed === clause) return;
      definition.clauses = definition.clauses.map((each, k) => (k === position ? changed : each));
    });
  }
}

/**
 * A function that makes a clause read its parts at a step. Each part is made once, with the parts
 * that it reads itself.
 */
function partsAt(
  axis: Axis,
  at: Loop,
  isPart: (read: Definition) => boolean,
  claim: (name: string) => string,
): (clause: Clause) => Clause {
  const parts = new Map<Definition, Definition | undefined>();
  const standIns = new Set<Definition>();
  const partFor = (read: Definition): Definition | undefined => {
    if (!parts.has(read)) {
      const isOfRule = (): boolean =>
        standIns.size > 0 && reachable([read]).some((each) => standIns.has(each));
      const isOwn = read.origin !== "input" && !read.request && (isOfRule() || isPart(read));
      parts.set(read, undefined);
      if (isOwn) newPartFor(read);
    }
    return parts.get(read);
  };
  const newPartFor = (part: Definition): Definition => {
    const axes = [axis, ...part.axes];
    const whole: { -readonly [K in keyof Definition]: Definition[K] } = {
      ...part,
      name: claim(part.name),
      origin: "helper",
      outer: 0,
      axes,
      clauses: [],
    };
    parts.set(part, whole);
    const { rule, element, span } = part;
    if (rule) {
      for (const { tangent } of rule.parameters) standIns.add(tangent);
      const parameters = rule.parameters.map(({ primal, tangent }) => {
        return {
          primal: partFor(primal) ?? newPartFor(primal),
          tangent: partFor(tangent) ?? newPartFor(tangent),
        };
      });
      whole.rule = {
        ...rule,
        parameters,
        tangent: partFor(rule.tangent) ?? newPartFor(rule.tangent),
      };
    }
    // The stand-in for the tangent of a parameter has no cells of its own.
    if (part.clauses.length === 0) return whole;
    const none: Scalar = { kind: "constant", type: element, value: zeroOf(element) };
    const others: Clause = {
      loops: wholeLoops({ axes }),
      guards: [],
      body: { kind: "map", value: none },
      span,
    };
    whole.clauses = [others, ...part.clauses.map((clause) => readingParts(atStep(clause, at)))];
    return whole;
  };
  const readingParts = (clause: Clause): Clause => {
    const locals = new Map<Local, Local>();
    let isChanged = false;
    const change = (scalar: Scalar): Scalar => {
      if (scalar.kind === "local")
        return { ...scalar, local: copied(scalar.local, change, locals) };
      const whole = mapParts(scalar, change);
      const part = whole.kind === "read" ? partFor(whole.definition) : undefined;
      if (whole.kind !== "read" || !part) return whole;
      isChanged = true;
      return { ...whole, definition: part, indices: [at.from, ...whole.indices] };
    };
    const value = change(clause.body.value);
    return isChanged ? { ...clause, body: { ...clause.body, value } } : clause;
  };
  return readingParts;
}

/** The clause at one step. */
export function atStep(clause: Clause, at: Loop): Clause {
  const step = { ...at, variable: renewed(at.variable) };
  const { loops, ...own } = withFreshLoops(clause);
  return { ...own, loops: [step, ...loops] };
}
