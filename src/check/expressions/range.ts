// `a..b` and `a..=b` as values. Ranges of coordinates are in `coordinates.ts` and `ranges.ts`.

import type * as ast from "../../syntax/tree/ast.ts";
import { amongPositions, wrongAt, type Place } from "../context.ts";
import { integerOf } from "../elaborate.ts";
import { apply } from "./operators.ts";
import type { Typed } from "../types/typed.ts";
import { scalar } from "../types/types.ts";

export function rangeOf(around: Place, e: ast.Range): Typed {
  const place = amongPositions(around);
  const from = integerOf(place, e.from, "the start of a range");
  const to = integerOf(place, e.to, "the end of a range");
  if (from.kind === "wrong" || to.kind === "wrong") return wrongAt(e.span);
  const one: Typed = { kind: "constant", value: 1, type: scalar("i32"), span: e.to.span };
  const end = e.inclusive ? apply(place, "add", [to, one], e.to.span) : to;
  return { kind: "range", from, to: end, reversed: false, type: { kind: "range" }, span: e.span };
}
