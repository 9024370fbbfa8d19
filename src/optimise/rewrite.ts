// Scalars and clauses with some parts replaced, sharing kept.

import type { Body, Clause, Local, Scalar } from "../ir/program.ts";

/** What stands in the place of a scalar; nothing where it stays, with its own parts rewritten. */
export type Replace = (scalar: Scalar) => Scalar | undefined;

export function rewriteScalar(scalar: Scalar, replace: Replace, locals: Map<Local, Local> = new Map()): Scalar {
  const again = (part: Scalar): Scalar => rewriteScalar(part, replace, locals);
  switch (scalar.kind) {
    case "constant":
    case "integer":
    case "parameter":
      return replace(scalar) ?? scalar;
    case "read": {
      const read = { ...scalar, indices: scalar.indices.map(again) };
      return replace(read) ?? read;
    }
    case "apply":
      return { ...scalar, operands: scalar.operands.map(again) };
    case "cast":
      return { ...scalar, operand: again(scalar.operand) };
    case "select":
      return {
        ...scalar,
        condition: again(scalar.condition),
        then: again(scalar.then),
        otherwise: again(scalar.otherwise),
      };
    case "local": {
      let copy = locals.get(scalar.local);
      if (!copy) locals.set(scalar.local, (copy = { name: scalar.local.name, value: again(scalar.local.value) }));
      return { ...scalar, local: copy };
    }
    case "call": {
      const { invocation } = scalar;
      return { ...scalar, invocation: { ...invocation, arguments: invocation.arguments.map(again) } };
    }
    default:
      return scalar satisfies never;
  }
}

export function rewriteClause(clause: Clause, replace: Replace): Clause {
  const locals = new Map<Local, Local>();
  const again = (scalar: Scalar): Scalar => rewriteScalar(scalar, replace, locals);
  const body: Body =
    clause.body.kind === "map"
      ? { kind: "map", value: again(clause.body.value) }
      : {
          ...clause.body,
          loops: clause.body.loops.map((loop) => ({ ...loop, from: again(loop.from), to: again(loop.to) })),
          guards: clause.body.guards.map(again),
          value: again(clause.body.value),
        };
  return {
    ...clause,
    loops: clause.loops.map((loop) => ({ ...loop, from: again(loop.from), to: again(loop.to) })),
    guards: clause.guards.map(again),
    body,
    ...(clause.otherwise ? { otherwise: again(clause.otherwise) } : {}),
  };
}
