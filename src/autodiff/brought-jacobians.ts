// Derivatives of tensors (jacobians-part.ts), once somebody has brought them: most programs differentiate a loss, and a page loads them for the
// others.

import type { Definition } from "../ir/program.ts";
import { PartMissing } from "../part-missing.ts";
import type * as part from "../jacobians-part.ts";

export type Jacobians = typeof part;

let brought: Jacobians | undefined;

export function bringJacobians(all: Jacobians): void {
  brought = all;
}

export function jacobians(): Jacobians {
  if (!brought) throw new PartMissing("jacobians");
  return brought;
}

/** A Jacobian whose uses decide how it is had. */
export function isJacobian({ request }: Definition): boolean {
  return request?.jacobian === true && request.step === undefined && !request.shared;
}
