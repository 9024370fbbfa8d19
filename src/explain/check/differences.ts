// Numerical derivatives by central differences with Richardson extrapolation:
//
//    D(h) = (f(x + h) - f(x - h)) / 2h
//    (D(q·h) - q²·D(h)) / (1 - q²)   is exact up to order h⁴
//
// The steps shrink until the difference settles. If the curvature jumps, as that of relu(x) ** 2
// does at 0, the error is of order h. So the limit of the steps is used as a difference, too. If
// the slopes on the two sides stay apart, or the function is not finite, a branch or a winner
// changes within the step, and there is nothing to compare with.

/**
 * One column of the Jacobian: how every cell of the numerator moves with one cell of the
 * denominator.
 */
export interface Column {
  /**
   * The differences for falling steps, and then their limits. Each row has one number for each
   * cell.
   */
  readonly slopes: readonly (readonly number[])[];
  /** The rounding error of each difference. */
  readonly noise: readonly (readonly number[])[];
  /**
   * How much each difference changes if its step changes a little. This is an uncertainty: if terms
   * cancel on the way to a cell, the rounding error is larger than the size of the cell suggests.
   * Computed only on demand.
   */
  readonly shaking: () => readonly (readonly number[])[];
  /** Is there a kink within the steps, for each cell of the numerator? */
  readonly kink: readonly boolean[];
  /**
   * The difference between the slopes on the two sides. At a kink, a central difference lies
   * halfway between these slopes.
   */
  readonly jump: readonly number[];
}

const steps = [1e-3, 1e-4, 1e-5];

/**
 * The shorter of two steps, as a share of the longer one. The golden ratio is far from all simple
 * fractions, so a wave that fits into one step does not fit into the other.
 */
const q = (Math.sqrt(5) - 1) / 2;

/**
 * Shares of a step at which the difference is computed again. They are so close that the truncation
 * errors are equal, and so far apart that the rounding errors are not.
 */
const nearby = [0.91, 0.83, 0.74, 0.67, 0.59];

/**
 * How far a difference may be from the true slope, in ranges of the six differences around it. Six
 * differences rarely miss the true slope by more than two ranges.
 */
const ranges = 3;

/** How far a derivative may be from its difference, relative to the larger of the two. */
export const tolerance = 1e-6;

/** How far differences may be from one another to count as settled. */
const settled = 1e-3;

/**
 * `at` gives the cells of the numerator after one cell of the denominator, with the value x, is
 * moved by a step.
 */
export function columnOf(
  at: (step: number) => readonly number[],
  middle: readonly number[],
  x: number,
): Column {
  const scale = Math.max(1, Math.abs(x));
  const valuesAt = new Map<number, readonly number[]>();
  const fAt = (step: number): readonly number[] => {
    let value = valuesAt.get(step);
    if (value === undefined) valuesAt.set(step, (value = at(step)));
    return value;
  };
  const central = (step: number, row: number): number =>
    (fAt(step)[row]! - fAt(-step)[row]!) / (2 * step);
  const slopeAt = (h: number, row: number): number =>
    (central(q * h, row) - q * q * central(h, row)) / (1 - q * q);
  const extrapolated = steps.map((relative) =>
    middle.map((_, row) => slopeAt(relative * scale, row)),
  );
  // Each step is a tenth of the step before it. So a ninth of the last change is still missing.
  const limits = extrapolated
    .slice(1)
    .map((slope, k) => slope.map((d, row) => d + (d - extrapolated[k]![row]!) / 9));
  const rounding = steps.map((relative) =>
    middle.map((m) => (4e-15 * Math.abs(m)) / (relative * scale)),
  );
  const noise = [...rounding, ...rounding.slice(1).map((each) => each.map((n) => (11 / 9) * n))];
  const shakenAt = (k: number, row: number): number => {
    const around = nearby.map((part) => slopeAt(part * steps[k]! * scale, row));
    return ranges * rangeOf([extrapolated[k]![row]!, ...around]);
  };
  let shaking: readonly (readonly number[])[] | undefined;
  const findShaking = (): readonly (readonly number[])[] => {
    const own = steps.map((_, k) => middle.map((__, row) => shakenAt(k, row)));
    return [
      ...own,
      ...own.slice(1).map((each, k) => each.map((n, row) => (10 * n + own[k]![row]!) / 9)),
    ];
  };
  const gap = (step: number, row: number): number =>
    Math.abs(fAt(step)[row]! - 2 * middle[row]! + fAt(-step)[row]!) / step;
  const h = steps[2]! * scale;
  // The extrapolation removes the share of the curvature.
  const jump = middle.map((_, row) => Math.abs(gap(q * h, row) - q * gap(h, row)) / (1 - q));
  return {
    slopes: [...extrapolated, ...limits],
    noise,
    shaking: () => (shaking ??= findShaking()),
    jump,
    kink: middle.map((m, row) => isKink((step) => fAt(step)[row]!, m, scale)),
  };
}

function rangeOf(numbers: readonly number[]): number {
  return Math.max(...numbers) - Math.min(...numbers);
}

