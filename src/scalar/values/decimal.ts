// Exact decimal digits of a number, rounded half to even as in Python. Format specs are built on
// them.
//
// JavaScript's own toFixed and toExponential round ties up, and toFixed stops at 1e21. So the
// digits are found with integers: a float is exactly m·2^e, and m·2^e·10^p is a quotient of two
// integers.

interface Ratio {
  readonly over: bigint;
  readonly under: bigint;
}

const asF64 = new Float64Array(1);
const asBits = new BigUint64Array(asF64.buffer);

/** |x| as a quotient of integers, for a finite x. */
function ratioOf(x: number | bigint): Ratio {
  if (typeof x === "bigint") return { over: x < 0n ? -x : x, under: 1n };
  asF64[0] = Math.abs(x);
  const bits = asBits[0]!;
  const exponent = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n);
  const power = Math.max(exponent, 1) - 1075;
  return power >= 0
    ? { over: mantissa << BigInt(power), under: 1n }
    : { over: mantissa, under: 1n << BigInt(-power) };
}

/** The integer nearest to |x|·10^places, ties to even. */
function scaled(x: Ratio, places: number): bigint {
  const over = places >= 0 ? x.over * 10n ** BigInt(places) : x.over;
  const under = places >= 0 ? x.under : x.under * 10n ** BigInt(-places);
  const whole = over / under;
  const twice = 2n * (over % under);
  const up = twice > under || (twice === under && whole % 2n === 1n);
  return up ? whole + 1n : whole;
}

/** |x| with exactly `places` digits after the point: `0.13`. */
export function fixedDigits(x: number | bigint, places: number): string {
  const digits = scaled(ratioOf(x), places)
    .toString()
    .padStart(places + 1, "0");
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** |x| rounded to `digits` significant digits, and the power of ten of the first digit. */
export function significantDigits(
  x: number | bigint,
  digits: number,
): { readonly digits: string; readonly exponent: number } {
  const ratio = ratioOf(x);
  if (ratio.over === 0n) return { digits: "0".repeat(digits), exponent: 0 };
  const exponent = exponentOf(ratio);
  const text = scaled(ratio, digits - 1 - exponent).toString();
  // Rounding up 9.99… gives one more digit. The last digit is then 0 and is dropped.
  return text.length > digits
    ? { digits: text.slice(0, digits), exponent: exponent + 1 }
    : { digits: text, exponent };
}

/** The e with 10^e ≤ x < 10^(e + 1), for x above 0. */
function exponentOf({ over, under }: Ratio): number {
  // The lengths of the numerals put x between 10^(estimate - 1) and 10^(estimate + 1).
  const estimate = over.toString().length - under.toString().length;
  const reached =
    estimate >= 0
      ? over >= under * 10n ** BigInt(estimate)
      : over * 10n ** BigInt(-estimate) >= under;
  return reached ? estimate : estimate - 1;
}
