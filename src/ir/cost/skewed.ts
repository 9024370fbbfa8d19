// Visits in other coordinates: what is summed for cells at i + l goes through the points of i and l.
//
//   d_e[n] = sum[l](g[n - l, l] · s[n - l])   visits the same points as   d_s[i] = sum[l](g[i, l] · e[i + l]),   with n = i + l
//
// Terms are sent to their cells there: each is written at its point.

import {
  add,
  constantOf,
  ofVariable,
  renewed,
  subtract,
  type Term,
  type Variable,
} from "../../affine/term.ts";
import { compared, integerOf } from "../integers.ts";
import { eachScalar } from "../parts.ts";
import type { Loop, Scalar } from "../program.ts";
import { instantiate, integerScalar } from "../substitute.ts";
import { usesAny } from "../ties.ts";
import type { Visit } from "./visits.ts";

/** The same visit with a coordinate of its cells, v, replaced by one that it reads at, v - w. */
export function skewsOf(visit: Visit): readonly Visit[] {
  const { cells, loops, runs, isRecurrent } = visit;
  if (!cells || runs || isRecurrent) return [];
  const own = loops.filter((loop) => cells.has(loop.variable));
  const inner = loops.filter((loop) => !cells.has(loop.variable));
  const places = placesIn(visit);
  const isRead = (v: Variable, w: Variable): boolean =>
    places.some(
      (place) => constantOf(subtract(place, subtract(ofVariable(v), ofVariable(w)))) !== undefined,
    );
  return own.flatMap((loop) =>
    inner
      .filter((other) => isRead(loop.variable, other.variable))
      .flatMap((other) => skewed(visit, loop, other) ?? []),
  );
}

function placesIn({ scalars }: Visit): readonly Term[] {
  const found: Term[] = [];
  for (const scalar of scalars)
    eachScalar(scalar, (part) => {
      if (part.kind === "read")
        for (const index of part.indices) found.push(...[integerOf(index) ?? []].flat());
    });
  return found;
}

function skewed(visit: Visit, loop: Loop, other: Loop): Visit | undefined {
  const [from, to] = [integerOf(loop.from), integerOf(loop.to)];
  const ends = [integerOf(other.from), integerOf(other.to)];
  if (
    !from ||
    !to ||
    !ends[0] ||
    !ends[1] ||
    visit.loops.some((each) => usesAny(each.from, [loop]) || usesAny(each.to, [loop]))
  )
    return undefined;
  const { span } = visit.definition;
  const u = renewed(loop.variable);
  const position = integerScalar(add(ofVariable(u), ofVariable(other.variable)));
  const by = new Map<Variable, Scalar>([[loop.variable, position]]);
  const said = (scalar: Scalar): Scalar => instantiate(scalar, by);
  // Wide enough for all positions; the guards say which of them there are.
  const wide: Loop = {
    ...loop,
    variable: u,
    from: integerScalar(subtract(from, ends[1])),
    to: loop.to,
  };
  const inside = [
    compared("lessEqual", loop.from, position, span),
    compared("less", position, loop.to, span),
  ];
  return {
    ...visit,
    loops: visit.loops.map((each) => (each === loop ? wide : each)),
    guards: [...visit.guards.map(said), ...inside],
    scalars: visit.scalars.map(said),
    cells: undefined,
    at: undefined,
  };
}
