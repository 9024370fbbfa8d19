// A result in two numbers: enough to see that two programs computed the same, in whatever order
// they added.

export interface Checksum {
  /** The cells, weighted by their place, so that a permutation of them shows. */
  readonly sum: number;
  /** The magnitudes of what was added, against which a difference is judged. */
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
 * How far two programs' checksums lie apart at most, as a part of the magnitudes; what is not a
 * number is infinitely far.
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
