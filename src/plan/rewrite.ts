// Scalars and clauses with some parts replaced, sharing kept.

import { mapParts } from "../ir/parts.ts";
import type { Body, Clause, Local, Scalar } from "../ir/program.ts";
import { copied } from "../ir/substitute.ts";

/** What stands in the place of a scalar whose parts have been rewritten; nothing where it stays. */
export type Replace = (scalar: Scalar) => Scalar | undefined;

export function rewriteScalar(
  scalar: Scalar,
  replace: Replace,
  locals: Map<Local, Local> = new Map(),
): Scalar {
  const again = (part: Scalar): Scalar => rewriteScalar(part, replace, locals);
  if (scalar.kind === "local") return { ...scalar, local: copied(scalar.local, again, locals) };
  const rewritten = mapParts(scalar, again);
  return replace(rewritten) ?? rewritten;
}

export function rewriteClause(clause: Clause, replace: Replace): Clause {
  const locals = new Map<Local, Local>();
  const again = (scalar: Scalar): Scalar => rewriteScalar(scalar, replace, locals);
  const body: Body =
    clause.body.kind === "map"
      ? { kind: "map", value: again(clause.body.value) }
      : rewriteReduction(clause.body, again);
  return {
    ...clause,
    loops: clause.loops.map((loop) => ({ ...loop, from: again(loop.from), to: again(loop.to) })),
    guards: clause.guards.map(again),
    body,
    ...(clause.otherwise ? { otherwise: again(clause.otherwise) } : {}),
  };
}

/** A reduction with other bounds, guards and terms. */
export function rewriteReduction<R extends Extract<Body, { kind: "reduce" }>>(
  body: R,
  again: (scalar: Scalar) => Scalar,
): R {
  const loops = body.loops.map((loop) => ({ ...loop, from: again(loop.from), to: again(loop.to) }));
  return { ...body, loops, guards: body.guards.map(again), value: again(body.value) };
}
