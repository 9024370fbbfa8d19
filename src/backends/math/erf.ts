// The error function as one fraction in f64: in f32 the rounding of its polynomials would cost six
// units of the last place.
//
//   erf x = x · P(x²) / Q(x²)        |x| ≤ 4; beyond 4 it is the value at 4, which rounds to 1

import type { Lanes } from "./lanes.ts";
import { widePolynomial } from "./polynomial.ts";

// By `npm run fit`: relative error below 2^-28.
const numerator = [
  1.128379169389196, 0.1852023525965358, 0.05431703676266153, 0.003849608238128069,
  0.00037961870066956433, 0.000004685055455377887, -1.3203586832938571e-8,
];
const denominator = [
  1, 0.49746472551316395, 0.11395827007398675, 0.015462115977227712, 0.0013075825908451973,
  0.0000631132306903748,
];
const end = 4;

export function erf<V>(m: Lanes<V>, x: V): V {
  const bounded = m.pmax(m.float(-end), m.pmin(m.float(end), x));
  return m.wide([bounded], (d, [w]) => {
    const square = d.mul(w!, w!);
    return d.div(
      d.mul(w!, widePolynomial(d, square, numerator)),
      widePolynomial(d, square, denominator),
    );
  });
}
