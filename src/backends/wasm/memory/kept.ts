// Blocks of the memory that outlive runs: arrays that the host fills before a run, and results that
// it looks at in place afterwards. Runs take room freeAround them.

import type { TypedArray } from "../../../scalar/types.ts";

export interface Block {
  readonly address: number;
  readonly bytes: number;
}

/** Sorted by address. No two blocks overlap. */
const kept: Block[] = [];

/** The blocks that are kept at this moment. */
export function keptNow(): readonly Block[] {
  return [...kept];
}

/** Whether the same blocks are kept as at an earlier moment. */
export function isKeptNow(then: readonly Block[]): boolean {
  if (then.length !== kept.length) return false;
  for (let k = 0; k < kept.length; k++) {
    const [one, other] = [kept[k]!, then[k]!];
    if (one.address !== other.address || one.bytes !== other.bytes) return false;
  }
  return true;
}

export function keep(block: Block): Block {
  const at = kept.findIndex(({ address }) => address > block.address);
  kept.splice(at < 0 ? kept.length : at, 0, block);
  return block;
}

/** Whether the host keeps a block. */
export function isAnyKept(): boolean {
  return kept.length > 0;
}

export function release(block: Block): void {
  const at = kept.indexOf(block);
  if (at >= 0) kept.splice(at, 1);
}

/** The free room between kept blocks, from an address on, and the end of the last kept block. */
export function freeAround(first: number): {
  readonly free: { address: number; bytes: number }[];
  readonly end: number;
} {
  const free: { address: number; bytes: number }[] = [];
  let end = first;
  for (const { address, bytes } of kept) {
    if (address > end) free.push({ address: end, bytes: address - end });
    end = Math.max(end, address + bytes);
  }
  return { free, end };
}

/** Whether cells lie within a kept block. */
export function isKept({ byteOffset, byteLength }: TypedArray): boolean {
  return kept.some(
    ({ address, bytes }) => address <= byteOffset && byteOffset + byteLength <= address + bytes,
  );
}
