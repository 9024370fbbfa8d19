// The recipe of a tensor: the operation, its operands, and the parents that get gradients.

import { isFloat } from "../../scalar/types.ts";
import { isHeard, tell } from "./listener.ts";
import { callerPlace, isTracking } from "../mode.ts";
import { prepare, type Operation, type Prepared } from "./operation.ts";
import { Tensor } from "../tensor.ts";
import type { Cells } from "./kernel.ts";

export interface Recipe {
  readonly operation: string;
  /** All operands by position, in the state at the time of the operation. */
  readonly operands: readonly Tensor[];
  readonly options: unknown;
  /** The operands that get gradients, by position. */
  readonly parents: ReadonlyMap<number, Tensor>;
  /** The versions of the operands' cells when they were read. */
  readonly versions: readonly number[];
  /** The prepared definition, from which pullbacks are derived. Undefined for a plain function. */
  readonly prepared?: Prepared;
  /** The source line of the call, inside `traceOps`. */
  readonly place?: string;
}

/** Computes an operation, and records it if gradients may flow through it. */
export function apply<Options>(
  operation: Operation<Options>,
  operands: readonly Tensor[],
  options: Options,
): Tensor {
  const prepared = prepare(operation, operands, options);
  return applyPrepared(operation.name, prepared, operands, options, operation.isDifferentiable);
}

/** Computes a prepared operation. */
export function applyPrepared(
  name: string,
  prepared: Prepared,
  operands: readonly Tensor[],
  options: unknown,
  isDifferentiable: boolean,
): Tensor {
  const { shape, dtype } = prepared.plan;
  const cells = prepared.compute(operands.map((operand) => operand.data));
  const result = new Tensor({ cells: ownCells(cells, operands), version: 0 }, shape, dtype);
  if (isHeard()) tell({ kind: "operation", operation: name, operands, result, prepared });
  return isDifferentiable
    ? recorded(result, { operation: name, operands, options, prepared })
    : result;
}

/** Copies the cells if a kernel gave back an operand's own array. */
function ownCells(cells: Cells, operands: readonly Tensor[]): Cells {
  return operands.some((operand) => operand.data === cells) ? cells.slice() : cells;
}

/**
 * Gives a result its recipe, if recording is on, the result is a float, and an operand requires
 * gradients.
 */
export function recorded(
  result: Tensor,
  origin: Pick<Recipe, "operation" | "operands" | "options" | "prepared">,
): Tensor {
  if (!isTracking() || !isFloat(result.dtype)) return result;
  const parents = new Map<number, Tensor>();
  for (const [position, operand] of origin.operands.entries())
    if (operand.requiresGrad) parents.set(position, operand);
  if (parents.size === 0) return result;
  const place = callerPlace();
  result.requiresGrad = true;
  result.recipe = {
    ...origin,
    parents,
    versions: origin.operands.map((operand) => operand.storage.version),
    ...(place === undefined ? {} : { place }),
  };
  return result;
}
