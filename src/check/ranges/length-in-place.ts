// `len([… | …])` in an indexed body. The filter may depend on coordinates, so the accepted
// positions are counted there: `len([x | x in v, x > w[i]])` is a sum over the positions of `v` for
// each `i`.

import type * as ast from "../../syntax/tree/ast.ts";
import { ofVariable } from "../../affine/term.ts";
import { howMany } from "../data/rows/accepted-positions.ts";
import {
  binderOver,
  planGenerators,
  positionsAt,
  productOfLengths,
  elementOrTest,
} from "../data/rows/comprehensions.ts";
import { wrongAt, type Place } from "../context.ts";
import { scopeInside } from "../names/scope.ts";
import { inBlock } from "../values/share.ts";
import type { Typed } from "../types/typed.ts";

export function lengthInPlace(place: Place, e: ast.Comprehension): Typed {
  const { span } = e;
  const inside: Place = { ...place, scope: scopeInside(place.scope), inner: true, rows: true };
  const plan = planGenerators(place, inside, e);
  if (!plan) return wrongAt(span);
  const planned = [...plan.generators.values()];
  const binder = binderOver("p", productOfLengths(planned), span);
  const positions = positionsAt(planned, ofVariable(binder.variable), span);
  const condition = elementOrTest(inside, e, plan, positions, "test");
  if (
    condition.kind === "wrong" ||
    elementOrTest(inside, e, plan, positions, "element").kind === "wrong"
  )
    return wrongAt(span);
  return inBlock(plan.bindings, howMany(binder, condition, span));
}
