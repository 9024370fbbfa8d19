// Derivatives inside functions, between scalars that each call has its own of.

import { isSlope } from "../check/instance-needs.ts";
import type { Request } from "../check/typed.ts";
import { decided } from "../check/types.ts";
import { literal, lower, reference } from "./lower-scalars.ts";
import { enclosing, type Site } from "./lower-site.ts";
import type { Scalar } from "./program.ts";

/** A local that stands for its answer until autodiff has found it; nothing for other derivatives. */
export function slopeAt(site: Site, request: Request): Scalar | undefined {
  if (!isSlope(request, enclosing(site))) return undefined;
  const { numerator, denominator, type, span } = request;
  const by = reference(site, denominator, [], span);
  const element = decided(type.element);
  const slope = { of: lower(site, numerator), by, span };
  return {
    kind: "local",
    type: element,
    local: { name: `d_${denominator.name}`, value: literal(0, element), slope },
  };
}
