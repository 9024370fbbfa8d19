// Results that a host program looks at where they lie, in the kernels' memory, until the next run.

import { release, type Block } from "../backends/wasm/memory/kept.ts";

export interface Views {
  blocks: readonly Block[];
}

/** Nobody looks at them any more: there is room where they lie. */
export function leave(views: Views): void {
  for (const block of views.blocks) release(block);
  views.blocks = [];
}

/**
 * Leaves the results of the last run, unless the next one is given some of them: in the same room
 * it can do the same.
 */
export function leaveUnlessGiven(views: Views, addresses: readonly number[]): void {
  const isGiven = views.blocks.some(({ address, bytes }) =>
    addresses.some((at) => address <= at && at < address + bytes),
  );
  if (!isGiven) leave(views);
}
