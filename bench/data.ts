// The data of the rows. Simple formulas give the same numbers to every contender. They are written
// to files that every contender reads.

export interface Data {
  readonly dtype: "f32" | "i32";
  readonly shape: readonly number[];
  readonly cells: () => Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
}

/** Numbers between `offset - scale / 2` and `offset + scale / 2`, with a period of 1000. */
export function fill(shape: readonly number[], seed: number, scale = 1, offset = 0): Data {
  return floats(
    shape,
    (at) => (((at * 7919 + seed * 104_729) % 1000) / 1000 - 0.5) * scale + offset,
  );
}

/** A class for each member of a batch. */
export function labels(batch: number, classes: number): Data {
  return integers([batch], (at) => (at * 7) % classes);
}

/** Positions in a table. Some occur more than once, and some never. */
export function tokens(shape: readonly number[], words: number, seed: number): Data {
  return integers(shape, (at) => (at * at * 31 + at * 7919 + seed * 104_729) % words);
}

/** A symmetric positive matrix: its diagonal outweighs the other cells. */
export function positive(n: number, seed: number): Data {
  const half = fill([n, n], seed).cells;
  let cells: Float32Array | Int32Array | undefined;
  return floats([n, n], (at) => {
    cells ??= half();
    const row = Math.floor(at / n);
    const column = at % n;
    return (cells[at]! + cells[column * n + row]!) / 2 + (row === column ? n : 0);
  });
}

export function scalar(value: number): Data {
  return integers([], () => value);
}

function floats(shape: readonly number[], cell: (at: number) => number): Data {
  return { dtype: "f32", shape, cells: () => filled(new Float32Array(sizeOf(shape)), cell) };
}

function integers(shape: readonly number[], cell: (at: number) => number): Data {
  return { dtype: "i32", shape, cells: () => filled(new Int32Array(sizeOf(shape)), cell) };
}

function filled<Cells extends Float32Array | Int32Array>(
  cells: Cells,
  cell: (at: number) => number,
): Cells {
  for (let at = 0; at < cells.length; at++) cells[at] = cell(at);
  return cells;
}

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((size, extent) => size * extent, 1);
}
