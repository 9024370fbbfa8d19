// Jets: numbers with their response to several small steps ε₁, ε₂, …, where the square of each step
// is 0.
//
// A jet of n steps has 2ⁿ coefficients, one for each product of different steps. The bits of an
// index tell which steps. The coefficient of ε₁·ε₂ in f(x + ε₁ + ε₂) is exactly f''(x), without
// approximation.

export type Jet = readonly number[];

export function constantJet(value: number, steps: number): Jet {
  return lifted([value], steps);
}

/** The same number as a jet with more steps. */
export function lifted(jet: Jet, steps: number): Jet {
  return jet.length === 1 << steps
    ? jet
    : [...jet, ...Array<number>((1 << steps) - jet.length).fill(0)];
}

/** The number moved by one of its steps. */
export function moved(jet: Jet, step: number): Jet {
  return jet.map((each, at) => (at === 1 << step ? each + 1 : each));
}

/** The coefficients of the last step. */
export function movesWithLast(jet: Jet): Jet {
  return jet.slice(jet.length / 2);
}

export function add(a: Jet, b: Jet): Jet {
  return a.map((each, at) => each + b[at]!);
}

export function scaled(a: Jet, by: number): Jet {
  return a.map((each) => each * by);
}

export function subtract(a: Jet, b: Jet): Jet {
  return add(a, scaled(b, -1));
}

export function multiply(a: Jet, b: Jet): Jet {
  const product = Array<number>(a.length).fill(0);
  for (const [i, x] of a.entries())
    for (const [j, y] of b.entries())
      if ((i & j) === 0 && x !== 0 && y !== 0) product[i | j]! += x * y;
  // 0 · ∞ is NaN here too.
  product[0] = a[0]! * b[0]!;
  return product;
}

/** f(a + b·ε) = f(a) + f'(a)·b·ε, where a and b are jets of one step fewer. */
function through(a: Jet, value: (x: number) => number, slope: (x: Jet) => Jet): Jet {
  if (a.length === 1) return [value(a[0]!)];
  const [base, moves] = [a.slice(0, a.length / 2), a.slice(a.length / 2)];
  const isStill = moves.every((each) => each === 0);
  return [...through(base, value, slope), ...(isStill ? moves : multiply(slope(base), moves))];
}

const like = (x: Jet, value: number): Jet => x.map((_, at) => (at === 0 ? value : 0));
const plus = (x: Jet, value: number): Jet => add(x, like(x, value));

export const exp = (a: Jet): Jet => through(a, Math.exp, exp);
export const reciprocal = (a: Jet): Jet =>
  through(
    a,
    (x) => 1 / x,
    (x) => scaled(multiply(reciprocal(x), reciprocal(x)), -1),
  );
export const divide = (a: Jet, b: Jet): Jet => multiply(a, reciprocal(b));
export const log = (a: Jet): Jet => through(a, Math.log, reciprocal);
export const log1p = (a: Jet): Jet => through(a, Math.log1p, (x) => reciprocal(plus(x, 1)));
export const expm1 = (a: Jet): Jet => through(a, Math.expm1, exp);
export const sin = (a: Jet): Jet => through(a, Math.sin, cos);
export const cos = (a: Jet): Jet => through(a, Math.cos, (x) => scaled(sin(x), -1));
export const tan = (a: Jet): Jet => divide(sin(a), cos(a));
export const tanh = (a: Jet): Jet =>
  through(a, Math.tanh, (x) => plus(scaled(multiply(tanh(x), tanh(x)), -1), 1));
export const sigmoid = (a: Jet): Jet => reciprocal(plus(exp(scaled(a, -1)), 1));

/** x to a constant power. A slope that is 0 everywhere is 0 at x = 0 too. */
export function power(a: Jet, exponent: number): Jet {
  return through(
    a,
    (x) => x ** exponent,
    (x) => (exponent === 0 ? like(x, 0) : scaled(power(x, exponent - 1), exponent)),
  );
}

/** x ** y for positive x. */
export const powerOf = (a: Jet, b: Jet): Jet => exp(multiply(b, log(a)));

export const erf = (a: Jet): Jet =>
  through(a, erfOf, (x) => scaled(exp(scaled(multiply(x, x), -1)), 2 / Math.sqrt(Math.PI)));

/**
 * erf(x) = 2/√π · Σ (-1)ⁿ x²ⁿ⁺¹ / (n! (2n + 1)), which converges fast for small numbers. For large
 * ones, 1 - erf(x) is the continued fraction e^(-x²)/√π / (x + ½/(x + 1/(x + 3/2/(x + …)))).
 */
function erfOf(x: number): number {
  if (Math.abs(x) > 3) {
    const size = Math.abs(x);
    let rest = size;
    for (let n = 80; n > 0; n--) rest = size + n / 2 / rest;
    return Math.sign(x) * (1 - Math.exp(-x * x) / (rest * Math.sqrt(Math.PI)));
  }
  let [term, sum] = [x, x];
  for (let n = 1; n < 120; n++) {
    term *= (-x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}
