// Clauses that are one step of a recurrence, `let loss[0] = 1.0 + sum[i](w[0, i] ** 2);`: what the compiler makes of their parts has no axis for the step, because
// nothing in them counts steps. A derivative within the step goes through tensors that have one, so that such a part is given it: it stands at that step alone.

import { constantOf, renewed } from "../ir/affine/term.ts";
import { integerOf } from "../ir/integers.ts";
import { eachScalar, mapParts } from "../ir/parts.ts";
import type { Axis, Clause, Definition, Local, Loop, Scalar } from "../ir/program.ts";
import { reachable } from "../ir/schedule.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { instantiate } from "../ir/substitute.ts";
import { freshLoops, newDefinition, wholeLoops } from "./cells.ts";
import { stepGraphOf } from "./step-graph.ts";

/** Gives the parts of such clauses on the way from a numerator a step of their own: the clauses are rewritten in place. */
export function standInSteps(numerator: Definition, step: number, claim: (name: string) => string): void {
  const isPart = (definition: Definition): boolean =>
    definition.origin === "helper" &&
    isFloat(definition.element) &&
    !definition.rule &&
    !definition.request &&
    reachable([definition]).includes(numerator);
  for (let more = true; more;) {
    more = false;
    const graph = stepGraphOf(numerator, step);
    for (const definition of graph.all) {
      const axis = graph.stepAxis(definition)!;
      for (const [position, clause] of definition.clauses.entries()) {
        const loop = clause.loops[axis]!;
        const at = loop.fixed && integerOf(loop.from);
        if (!at || constantOf(at) === undefined) continue;
        const parts = readsIn(clause).filter((read) => graph.stepAxis(read) === undefined && isPart(read));
        if (parts.length === 0) continue;
        const made = new Map(parts.map((part) => [part, atStep(part, definition.axes[axis]!, loop, claim)]));
        definition.clauses = definition.clauses.map((each, k) => (k === position ? readingAt(each, made, loop) : each));
        more = true;
      }
    }
  }
}

function readsIn({ body }: Clause): readonly Definition[] {
  const found = new Set<Definition>();
  eachScalar(body.value, (part) => void (part.kind === "read" && found.add(part.definition)));
  return [...found];
}

/** The same cells at one step, and 0 at the others. */
function atStep(part: Definition, axis: Axis, at: Loop, claim: (name: string) => string): Definition {
  const axes = [axis, ...part.axes];
  const { element, span } = part;
  const zero: Scalar = { kind: "constant", type: element, value: 0 };
  const clauses = part.clauses.map((clause): Clause => {
    const by = new Map<Loop["variable"], Scalar>();
    const loops = [{ ...at, variable: renewed(at.variable) }, ...freshLoops(clause.loops, by)];
    const said = (scalar: Scalar): Scalar => instantiate(scalar, by);
    const { body } = clause;
    return {
      ...clause,
      loops,
      guards: clause.guards.map(said),
      ...(clause.otherwise ? { otherwise: said(clause.otherwise) } : {}),
      body:
        body.kind === "map"
          ? { kind: "map", value: said(body.value) }
          : { ...body, loops: freshLoops(body.loops, by), guards: body.guards.map(said), value: said(body.value) },
    };
  });
  const others: Clause = { loops: wholeLoops({ axes }), guards: [], body: { kind: "map", value: zero }, span };
  return newDefinition(claim(part.name), element, axes, [others, ...clauses], span);
}

/** A clause that reads its parts at its step. */
function readingAt(clause: Clause, made: ReadonlyMap<Definition, Definition>, { from }: Loop): Clause {
  const locals = new Map<Local, Local>();
  const change = (scalar: Scalar): Scalar => {
    if (scalar.kind === "local") {
      let copy = locals.get(scalar.local);
      if (!copy) locals.set(scalar.local, (copy = { name: scalar.local.name, value: change(scalar.local.value) }));
      return { ...scalar, local: copy };
    }
    const whole = mapParts(scalar, change);
    const definition = whole.kind === "read" ? made.get(whole.definition) : undefined;
    return whole.kind === "read" && definition ? { ...whole, definition, indices: [from, ...whole.indices] } : whole;
  };
  return { ...clause, body: { ...clause.body, value: change(clause.body.value) } };
}
