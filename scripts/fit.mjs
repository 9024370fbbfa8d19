// Derives the coefficients of the elementary functions in src/backends/math. `npm run fit` prints
// them with the error that each fit leaves.
//
// A polynomial, or a quotient of two, is fitted by least squares. The points with large errors gain
// weight from round to round (Lawson's algorithm). The denominator of a quotient is taken from the
// round before, so that the problem stays linear. Afterwards the coefficients are rounded to f32,
// the lowest first, and the others are fitted anew after each.

import { loadTs } from "./load-ts.mjs";

const { erf } = await loadTs("src/scalar/elementary.ts");

/**
 * `f` is the function. `numerator` and `denominator` are numbers of coefficients: without a
 * denominator the fit is a polynomial, and the lowest coefficient of a denominator is 1. `weight`
 * is the factor of an error at x. `round` rounds a coefficient.
 */
const wanted = {
  "exponential: E(r²), r/(e^r - 1) = 1 - r/2 + r² E": {
    f: (z) =>
      z < 1e-3
        ? series(z, [1 / 12, -1 / 720, 1 / 30240, -1 / 1209600])
        : (bernoulli(Math.sqrt(z)) - 1) / z,
    from: 0,
    to: (1.005 * Math.LN2) ** 2,
    numerator: 3,
    // An error of E as a relative error of e^r = 1 + r / D, for the worse sign of r.
    weight: (z) => {
      const r = Math.sqrt(z);
      return Math.max(
        ...[r, -r].map((s) => Math.abs((z * s * (Math.expm1(s) / s) ** 2) / Math.exp(s)) || 0),
      );
    },
  },
  "sigmoid: C(r²), r coth(r/2) = 2 + r² C": {
    f: (z) =>
      z < 1e-3 ? series(z, [1 / 6, -1 / 360, 1 / 15120]) : (2 * bernoulli(Math.sqrt(z)) - 2) / z,
    from: 0,
    to: (0.505 * Math.LN2) ** 2,
    numerator: 2,
    weight: (z) => z ** 1.5,
  },
  "tanh: C(h²), h coth h = 1 + h² C": {
    f: (z) =>
      z < 1e-3
        ? series(z, [1 / 3, -1 / 45, 2 / 945, -1 / 4725])
        : (bernoulli(2 * Math.sqrt(z)) - 1) / z,
    from: 0,
    to: (0.754 * 0.5 * Math.LN2) ** 2,
    numerator: 2,
    weight: (z) => z / bernoulli(2 * Math.sqrt(z)) || 0,
  },
  "log: P/Q, log(1 + f) = f - f²/2 + f³ P/Q": {
    f: (x) =>
      Math.abs(x) < 0.02
        ? series(
            x,
            Array.from({ length: 8 }, (_, k) => (-1) ** k / (k + 3)),
          )
        : (Math.log1p(x) - x + (x * x) / 2) / x ** 3,
    from: Math.SQRT1_2 - 1,
    to: Math.SQRT2 - 1,
    numerator: 3,
    denominator: 3,
    weight: (x) => Math.abs(x ** 3 / Math.log1p(x)) || 0,
  },
  "sine: S(r²), sin r = r + r³ S": {
    f: (z) =>
      z < 1e-3
        ? series(z, [-1 / 6, 1 / 120, -1 / 5040, 1 / 362880])
        : (Math.sin(Math.sqrt(z)) / Math.sqrt(z) - 1) / z,
    from: 0,
    to: 0.8 ** 2,
    numerator: 3,
    weight: (z) => (z * Math.sqrt(z)) / Math.sin(Math.sqrt(z)) || 0,
  },
  "cosine: C(r²), cos r = 1 - r²/2 + r⁴ C": {
    f: (z) =>
      z < 1e-2
        ? series(z, [1 / 24, -1 / 720, 1 / 40320, -1 / 3628800])
        : (Math.cos(Math.sqrt(z)) - 1 + z / 2) / z ** 2,
    from: 0,
    to: 0.8 ** 2,
    numerator: 3,
    weight: (z) => z ** 2 / Math.cos(Math.sqrt(z)),
  },
  "erf: P/Q in f64, erf x = x P(x²) / Q(x²)": {
    f: (z) =>
      z < 1e-6 ? (2 / Math.sqrt(Math.PI)) * (1 - z / 3) : erf(Math.sqrt(z)) / Math.sqrt(z),
    from: 0,
    to: 16,
    numerator: 7,
    denominator: 6,
    round: (value) => value,
  },
  "power: L(s²) in f64, log2((1 + s) / (1 - s)) = s L": {
    f: (z) =>
      (2 / Math.LN2) *
      (z < 1e-7 ? series(z, [1, 1 / 3, 1 / 5]) : Math.atanh(Math.sqrt(z)) / Math.sqrt(z)),
    from: 0,
    to: 1.001 * ((Math.SQRT2 - 1) / (Math.SQRT2 + 1)) ** 2,
    numerator: 5,
    round: (value) => value,
  },
  "power: T(f) in f64, 2^f": {
    f: (x) => 2 ** x,
    from: -0.5,
    to: 0.5,
    numerator: 7,
    round: (value) => value,
  },
};

