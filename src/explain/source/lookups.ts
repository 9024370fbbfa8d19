// Gradients of scatters as one writes them:  d_v[i] = sum[p](d_s[p] where k[i] == p)  is the lookup
// d_s[k[i]] where k[i] in 0..n.  The sum says the same, and is what is run: there, guards that
// leave one position are found by whoever runs them (analyse/pins.ts).

import { compared } from "../../ir/integers.ts";
import { positionBy } from "../../analyse/pins.ts";
import type { Clause, Scalar } from "../../ir/program.ts";
import { instantiate } from "../../ir/substitute.ts";
import { conjuncts, usesAny } from "../../analyse/ties.ts";
import { applied } from "../../ir/simple-scalars.ts";

type Reduction = Extract<Clause["body"], { kind: "reduce" }>;

/**
 * The clause with lookups in the place of sums over one position; the cells that it leaves to
 * nobody are 0.
 */
export function withLookups(clause: Clause): Clause {
  const { body } = clause;
  if (body.kind !== "reduce" || body.reduction !== "sum") return clause;
  const found = lookedUp({ ...body, guards: body.guards.flatMap(equations) });
  if (found.loops.length === body.loops.length) return clause;
  if (found.loops.length > 0) return { ...clause, body: found };
  return {
    ...clause,
    guards: [...clause.guards, ...found.guards],
    body: { kind: "map", value: found.value },
  };
}

/** A guard, or those that it joins where one of them is an equation. */
function equations(guard: Scalar): readonly Scalar[] {
  const all = conjuncts(guard);
  return all.some((each) => each.kind === "apply" && each.operation === "equal") ? all : [guard];
}

/** The reduction without the coordinates that guards look up. */
function lookedUp(body: Reduction): Reduction {
  const { guards, span } = body;
  for (const loop of body.loops) {
    const { from, to } = loop;
    const others = body.loops.filter((other) => other !== loop);
    if (others.some((other) => usesAny(other.from, [loop]) || usesAny(other.to, [loop]))) continue;
    // Other guards on the coordinate may look where it cannot be: they stand behind the one that
    // says what it is.
    const said = guards.find((condition) => usesAny(condition, [loop]));
    const at = said && positionBy(said, loop);
    // What is affine has been solved for where it came up.
    if (at?.type !== "i32" || at.kind === "integer" || usesAny(at, [loop])) continue;
    const by = new Map([[loop.variable, at]]);
    const operands = [compared("lessEqual", from, at, span), compared("less", at, to, span)];
    const inRange = applied("and", operands, span);
    const rest = guards.map((each) => (each === said ? inRange : instantiate(each, by)));
    return lookedUp({ ...body, loops: others, guards: rest, value: instantiate(body.value, by) });
  }
  return body;
}
