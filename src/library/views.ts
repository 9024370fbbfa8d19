// Results that a host program reads in the memory of the kernels, until the next run.

import { release, type Block } from "../backends/wasm/memory/kept.ts";

export interface Views {
  blocks: readonly Block[];
}

/** Releases the memory of the results, which nobody reads any longer. */
export function leave(views: Views): void {
  for (const block of views.blocks) release(block);
  views.blocks = [];
}

/**
 * Releases the results of the last run, unless the next run is given some of them. With the same
 * free memory the next run can do the same as the last one.
 */
export function leaveUnlessGiven(views: Views, addresses: readonly number[]): void {
  const isGiven = views.blocks.some(({ address, bytes }) =>
    addresses.some((at) => address <= at && at < address + bytes),
  );
  if (!isGiven) leave(views);
}
