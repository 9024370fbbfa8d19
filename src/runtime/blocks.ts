// Tensors in blocks of rows: any extent as a sum of those that there are plans for, and the cells
// of a block within their tensor.

/** A part of a dimension. */
export interface Block {
  readonly start: number;
  readonly size: number;
}

/** So many rows in blocks of given sizes, the largest first; no rows are one block of none. */
export function blocksOf(rows: number, sizes: readonly number[]): readonly Block[] {
  if (rows === 0) return [{ start: 0, size: 0 }];
  const blocks: Block[] = [];
  let start = 0;
  for (const size of sizes.filter((each) => each > 0))
    for (; start + size <= rows; start += size) blocks.push({ start, size });
  return blocks;
}

/** All ways to take one of each, the last one changing first. */
export function choices<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return lists.reduce<readonly (readonly T[])[]>(
    (found, list) => found.flatMap((before) => list.map((each) => [...before, each])),
    [[]],
  );
}

/**
 * Visits the cells of a block in runs that lie together in the whole tensor: where each begins
 * there and in the block, and how long it is.
 */
export function eachRun(
  shape: readonly number[],
  block: readonly Block[],
  visit: (inWhole: number, inBlock: number, length: number) => void,
): void {
  if (block.some(({ size }) => size === 0)) return;
  // The axes behind this one are whole.
  let last = shape.length - 1;
  while (last > 0 && block[last]!.size === shape[last]) last--;
  const product = (sizes: readonly number[]): number =>
    sizes.reduce((cells, size) => cells * size, 1);
  const strides = shape.map((_, axis) => product(shape.slice(axis + 1)));
  let inBlock = 0;
  const walk = (axis: number, offset: number): void => {
    const { start, size } = block[axis] ?? { start: 0, size: 1 };
    const stride = strides[axis] ?? 1;
    if (axis >= last) {
      visit(offset + start * stride, inBlock, size * stride);
      inBlock += size * stride;
    } else for (let k = start; k < start + size; k++) walk(axis + 1, offset + k * stride);
  };
  walk(0, 0);
}
