// Clauses that are one step of a recurrence, `let loss[0] = 1.0 + sum[i](w[0, i] ** 2);`: what the
// compiler makes of their parts has no axis for the step, because nothing in them counts steps. A
// derivative within the step goes through tensors that have one, so that such a part is given it:
// it stands at that step alone.

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

/**
 * Gives the parts of such clauses on the way from a numerator a step of their own: the clauses are
 * rewritten in place.
 */
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
 * Clauses that read their parts at a step: each part is made once, with the parts that it reads in
 * turn.
 */
function partsAt(
  axis: Axis,
  at: Loop,
  isPart: (read: Definition) => boolean,
  claim: (name: string) => string,
): (clause: Clause) => Clause {
  const made = new Map<Definition, Definition | undefined>();
  const standIns = new Set<Definition>();
  const partOf = (read: Definition): Definition | undefined => {
    if (!made.has(read)) {
      const isOfRule = (): boolean =>
        standIns.size > 0 && reachable([read]).some((each) => standIns.has(each));
      const isOwn = read.origin !== "input" && !read.request && (isOfRule() || isPart(read));
      made.set(read, undefined);
      if (isOwn) stand(read);
    }
    return made.get(read);
  };
  const stand = (part: Definition): Definition => {
    const axes = [axis, ...part.axes];
    const whole: { -readonly [K in keyof Definition]: Definition[K] } = {
      ...part,
      name: claim(part.name),
      origin: "helper",
      outer: 0,
      axes,
      clauses: [],
    };
    made.set(part, whole);
    const { rule, element, span } = part;
    if (rule) {
      for (const { tangent } of rule.parameters) standIns.add(tangent);
      const parameters = rule.parameters.map(({ primal, tangent }) => {
        return {
          primal: partOf(primal) ?? stand(primal),
          tangent: partOf(tangent) ?? stand(tangent),
        };
      });
      whole.rule = { ...rule, parameters, tangent: partOf(rule.tangent) ?? stand(rule.tangent) };
    }
    // A stand-in for the tangent of a parameter has no cells of its own.
    if (part.clauses.length === 0) return whole;
    const none: Scalar = { kind: "constant", type: element, value: zeroOf(element) };
    const others: Clause = {
      loops: wholeLoops({ axes }),
      guards: [],
      body: { kind: "map", value: none },
      span,
    };
    whole.clauses = [others, ...part.clauses.map((clause) => reading(atStep(clause, at)))];
    return whole;
  };
  const reading = (clause: Clause): Clause => {
    const locals = new Map<Local, Local>();
    let isChanged = false;
    const change = (scalar: Scalar): Scalar => {
      if (scalar.kind === "local")
        return { ...scalar, local: copied(scalar.local, change, locals) };
      const whole = mapParts(scalar, change);
      const part = whole.kind === "read" ? partOf(whole.definition) : undefined;
      if (whole.kind !== "read" || !part) return whole;
      isChanged = true;
      return { ...whole, definition: part, indices: [at.from, ...whole.indices] };
    };
    const value = change(clause.body.value);
    return isChanged ? { ...clause, body: { ...clause.body, value } } : clause;
  };
  return reading;
}

/** The same clause at one step. */
export function atStep(clause: Clause, at: Loop): Clause {
  const step = { ...at, variable: renewed(at.variable) };
  const { loops, ...own } = withFreshLoops(clause);
  return { ...own, loops: [step, ...loops] };
}
