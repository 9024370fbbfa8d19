// Writes the gradient of a gather as people write it:
//
//    d_v[i] = sum[p](d_s[p] where k[i] == p)   is the lookup   d_s[k[i]] where k[i] in 0..n
//
// Both have the same value. The program that runs keeps the sum: the backends find by themselves
// that the guard leaves one position (analyse/pins.ts).

import { compared } from "../../ir/integers.ts";
import { positionBy } from "../../analyse/pins.ts";
import type { Clause, Scalar } from "../../ir/program.ts";
import { instantiate } from "../../ir/substitute.ts";
import { conjuncts, usesAny } from "../../analyse/ties.ts";
import { applied } from "../../ir/simple-scalars.ts";

type Reduction = Extract<Clause["body"], { kind: "reduce" }>;

/**
 * The clause with a lookup instead of each sum over one position. Cells outside of the range of a
 * lookup are 0.
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

/**
 * The conditions that a guard joins by `&&`, if one of them is an equation. Otherwise the guard.
 */
function equations(guard: Scalar): readonly Scalar[] {
  const all = conjuncts(guard);
  return all.some((each) => each.kind === "apply" && each.operation === "equal") ? all : [guard];
}

/** The reduction without the coordinates that an equation gives. */
function lookedUp(body: Reduction): Reduction {
  const { guards, span } = body;
  for (const loop of body.loops) {
    const { from, to } = loop;
    const others = body.loops.filter((other) => other !== loop);
    if (others.some((other) => usesAny(other.from, [loop]) || usesAny(other.to, [loop]))) continue;
    // Another guard on the coordinate may read a tensor and be out of bounds where the position is
    // out of range. So only the first guard on the coordinate is used: the others stand behind its
    // range check.
    const first = guards.find((condition) => usesAny(condition, [loop]));
    const at = first && positionBy(first, loop);
    // The transposition has solved affine equations for the coordinate already.
    if (at?.type !== "i32" || at.kind === "integer" || usesAny(at, [loop])) continue;
    const by = new Map([[loop.variable, at]]);
    const operands = [compared("lessEqual", from, at, span), compared("less", at, to, span)];
    const inRange = applied("and", operands, span);
    const rest = guards.map((each) => (each === first ? inRange : instantiate(each, by)));
    return lookedUp({ ...body, loops: others, guards: rest, value: instantiate(body.value, by) });
  }
  return body;
}
