// The operations that methods of tensors call. Operations make tensors, so they stand right of the
// class: its methods find them here, where `index.ts` puts them before anybody has a tensor.

import type { backward } from "./backward.ts";
import type * as functions from "./functions.ts";
import type * as inPlace from "./in-place.ts";

/** Every operation under its name. */
export type Operations = typeof functions & typeof inPlace & { readonly backward: typeof backward };

const table: { operations?: Operations } = {};

/** Called once, by the door of the room. */
export function giveOperations(operations: Operations): void {
  table.operations = operations;
}

export function operations(): Operations {
  if (!table.operations)
    throw new Error("tensors are used through `index.ts`, which has their operations");
  return table.operations;
}
