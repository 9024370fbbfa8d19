// Derivatives by central differences: with D(h) = (f(x + h) - f(x - h)) / 2h, (4·D(h/2) - D(h)) / 3 is exact up to order h⁴.
//
// Steps shrink until the difference settles. Where the curvature jumps, as that of relu(x) ** 2 does at 0, the error is of order h: what the steps
// tend to is a difference too. Where the slopes on the two sides stay apart, or the function is not finite, a branch or a winner
// changes within the step, and there is nothing to compare with.

/** One column: how every cell of the numerator moves with one cell of the denominator. */
export interface Column {
  /** The differences for falling steps, then what they tend to, one row for each cell. */
  readonly slopes: readonly (readonly number[])[];
  /** What rounding adds to each of them. */
  readonly noise: readonly (readonly number[])[];
  /** Is there a kink within the steps, for each cell of the numerator? */
  readonly kink: readonly boolean[];
  /** How far apart the slopes on the two sides are; at a kink the difference lies halfway between them. */
  readonly jump: readonly number[];
}

const steps = [1e-3, 1e-4, 1e-5];

/** `at` gives the numerator's cells when one cell of the denominator, now at x, is moved by a step. */
export function columnOf(at: (step: number) => readonly number[], middle: readonly number[], x: number): Column {
  const scale = Math.max(1, Math.abs(x));
  const known = new Map<number, readonly number[]>();
  const f = (step: number): readonly number[] => {
    let value = known.get(step);
    if (value === undefined) known.set(step, (value = at(step)));
    return value;
  };
  const central = (step: number, row: number): number => (f(step)[row]! - f(-step)[row]!) / (2 * step);
  const extrapolated = steps.map((relative) => {
    const h = relative * scale;
    return middle.map((_, row) => (4 * central(h / 2, row) - central(h, row)) / 3);
  });
  // Each step is a tenth of the one before.
  const limits = extrapolated.slice(1).map((slope, k) => slope.map((d, row) => d + (d - extrapolated[k]![row]!) / 9));
  const rounding = steps.map((relative) => middle.map((m) => (4e-15 * Math.abs(m)) / (relative * scale)));
  const noise = [...rounding, ...rounding.slice(1).map((each) => each.map((n) => (11 / 9) * n))];
  const gap = (step: number, row: number): number => Math.abs(f(step)[row]! - 2 * middle[row]! + f(-step)[row]!) / step;
  const h = steps[2]! * scale;
  // What the curvature adds to the gap is taken away by extrapolation.
  const jump = middle.map((_, row) => 2 * gap(h / 2, row) - gap(h, row));
  return {
    slopes: [...extrapolated, ...limits],
    noise,
    jump,
    kink: middle.map((m, row) => isKink((step) => f(step)[row]!, m, scale)),
  };
}

/** Do the one-sided differences stay apart as the step shrinks, or is there a jump or an infinity? */
function isKink(f: (step: number) => number, middle: number, scale: number): boolean {
  const [wide, last, narrow] = [steps[0]! * scale, steps[2]! * scale, (steps[2]! * scale) / 2];
  const gap = (step: number): number => Math.abs(f(step) - 2 * middle + f(-step)) / step;
  if (![middle, gap(wide), gap(narrow)].every(Number.isFinite)) return true;
  // Smooth: the gap shrinks with the step, by a factor of 100 and more here. At a kink it stays; with a jump it grows. A kink may lie beside
  // the narrowest step and within the one before.
  const noise = (1e-14 * Math.abs(middle)) / narrow;
  if ([last, narrow].some((step) => gap(step) > 1e-6 + noise && gap(step) > gap(wide) / 20)) return true;
  // A jump that is the same on both sides leaves no gap; its difference grows as the step shrinks.
  const secant = (step: number): number => Math.abs(f(step) - f(-step)) / step;
  return secant(narrow) > 20 * secant(wide) + noise;
}

/** How far a derivative is from the nearest of some differences, relative to the larger of the two and to `least`. */
export function distance(own: number, slopes: readonly number[], noise: readonly number[], least: number): number {
  return Math.min(
    ...slopes.map((slope, k) => {
      const apart = Math.max(0, Math.abs(own - slope) - noise[k]!);
      const size = Math.max(Math.abs(own), Math.abs(slope), least);
      return Number.isNaN(apart) ? Infinity : apart / size;
    }),
  );
}
