// Replaces parts of scalars and clauses. A local that stands in several places is rewritten once,
// so that sharing is kept.

import { mapParts } from "../ir/parts.ts";
import type { Body, Clause, Local, Scalar } from "../ir/program.ts";
import { copied } from "../ir/substitute.ts";

/**
 * Gives the replacement of a scalar whose parts have been rewritten; `undefined` keeps the scalar.
 */
export type Replace = (scalar: Scalar) => Scalar | undefined;

export function rewriteScalar(
  scalar: Scalar,
  replace: Replace,
  locals: Map<Local, Local> = new Map(),
): Scalar {
  const rewritePart = (part: Scalar): Scalar => rewriteScalar(part, replace, locals);
  if (scalar.kind === "local")
    return { ...scalar, local: copied(scalar.local, rewritePart, locals) };
  const rewritten = mapParts(scalar, rewritePart);
  return replace(rewritten) ?? rewritten;
}

export function rewriteClause(clause: Clause, replace: Replace): Clause {
  const locals = new Map<Local, Local>();
  const rewritePart = (scalar: Scalar): Scalar => rewriteScalar(scalar, replace, locals);
  const body: Body =
    clause.body.kind === "map"
      ? { kind: "map", value: rewritePart(clause.body.value) }
      : rewriteReduction(clause.body, rewritePart);
  return {
    ...clause,
    loops: clause.loops.map((loop) => ({
      ...loop,
      from: rewritePart(loop.from),
      to: rewritePart(loop.to),
    })),
    guards: clause.guards.map(rewritePart),
    body,
    ...(clause.otherwise ? { otherwise: rewritePart(clause.otherwise) } : {}),
  };
}

/** Applies `again` to the bounds, the guards and the terms of a reduction. */
export function rewriteReduction<R extends Extract<Body, { kind: "reduce" }>>(
  body: R,
  again: (scalar: Scalar) => Scalar,
): R {
  const loops = body.loops.map((loop) => ({ ...loop, from: again(loop.from), to: again(loop.to) }));
  return { ...body, loops, guards: body.guards.map(again), value: again(body.value) };
}
