// Describes a result by two numbers. They show whether two programs computed the same, even if they
// added in different orders.

export interface Checksum {
  /** The sum of the cells, weighted by their positions, so that a permutation changes it. */
  readonly sum: number;
  /** The sum of the magnitudes of the weighted cells. A difference is judged against it. */
  readonly scale: number;
}

export function checksum(cells: ArrayLike<number>): Checksum {
  let sum = 0;
  let scale = 0;
  for (let at = 0; at < cells.length; at++) {
    const term = cells[at]! * (1 + (at % 7));
    sum += term;
    scale += Math.abs(term);
  }
  return { sum, scale };
}

/**
 * The greatest difference of the checksums of two programs, as a fraction of the magnitudes. A NaN
 * is infinitely far.
 */
export function distance(ours: readonly Checksum[], theirs: readonly Checksum[]): number {
  if (ours.length !== theirs.length || ours.length === 0) return Infinity;
  const apart = ours.map((one, at) => {
    const other = theirs[at]!;
    const difference = Math.max(Math.abs(one.sum - other.sum), Math.abs(one.scale - other.scale));
    return difference === 0 ? 0 : difference / Math.max(one.scale, other.scale);
  });
  return apart.some(Number.isNaN) ? Infinity : Math.max(...apart);
}
