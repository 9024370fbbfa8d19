// Derivatives by central differences: with D(h) = (f(x + h) - f(x - h)) / 2h, (D(q·h) - q²·D(h)) /
// (1 - q²) is exact up to order h⁴.
//
// Steps shrink until the difference settles. Where the curvature jumps, as that of relu(x) ** 2
// does at 0, the error is of order h: what the steps tend to is a difference too. Where the slopes
// on the two sides stay apart, or the function is not finite, a branch or a winner changes within
// the step, and there is nothing to compare with.

/** One column: how every cell of the numerator moves with one cell of the denominator. */
export interface Column {
  /** The differences for falling steps, then what they tend to, one row for each cell. */
  readonly slopes: readonly (readonly number[])[];
  /** What rounding adds to each of them. */
  readonly noise: readonly (readonly number[])[];
  /**
   * How far each of them moves when its step does, by which it is uncertain: where something
   * cancels on the way to a cell, rounding adds more than the cell's size tells. Looked for only
   * when it is asked for.
   */
  readonly shaking: () => readonly (readonly number[])[];
  /** Is there a kink within the steps, for each cell of the numerator? */
  readonly kink: readonly boolean[];
  /**
   * How far apart the slopes on the two sides are; at a kink the difference lies halfway between
   * them.
   */
  readonly jump: readonly number[];
}

const steps = [1e-3, 1e-4, 1e-5];

/**
 * The shorter one of each two steps, as a part of the other: as far from any fraction as can be, so
 * that waves that fit into one do not fit into the other.
 */
const q = (Math.sqrt(5) - 1) / 2;

/**
 * Parts of a step at which its difference is taken again: near enough to have the same errors, far
 * enough to round in other ways.
 */
const nearby = [0.91, 0.83, 0.74, 0.67, 0.59];

/**
 * How far a difference may be from the truth, in ranges of those around it: six of them rarely miss
 * by more than two.
 */
const ranges = 3;

/** How far a derivative may be from its difference, relative to the larger of the two. */
export const tolerance = 1e-6;

/** How far differences may be from one another where they have settled. */
const settled = 1e-3;

/**
 * `at` gives the numerator's cells when one cell of the denominator, now at x, is moved by a step.
 */
export function columnOf(
  at: (step: number) => readonly number[],
  middle: readonly number[],
  x: number,
): Column {
  const scale = Math.max(1, Math.abs(x));
  const known = new Map<number, readonly number[]>();
  const f = (step: number): readonly number[] => {
    let value = known.get(step);
    if (value === undefined) known.set(step, (value = at(step)));
    return value;
  };
  const central = (step: number, row: number): number =>
    (f(step)[row]! - f(-step)[row]!) / (2 * step);
  const slopeAt = (h: number, row: number): number =>
    (central(q * h, row) - q * q * central(h, row)) / (1 - q * q);
  const extrapolated = steps.map((relative) =>
    middle.map((_, row) => slopeAt(relative * scale, row)),
  );
  // Each step is a tenth of the one before.
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
    Math.abs(f(step)[row]! - 2 * middle[row]! + f(-step)[row]!) / step;
  const h = steps[2]! * scale;
  // What the curvature adds to the gap is taken away by extrapolation.
  const jump = middle.map((_, row) => Math.abs(gap(q * h, row) - q * gap(h, row)) / (1 - q));
  return {
    slopes: [...extrapolated, ...limits],
    noise,
    shaking: () => (shaking ??= findShaking()),
    jump,
    kink: middle.map((m, row) => isKink((step) => f(step)[row]!, m, scale)),
  };
}

function rangeOf(numbers: readonly number[]): number {
  return Math.max(...numbers) - Math.min(...numbers);
}

/**
 * Do the one-sided differences stay apart as the step shrinks, or is there a jump or an infinity?
 */
function isKink(f: (step: number) => number, middle: number, scale: number): boolean {
  const [wide, last, narrow] = [steps[0]! * scale, steps[2]! * scale, q * steps[2]! * scale];
  const gap = (step: number): number => Math.abs(f(step) - 2 * middle + f(-step)) / step;
  if (![middle, gap(wide), gap(narrow)].every(Number.isFinite)) return true;
  // Smooth: the gap shrinks with the step, by a factor of 100 and more here. At a kink it stays;
  // with a jump it grows. A kink may lie beside the narrowest step and within the one before.
  const noise = (1e-14 * Math.abs(middle)) / narrow;
  if ([last, narrow].some((step) => gap(step) > 1e-6 + noise && gap(step) > gap(wide) / 20))
    return true;
  // A jump that is the same on both sides leaves no gap; its difference grows as the step shrinks.
  const secant = (step: number): number => Math.abs(f(step) - f(-step)) / step;
  return secant(narrow) > 20 * secant(wide) + noise;
}

/** The differences for one number: of one cell, or of several weighed. */
interface Differences {
  readonly slopes: readonly number[];
  readonly noise: readonly number[];
  readonly shaking: () => readonly number[];
  readonly jump: number;
  readonly kink: boolean;
}

/** The differences of one cell of the numerator. */
export function ofRow({ slopes, noise, shaking, jump, kink }: Column, row: number): Differences {
  const own = (rows: readonly (readonly number[])[]): readonly number[] =>
    rows.map((cells) => cells[row]!);
  return {
    slopes: own(slopes),
    noise: own(noise),
    shaking: () => own(shaking()),
    jump: jump[row]!,
    kink: kink[row]!,
  };
}

interface Verdict {
  readonly kind: "agrees" | "differs" | "undecided";
  /** How far the derivative is from the nearest difference, relative to the larger of the two. */
  readonly distance: number;
}

/** A derivative against differences; `least` is what counts as large. */
export function compared(own: number, differences: Differences, least: number): Verdict {
  // Halfway between two slopes is nobody's derivative, and what is right at a kink differences
  // cannot tell.
  if (differences.kink) return { kind: "undecided", distance: 0 };
  const first = judged(own, differences, differences.noise, least, settled);
  if (first.kind !== "differs") return first;
  // Before anything is called wrong, what the differences are worth is measured and not only
  // estimated.
  const shaking = differences.shaking();
  const measured = differences.noise.map((n, k) => Math.max(n, shaking[k]!));
  return judged(own, differences, measured, least, tolerance);
}

/**
 * A difference that rounding has spoiled cannot speak for a derivative, unless all are spoiled and
 * it is the least of them. Against one they speak only where they agree with one another: not where
 * no two of them are alike, and not where one that rounding leaves alone is spoiled, by a kink
 * within its steps or by rounding the same way at all of them, so that another one contradicts it
 * by more than the noise of both and some slack.
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
  // At a kink a central difference lies halfway between the two slopes, one of which is the
  // derivative.
  const isBend = jump > 10 * noise[last]! && Math.abs(jump / 2 - off) < 0.1 * off;
  const isSettled = steps.some((_, j) => steps.some((__, k) => j < k && alike(j, k, settled)));
  const quiet = noise.indexOf(quietest);
  const isSpoiled = slopes.some(
    (_, k) => !isQuiet[k] && apart[k]! <= tolerance && !alike(quiet, k, slack),
  );
  return { kind: isBend || !isSettled || isSpoiled ? "undecided" : "differs", distance };
}