for (const [name, problem] of Object.entries(wanted)) {
  const { error, numerator, denominator } = fit(problem);
  console.log(`${name}\n  error 2^${Math.log2(error).toFixed(2)}\n  ${numerator.join(", ")}`);
  if (denominator.length > 0) console.log(`  / ${denominator.join(", ")}`);
}

/** r/2 · coth(r/2) */
function bernoulli(r) {
  return r / 2 / Math.tanh(r / 2);
}

function series(x, coefficients) {
  return coefficients.reduceRight((sum, c) => sum * x + c, 0);
}

function fit({
  f,
  from,
  to,
  numerator,
  denominator = 0,
  weight = (x) => 1 / Math.abs(f(x)),
  round = Math.fround,
}) {
  const count = 200;
  const points = Array.from({ length: count }, (_, k) => {
    const x = (from + to) / 2 + ((to - from) / 2) * Math.cos((Math.PI * (k + 0.5)) / count);
    return { x, y: f(x), w: weight(x) };
  });
  // Unknown k is the coefficient of x^k in the numerator; from `numerator` on, a coefficient of the
  // denominator.
  const power = (k) => (k < numerator ? k : k - numerator);
  const column = (k, { x, y }) => (k < numerator ? 1 : -y) * x ** power(k);
  const below = (c, x) => (denominator === 0 ? 1 : series(x, c.slice(numerator)));
  const errorAt = (c, { x, y, w }) =>
    Math.abs(series(x, c.slice(0, numerator)) / below(c, x) - y) * w;
  const errorOf = (c) => Math.max(...points.map((point) => errorAt(c, point)));

  function solve(fixed) {
    const free = [...fixed.keys()].filter((k) => fixed[k] === undefined);
    if (free.length === 0) return fixed;
    let emphasis = points.map(() => 1);
    let last = points.map(() => 1);
    let best = fixed;
    let least = Infinity;
    for (let turn = 0; turn < 150; turn++) {
      const rows = points.map((point, at) => {
        const scale = (point.w * Math.sqrt(emphasis[at])) / Math.abs(last[at]);
        let right = denominator === 0 ? point.y : 0;
        for (const [k, c] of fixed.entries()) if (c !== undefined) right -= c * column(k, point);
        return [...free.map((k) => scale * column(k, point)), scale * right];
      });
      const solution = leastSquares(rows, free.length);
      const c = fixed.map((value, k) => value ?? solution[free.indexOf(k)]);
      const errors = points.map((point) => errorAt(c, point));
      const largest = Math.max(...errors);
      if (largest < least) [least, best] = [largest, c];
      emphasis = emphasis.map((value, at) => value * (errors[at] / largest + 1e-9));
      const total = emphasis.reduce((sum, value) => sum + value, 0);
      emphasis = emphasis.map((value) => (value / total) * count + 1e-12);
      last = points.map(({ x }) => below(c, x));
    }
    return best;
  }

  const fixed = Array.from({ length: numerator + denominator }, (_, k) =>
    k === numerator ? 1 : undefined,
  );
  let c = solve(fixed);
  const lowestFirst = [...fixed.keys()].toSorted((a, b) => power(a) - power(b) || a - b);
  for (const k of lowestFirst) {
    if (fixed[k] !== undefined) continue;
    fixed[k] = round(c[k]);
    c = solve([...fixed]);
  }
  return { error: errorOf(c), numerator: c.slice(0, numerator), denominator: c.slice(numerator) };
}

/** Solves by Householder reflections. The last entry of a row is its right side. */
function leastSquares(rows, n) {
  const norms = Array.from({ length: n }, (_, j) => Math.hypot(...rows.map((row) => row[j])) || 1);
  const a = rows.map((row) => row.map((value, j) => (j < n ? value / norms[j] : value)));
  for (let j = 0; j < n; j++) {
    const mirror = a.slice(j).map((row) => row[j]);
    mirror[0] += Math.sign(mirror[0] || 1) * Math.hypot(...mirror);
    const size = mirror.reduce((sum, value) => sum + value * value, 0);
    if (size === 0) continue;
    for (let k = j; k <= n; k++) {
      const along = (2 * mirror.reduce((sum, value, i) => sum + value * a[i + j][k], 0)) / size;
      for (const [i, value] of mirror.entries()) a[i + j][k] -= along * value;
    }
  }
  const x = Array.from({ length: n }, () => 0);
  for (let j = n - 1; j >= 0; j--) {
    const rest = a[j].slice(j + 1, n).reduce((sum, value, k) => sum + value * x[j + 1 + k], 0);
    x[j] = (a[j][n] - rest) / a[j][j];
  }
  return x.map((value, j) => value / norms[j]);
}
