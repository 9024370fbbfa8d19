// Backward functions that users register for their plain functions. Operations with a definition
// need none.

import { TensorError } from "./error.ts";
import type { Tensor } from "../tensor.ts";

/** Gives the gradient of one operand. */
export type RegisteredBackward = (
  gradient: Tensor,
  result: Tensor,
  operands: readonly Tensor[],
  options: unknown,
) => Tensor;

const table = new Map<string, RegisteredBackward>();

export function registerBackward(
  operation: string,
  argument: number,
  backward: RegisteredBackward,
): void {
  table.set(`${operation} ${argument}`, backward);
}

export function registered(operation: string, argument: number): RegisteredBackward {
  const found = table.get(`${operation} ${argument}`);
  if (found) return found;
  throw new TensorError(`no backward registered for ${operation} argument ${argument}`);
}

/** The registered entries, as "operation argument". */
export function registeredNames(): readonly string[] {
  return [...table.keys()];
}
