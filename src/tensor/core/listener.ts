// The listener that hears of each operation as it runs.

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
  /** The gradients of a root, by tensor. `kept` are the tensors whose `.grad` changed. */
  | {
      readonly kind: "backward";
      readonly root: Tensor;
      readonly gradients: ReadonlyMap<Tensor, Tensor>;
      readonly kept: readonly Tensor[];
    }
  /** A tensor over the same cells, without a recipe. */
  | { readonly kind: "detached"; readonly from: Tensor; readonly to: Tensor }
  /** A tensor is about to be overwritten. `before` has its present state. */
  | { readonly kind: "before"; readonly target: Tensor; readonly before: Tensor }
  /** A tensor has been overwritten with the values of `result`. */
  | { readonly kind: "overwritten"; readonly target: Tensor; readonly result: Tensor };

type Listener = (event: Event) => void;

let listener: Listener | undefined;

export function tell(event: Event): void {
  listener?.(event);
}

/** Whether there is a listener. */
export function isHeard(): boolean {
  return listener !== undefined;
}

export function listening<T>(hear: Listener, run: () => T): T {
  return within(hear, run);
}

/** Runs a function without a listener. */
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
