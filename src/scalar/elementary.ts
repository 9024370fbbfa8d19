// Elementary functions, in f64, that JavaScript lacks or that overflow when they are written
// naively.

/** 1 / (1 + e^-x). The exponential is always taken of a number ≤ 0, so it never overflows. */
export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}

/**
 * x to the power y as IEEE 754 defines it: 1 to any power is 1, and -1 to an infinite power is 1.
 * JavaScript gives NaN in these cases.
 */
export function power(x: number, y: number): number {
  if (x === 1 || (x === -1 && (y === Infinity || y === -Infinity))) return 1;
  return Math.pow(x, y);
}

function polynomial(x: number, coefficients: readonly number[]): number {
  let value = 0;
  for (let at = coefficients.length - 1; at >= 0; at--) value = value * x + coefficients[at]!;
  return value;
}

// The error function by the rational approximations of fdlibm's s_erf.c (Sun Microsystems, 1993),
// with an error below 1 ulp:
//
//   |x| < 0.84375          erf x = x + x·P(x²)/Q(x²), where the second term is the smaller one
//   0.84375 ≤ |x| < 1.25   erf x = c + PA(s)/QA(s) with s = |x| - 1 and c ≈ erf 1
//   1.25 ≤ |x| < 6         erf x = 1 - e^(-z² - 0.5625) · e^((z-x)(z+x) + R/S) / x
//
// In the last case R and S are polynomials in 1/x², and z is x with its low half cleared: z² is
// exact, and the exponent loses nothing.

const nearZero = {
  p: [
    1.28379167095512558561e-1, -3.2504210724700149937e-1, -2.84817495755985104766e-2,
    -5.77027029648944159157e-3, -2.37630166566501626084e-5,
  ],
  q: [
    1, 3.97917223959155352819e-1, 6.50222499887672944485e-2, 5.08130628187576562776e-3,
    1.32494738004321644526e-4, -3.9602282787753681232e-6,
  ],
};

const nearOne = {
  centre: 8.45062911510467529297e-1,
  p: [
    -2.36211856075265944077e-3, 4.14856118683748331666e-1, -3.72207876035701323847e-1,
    3.18346619901161753674e-1, -1.10894694282396677476e-1, 3.54783043256182359371e-2,
    -2.166375594868790843e-3,
  ],
  q: [
    1, 1.06420880400844228286e-1, 5.40397917702171048937e-1, 7.18286544141962662868e-2,
    1.26171219808761642112e-1, 1.36370839120290507362e-2, 1.1984499846799107417e-2,
  ],
};

const middle = {
  r: [
    -9.86494403484714822705e-3, -6.93858572707181764372e-1, -1.05586262253232909814e1,
    -6.23753324503260060396e1, -1.62396669462573470355e2, -1.84605092906711035994e2,
    -8.12874355063065934246e1, -9.81432934416914548592,
  ],
  s: [
    1, 1.96512716674392571292e1, 1.376577541435190426e2, 4.34565877475229228821e2,
    6.45387271733267880336e2, 4.29008140027567833386e2, 1.08635005541779435134e2,
    6.57024977031928170135, -6.04244152148580987438e-2,
  ],
};

const tail = {
  r: [
    -9.86494292470009928597e-3, -7.99283237680523006574e-1, -1.77579549177547519889e1,
    -1.60636384855821916062e2, -6.37566443368389627722e2, -1.02509513161107724954e3,
    -4.83519191608651397019e2,
  ],
  s: [
    1, 3.03380607434824582924e1, 3.25792512996573918826e2, 1.53672958608443695994e3,
    3.19985821950859553908e3, 2.55305040643316442583e3, 4.74528541206955367215e2,
    -2.24409524465858183362e1,
  ],
};

export function erf(x: number): number {
  if (Number.isNaN(x)) return x;
  const size = Math.abs(x);
  const sign = x < 0 ? -1 : 1;
  if (size < 0.84375) {
    const square = x * x;
    return x + x * (polynomial(square, nearZero.p) / polynomial(square, nearZero.q));
  }
  if (size < 1.25) {
    const s = size - 1;
    return sign * (nearOne.centre + polynomial(s, nearOne.p) / polynomial(s, nearOne.q));
  }
  if (size >= 6) return sign;
  const { r, s } = size < 1 / 0.35 ? middle : tail;
  const inverse = 1 / (size * size);
  const z = Math.fround(size);
  const exponent = (z - size) * (z + size) + polynomial(inverse, r) / polynomial(inverse, s);
  return sign * (1 - (Math.exp(-z * z - 0.5625) * Math.exp(exponent)) / size);
}
