// `{ let a = 1; a + 1 }`: statements in a scope of their own, and the value at the end. The
// statements are checked in `statements.ts`.

import type * as ast from "../../syntax/tree/ast.ts";
import { silent, wrongAt, type Place } from "../context.ts";
import { hasDamagedEnd } from "../statements/damaged.ts";
import { expression, statements } from "../elaborate.ts";
import { scopeInside } from "../names/scope.ts";
import type { Typed } from "../types/typed.ts";
import { unit } from "../types/types.ts";

export function blockOf(place: Place, e: ast.Block): Typed {
  const inside: Place = { ...place, scope: scopeInside(place.scope), inner: true };
  const bindings = statements(inside, e.statements).flatMap((action) =>
    action.kind === "bind" ? [action.binding] : [],
  );
  if (hasDamagedEnd(place.checker, e)) return silent(place, e.span);
  if (!e.value) {
    const last = e.statements.at(-1);
    if (last?.kind === "expression" && last.value.kind === "missing") return wrongAt(e.span);
    return {
      kind: "block",
      bindings,
      value: { kind: "tuple", members: [], type: unit, span: e.span },
      type: unit,
      span: e.span,
    };
  }
  const value = expression(inside, e.value);
  if (value.kind === "wrong") return value;
  return bindings.length === 0
    ? value
    : { kind: "block", bindings, value, type: value.type, span: e.span };
}
