// The conditions around a site as scalars, and bounds that are computed only where they hold.

import { zero } from "../affine/term.ts";
import type { Item } from "../check/types/typed.ts";
import { lower } from "./forms.ts";
import type { Condition, Site } from "./site.ts";
import type { Loop, Scalar } from "../ir/program.ts";
import { integerScalar } from "../ir/substitute.ts";
import { applied } from "../ir/simple-scalars.ts";

export function conditionsOf(site: Site, conditions: readonly Condition[]): readonly Scalar[] {
  const bare: Site = { ...site, conditions: [] };
  return conditions.map((condition) =>
    condition.holds
      ? lower(bare, condition.value)
      : applied("not", [lower(bare, condition.value)], condition.value.span),
  );
}

export function guardsOf(site: Site, items: readonly Item[]): readonly Scalar[] {
  return items.flatMap((item) => (item.kind === "guard" ? [lower(site, item.condition)] : []));
}

/** A loop whose end is computed only where the guards hold. Elsewhere the loop is empty. */
export function heldTo(guards: readonly Scalar[], loop: Loop): Loop {
  return loop.to.kind === "integer" ? loop : { ...loop, to: zeroUnless(guards, loop.to) };
}

/** A bound where the guards hold, and 0 elsewhere. */
export function zeroUnless(guards: readonly Scalar[], bound: Scalar): Scalar {
  return guards.reduceRight<Scalar>((then, condition) => {
    return { kind: "select", type: "i32", condition, then, otherwise: integerScalar(zero) };
  }, bound);
}
