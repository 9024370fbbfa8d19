// Splits dimensions into blocks: any number of rows as a sum of block sizes, and the cells of a
// block within their tensor. For example, 600 rows are 256 + 256 + 5 · 16 + 8 · 1.

/** A range of positions of a dimension. */
export interface Block {
  readonly start: number;
  readonly size: number;
}

/** Splits rows into blocks of the given sizes, the largest first. No rows give one empty block. */
export function blocksOf(rows: number, sizes: readonly number[]): readonly Block[] {
  if (rows === 0) return [{ start: 0, size: 0 }];
  const blocks: Block[] = [];
  let start = 0;
  for (const size of sizes.filter((each) => each > 0))
    for (; start + size <= rows; start += size) blocks.push({ start, size });
  return blocks;
}

/** All ways to choose one element of each list. The last list varies fastest. */
export function choices<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return lists.reduce<readonly (readonly T[])[]>(
    (found, list) => found.flatMap((before) => list.map((each) => [...before, each])),
    [[]],
  );
}

/**
 * Visits the cells of a block as runs of neighbours in the whole tensor. Each visit gets the begin
 * of the run in the tensor, its begin in the block, and its length.
 */
export function eachRun(
  shape: readonly number[],
  block: readonly Block[],
  visit: (inWhole: number, inBlock: number, length: number) => void,
): void {
  if (block.some(({ size }) => size === 0)) return;
  // All axes after `last` are whole, so their cells are neighbours.
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
