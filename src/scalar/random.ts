// Random numbers as pure functions of a seed and a position: `uniform(seed, n)`, `normal(seed, n)`
// and `randint(seed, n, lo, hi)`.
//
// The generator is Philox 4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). Its key is the seed and its counter is
// the position, both as 64-bit integers split into words, the low word first.
//
// `normal` needs a logarithm and a cosine, whose last bit differs between libraries. Here both are
// written out with + - * / and sqrt on f64 alone, in a fixed order. Every backend that repeats
// these steps, without fusing a multiply and an add, draws the same bits.

import { ArithmeticFault } from "./fault.ts";

type Words = readonly [number, number, number, number];

/** The upper 32 bits of the product of two unsigned 32-bit words. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const low = aLow * bLow;
  const cross = aHigh * bLow + (low >>> 16);
  const middle = aLow * bHigh + (cross % 0x10000);
  return (aHigh * bHigh + Math.floor(cross / 0x10000) + Math.floor(middle / 0x10000)) >>> 0;
}

const multipliers = [0xd2511f53, 0xcd9e8d57] as const;
const keySteps = [0x9e3779b9, 0xbb67ae85] as const;
const rounds = 10;

export function philox(counter: Words, key: readonly [number, number]): Words {
  let [c0, c1, c2, c3] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < rounds; round++) {
    const high0 = multiplyHigh(multipliers[0], c0);
    const high1 = multiplyHigh(multipliers[1], c2);
    const low0 = Math.imul(multipliers[0], c0) >>> 0;
    const low1 = Math.imul(multipliers[1], c2) >>> 0;
    c0 = (high1 ^ c1 ^ k0) >>> 0;
    c1 = low1;
    c2 = (high0 ^ c3 ^ k1) >>> 0;
    c3 = low0;
    k0 = (k0 + keySteps[0]) >>> 0;
    k1 = (k1 + keySteps[1]) >>> 0;
  }
  return [c0, c1, c2, c3];
}

/** The low and the high word of an integer that is sign-extended to 64 bits. */
function lowAndHighWord(n: number | bigint): readonly [number, number] {
  if (typeof n === "number") return [n >>> 0, n < 0 ? 0xffffffff : 0];
  const bits = BigInt.asUintN(64, n);
  return [Number(bits & 0xffffffffn), Number(bits >> 32n)];
}

function draw(seed: number | bigint, n: number | bigint): Words {
  const [low, high] = lowAndHighWord(n);
  return philox([low, high, 0, 0], lowAndHighWord(seed));
}

/** The upper 24 bits of a word as a number in [0, 1), which is exact in f32. */
function unit(word: number): number {
  return (word >>> 8) * 2 ** -24;
}

/** An f32 in [0, 1). */
export function uniform(seed: number | bigint, n: number | bigint): number {
  return unit(draw(seed, n)[0]);
}

/**
 * An f32 from the standard normal distribution, by the method of Box and Muller. One word gives 1 -
 * uniform, which is never 0, for the radius. The next word gives the angle.
 */
export function normal(seed: number | bigint, n: number | bigint): number {
  const words = draw(seed, n);
  const radius = Math.sqrt(-2 * logOfUnit(1 - unit(words[0])));
  return Math.fround(radius * cosOfTurns(unit(words[1])));
}

/** An integer in [lo, hi), of the type that both bounds have. */
export function randint(
  seed: number | bigint,
  n: number | bigint,
  lo: number | bigint,
  hi: number | bigint,
): number | bigint {
  if (lo >= hi) throw new ArithmeticFault("empty random range");
  const word = draw(seed, n)[0];
  if (typeof lo === "bigint" || typeof hi === "bigint") {
    return BigInt(lo) + (BigInt(word) % (BigInt(hi) - BigInt(lo)));
  }
  return lo + (word % (hi - lo));
}

/**
 * The natural logarithm of u in (0, 1], where u is a multiple of 2^-24 (after fdlibm's e_log.c).
 * With u = 2^k (1 + f), √½ ≤ 1 + f < √2 and s = f / (2 + f):
 *
 *   log(1 + f) = f - f²/2 + s (f²/2 + R(s²))
 */
export function logOfUnit(u: number): number {
  let scaled = u;
  let k = 0;
  // Doubling is exact, and at most 24 steps reach the interval.
  while (scaled < Math.SQRT1_2) {
    scaled *= 2;
    k -= 1;
  }
  const f = scaled - 1;
  const s = f / (2 + f);
  const z = s * s;
  let r = 1.479819860511658591e-1;
  r = r * z + 1.531383769920937332e-1;
  r = r * z + 1.818357216161805012e-1;
  r = r * z + 2.222219843214978396e-1;
  r = r * z + 2.857142874366239149e-1;
  r = r * z + 3.999999999940941908e-1;
  r = r * z + 6.66666666666673513e-1;
  r = r * z;
  const half = 0.5 * f * f;
  return (
    k * 6.9314718036912381649e-1 - (half - (s * (half + r) + k * 1.90821492927058770002e-10) - f)
  );
}

/**
 * cos(2πv) for v in [0, 1), where v is a multiple of 2^-24. Quarter turns are taken off exactly,
 * before any rounding. The remaining angle is at most an eighth of a turn, where the kernels of
 * fdlibm's k_cos.c and k_sin.c apply.
 */
export function cosOfTurns(v: number): number {
  const quarter = Math.floor(v * 4 + 0.5);
  const angle = (v * 4 - quarter) * 1.5707963267948966;
  const z = angle * angle;
  switch (quarter % 4) {
    case 0:
      return cosKernel(z);
    case 1:
      return -sinKernel(angle, z);
    case 2:
      return -cosKernel(z);
    default:
      return sinKernel(angle, z);
  }
}

function cosKernel(z: number): number {
  let r = -1.13596475577881948265e-11;
  r = r * z + 2.0875723212981748279e-9;
  r = r * z + -2.75573143513906633035e-7;
  r = r * z + 2.48015872894767294178e-5;
  r = r * z + -1.38888888888741095749e-3;
  r = r * z + 4.16666666666666019037e-2;
  return 1 - (0.5 * z - z * z * r);
}

function sinKernel(angle: number, z: number): number {
  let r = 1.58969099521155010221e-10;
  r = r * z + -2.50507602534068634195e-8;
  r = r * z + 2.75573137070700676789e-6;
  r = r * z + -1.98412698298579493134e-4;
  r = r * z + 8.33333333332248946124e-3;
  r = r * z + -1.66666666666666324348e-1;
  return angle + angle * z * r;
}
