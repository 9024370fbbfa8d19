// Who listens to operations as they run.

import type { Prepared } from "./operation.ts";
import type { Tensor } from "../tensor.ts";

export type Event =
  | {
      readonly kind: "operation";
      readonly operation: string;
      readonly operands: readonly Tensor[];
      readonly result: Tensor;
      readonly prepared?: Prepared;
    }
  /**
   * Gradients of a root by the tensors that they belong to; `kept` are those that became somebody's
   * `.grad`.
   */
  | {
      readonly kind: "backward";
      readonly root: Tensor;
      readonly gradients: ReadonlyMap<Tensor, Tensor>;
      readonly kept: readonly Tensor[];
    }
  /** The same cells without a recipe. */
  | { readonly kind: "detached"; readonly from: Tensor; readonly to: Tensor }
  /** A tensor is about to be overwritten; `before` holds what it held. */
  | { readonly kind: "before"; readonly target: Tensor; readonly before: Tensor }
  /** It has the values of the result now. */
  | { readonly kind: "overwritten"; readonly target: Tensor; readonly result: Tensor };

type Listener = (event: Event) => void;

let listener: Listener | undefined;

export function tell(event: Event): void {
  listener?.(event);
}

/** Whether it is worth saying anything. */
export function isHeard(): boolean {
  return listener !== undefined;
}

export function listening<T>(hear: Listener, run: () => T): T {
  return within(hear, run);
}

/** What runs here is nobody's business. */
export function unheard<T>(run: () => T): T {
  return within(undefined, run);
}

function within<T>(next: Listener | undefined, run: () => T): T {
  const before = listener;
  listener = next;
  try {
    return run();
  } finally {
    listener = before;
  }
}
