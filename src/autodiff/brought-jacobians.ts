// Derivatives of tensors (derivatives-part.ts), once somebody has brought them: most programs differentiate a loss, and a page loads them for the
// others.

import type { Definition } from "../ir/program.ts";
import { brought } from "../part-missing.ts";
import type * as part from "../derivatives-part.ts";

export type Jacobians = typeof part;

export const { bring: bringJacobians, get: jacobians } = brought<Jacobians>("derivatives");

/** A Jacobian whose uses decide how it is had. */
export function isJacobian({ request }: Definition): boolean {
  return request?.jacobian === true && request.step === undefined && !request.shared;
}
