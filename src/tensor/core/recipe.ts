// How a tensor was made: the operation, what it was given, and where gradients go back to.

import { isFloat } from "../../scalar/types.ts";
import { isHeard, tell } from "./listener.ts";
import { callerPlace, isTracking } from "./mode.ts";
import { prepare, type Operation, type Prepared } from "./operation.ts";
import { Tensor } from "../tensor.ts";
import type { Cells } from "./kernel.ts";

export interface Recipe {
  readonly operation: string;
  /** Every operand by position, in the state that it had. */
  readonly operands: readonly Tensor[];
  readonly options: unknown;
  /** The operands that gradients go back to, by position. */
  readonly parents: ReadonlyMap<number, Tensor>;
  /** Versions of the operands' cells when they were read. */
  readonly versions: readonly number[];
  /** Present for definitions: what derives their pullbacks. */
  readonly prepared?: Prepared;
  /** The source line of the call, inside `traceOps`. */
  readonly place?: string;
}

/** Computes an operation, and records it if a gradient may want to come back through it. */
export function apply<Options>(
  operation: Operation<Options>,
  operands: readonly Tensor[],
  options: Options,
): Tensor {
  const prepared = prepare(operation, operands, options);
  return applied(operation.name, prepared, operands, options, operation.isDifferentiable);
}

/** The same for an operation that is already prepared. */
export function applied(
  name: string,
  prepared: Prepared,
  operands: readonly Tensor[],
  options: unknown,
  isDifferentiable: boolean,
): Tensor {
  const { shape, dtype } = prepared.plan;
  const cells = prepared.compute(operands.map((operand) => operand.data));
  const result = new Tensor({ cells: own(cells, operands), version: 0 }, shape, dtype);
  if (isHeard()) tell({ kind: "operation", operation: name, operands, result, prepared });
  return isDifferentiable
    ? recorded(result, { operation: name, operands, options, prepared })
    : result;
}

/** A kernel may hand an operand's own cells back; a result has cells of its own. */
function own(cells: Cells, operands: readonly Tensor[]): Cells {
  return operands.some((operand) => operand.data === cells) ? cells.slice() : cells;
}

/**
 * Gives a result its recipe, if recording is on, the result is a float, and some operand requires
 * gradients.
 */
export function recorded(
  result: Tensor,
  made: Pick<Recipe, "operation" | "operands" | "options" | "prepared">,
): Tensor {
  if (!isTracking() || !isFloat(result.dtype)) return result;
  const parents = new Map<number, Tensor>();
  for (const [position, operand] of made.operands.entries())
    if (operand.requiresGrad) parents.set(position, operand);
  if (parents.size === 0) return result;
  const place = callerPlace();
  result.requiresGrad = true;
  result.recipe = {
    ...made,
    parents,
    versions: made.operands.map((operand) => operand.storage.version),
    ...(place === undefined ? {} : { place }),
  };
  return result;
}
