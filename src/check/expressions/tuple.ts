// `(a, b)`: a value with members. `tuples.ts` takes such values apart.

import type * as ast from "../../syntax/tree/ast.ts";
import { wrongAt, type Place } from "../context.ts";
import { partWithValue } from "../elaborate.ts";
import type { Typed } from "../types/typed.ts";

export function tupleOf(place: Place, e: ast.Tuple): Typed {
  const members = e.members.map((member) => partWithValue(place, member));
  if (members.some((member) => member.kind === "wrong")) return wrongAt(e.span);
  return {
    kind: "tuple",
    members,
    type: { kind: "tuple", members: members.map((m) => m.type) },
    span: e.span,
  };
}