/**
 * Do the slopes on the two sides stay apart as the step shrinks? Or is there a jump or an infinity?
 */
function isKink(f: (step: number) => number, middle: number, scale: number): boolean {
  const [wide, last, narrow] = [steps[0]! * scale, steps[2]! * scale, q * steps[2]! * scale];
  const gap = (step: number): number => Math.abs(f(step) - 2 * middle + f(-step)) / step;
  if (![middle, gap(wide), gap(narrow)].every(Number.isFinite)) return true;
  // Smooth function: the gap shrinks with the step, here by a factor of at least 100. Kink: the gap
  // stays. Jump: the gap grows. A kink may lie outside of the narrowest step and inside the next
  // one.
  const noise = (1e-14 * Math.abs(middle)) / narrow;
  if ([last, narrow].some((step) => gap(step) > 1e-6 + noise && gap(step) > gap(wide) / 20))
    return true;
  // A jump that is symmetric leaves no gap. Its difference grows as the step shrinks.
  const secant = (step: number): number => Math.abs(f(step) - f(-step)) / step;
  return secant(narrow) > 20 * secant(wide) + noise;
}

/** The differences for one number: for one cell, or for a weighted sum of cells. */
interface Differences {
  readonly slopes: readonly number[];
  readonly noise: readonly number[];
  readonly shaking: () => readonly number[];
  readonly jump: number;
  readonly kink: boolean;
}

/** The differences of one cell of the numerator. */
export function ofRow({ slopes, noise, shaking, jump, kink }: Column, row: number): Differences {
  const numbersOfRow = (rows: readonly (readonly number[])[]): readonly number[] =>
    rows.map((cells) => cells[row]!);
  return {
    slopes: numbersOfRow(slopes),
    noise: numbersOfRow(noise),
    shaking: () => numbersOfRow(shaking()),
    jump: jump[row]!,
    kink: kink[row]!,
  };
}

interface Verdict {
  readonly kind: "agrees" | "differs" | "undecided";
  /**
   * The distance from the derivative to the nearest difference, relative to the larger of the two.
   */
  readonly distance: number;
}

/** Compares a derivative with its differences. Numbers below `least` count as small. */
export function compared(own: number, differences: Differences, least: number): Verdict {
  // At a kink the differences lie halfway between two slopes. They cannot tell the right one.
  if (differences.kink) return { kind: "undecided", distance: 0 };
  const first = judged(own, differences, differences.noise, least, settled);
  if (first.kind !== "differs") return first;
  // Before the verdict is "differs", the uncertainty of the differences is measured, not only
  // estimated.
  const shaking = differences.shaking();
  const measured = differences.noise.map((n, k) => Math.max(n, shaking[k]!));
  return judged(own, differences, measured, least, tolerance);
}

/**
 * The verdict for given uncertainties of the differences.
 *
 * A difference agrees only if it is precise, or if none is precise and it is the most precise one.
 * The differences contradict a derivative only if they agree with one another. They do not
 * contradict in two cases:
 *
 * - No two of them are equal up to their uncertainty.
 * - The most precise one is spoiled: another one, which agrees with the derivative, differs from
 *   it by more than both uncertainties and some slack. A kink within its steps may spoil it, or an
 *   equal rounding error at all steps.
 */
function judged(
  own: number,
  { slopes, jump }: Differences,
  noise: readonly number[],
  least: number,
  slack: number,
): Verdict {
  const quietest = Math.min(...noise);
  const sizes = slopes.map((slope) => Math.max(Math.abs(own), Math.abs(slope), least));
  const apart = slopes.map((slope, k) => {
    const off = Math.max(0, Math.abs(own - slope) - noise[k]!) / sizes[k]!;
    return Number.isNaN(off) ? Infinity : off;
  });
  const isQuiet = slopes.map((_, k) => noise[k]! <= tolerance * sizes[k]! || noise[k] === quietest);
  const distance = Math.min(...apart.filter((_, k) => isQuiet[k]));
  if (distance <= tolerance) return { kind: "agrees", distance };
  const alike = (j: number, k: number, slack: number): boolean =>
    Math.abs(slopes[j]! - slopes[k]!) <=
    noise[j]! + noise[k]! + slack * Math.max(sizes[j]!, sizes[k]!);
  const last = steps.length - 1;
  const off = Math.abs(own - slopes[last]!);
  // At a kink, a central difference lies halfway between two slopes, and the derivative is one of
  // them.
  const isBend = jump > 10 * noise[last]! && Math.abs(jump / 2 - off) < 0.1 * off;
  const isSettled = steps.some((_, j) => steps.some((__, k) => j < k && alike(j, k, settled)));
  const quiet = noise.indexOf(quietest);
  const isSpoiled = slopes.some(
    (_, k) => !isQuiet[k] && apart[k]! <= tolerance && !alike(quiet, k, slack),
  );
  return { kind: isBend || !isSettled || isSpoiled ? "undecided" : "differs", distance };
}
