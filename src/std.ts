// The modules of the library with their texts. Generated from std/*.ein by scripts/embed-std.mjs.

export const standardTexts: readonly (readonly [string, string])[] = [
  [
    "array",
    `// Small things to do with arrays.

/// The numbers 0, 1, … n - 1.
pub fn range(n: i32) -> [i32; ?] { [i | i in 0..n] }

/// \`n\` numbers from \`a\` to \`b\`, both included.
pub fn linspace(a: f32, b: f32, n: i32) { [a + (b - a) * (i as f32) / (max(n - 1, 1) as f32) | i in 0..n] }

/// The same value \`n\` times.
pub fn repeat(value, n: i32) { [value | _ in 0..n] }

/// First to last, last to first.
pub fn reverse(x) { [x[len(x) - 1 - i] | i in 0..len(x)] }

/// The running sum.
pub fn cumsum(x: [num; n]) -> [num; n] {
  let s[i in 0..extent(n)] = if i == 0 { x[i] } else { s[i - 1] + x[i] };
  s[n]
}

/// One array behind the other.
pub fn concat(a: [num; n], b: [num; m]) {
  let c[i in 0..extent(n)] = a[i];
  let c[i in extent(n)..extent(n) + extent(m)] = b[i - extent(n)];
  c
}

/// The positions at which the mask holds.
pub fn where_true(mask: [bool; n]) { [i | i in 0..extent(n), mask[i]] }

pub fn transpose(x: [num; n, m]) -> [num; m, n] { x[n, m] }

pub fn dot(a: [num; n], b: [num; n]) -> num { sum[n](a[n] * b[n]) }

pub fn matmul(a: [num; n, k], b: [num; k, m]) -> [num; n, m] { sum[k](a[n, k] * b[k, m]) }

/// 1 on the diagonal.
pub fn identity(n: i32) { let e[i in 0..n, j in 0..n] = if i == j { 1.0 } else { 0.0 }; e }
`,
  ],
  [
    "math",
    `// Elementary functions under their own names, and the constants of analysis.

pub use builtin::{abs, ceil, clamp, cos, erf, exp, expm1, floor, log, log1p, max, min, pow, round, sigmoid, sign, sin, sqrt, tan, tanh};

pub const pi = 3.141592653589793;
pub const tau = 6.283185307179586;
pub const e = 2.718281828459045;

/// Hyperbolic sine and cosine.
pub fn sinh(x) { 0.5 * (exp(x) - exp(-x)) }
pub fn cosh(x) { 0.5 * (exp(x) + exp(-x)) }

/// The length of the hypotenuse, without overflow on the way.
pub fn hypot(a, b) {
  let large = max(abs(a), abs(b));
  let small = min(abs(a), abs(b));
  if large == 0.0 { large } else { large * sqrt(1.0 + (small / large) ** 2.0) }
}

/// The greatest common divisor and the least common multiple, never negative.
pub fn gcd(a: int, b: int) -> int { if b == 0 { abs(a) } else { gcd(b, a % b) } }
pub fn lcm(a: int, b: int) -> int { if a == 0 || b == 0 { a * b } else { abs(a / gcd(a, b) * b) } }

/// The product 1 · 2 · … · n.
pub fn factorial(n: int) -> int { if n <= 1 { 1 } else { n * factorial(n - 1) } }
`,
  ],
  [
    "ml",
    `// The functions that networks are made of. Coordinate functions name the axis they work along; the others are elementwise.

pub use builtin::{relu, sigmoid, tanh};

pub fn leaky_relu(x: float, slope: float = 0.01) -> float { if x > 0.0 { x } else { slope * x } }
pub fn elu(x: float, alpha: float = 1.0) -> float { if x > 0.0 { x } else { alpha * expm1(x) } }
pub fn silu(x: float) -> float { x * sigmoid(x) }
pub fn gelu(x: float) -> float { 0.5 * x * (1.0 + erf(x * 0.7071067811865476)) }

/// log(1 + exp(x)), without overflow.
pub fn softplus(x: float) -> float { max(x, 0.0) + log1p(exp(-abs(x))) }

pub fn softmax[j](x: [float; ..left, j, ..right]) -> [float; ..left, j, ..right] {
  exp(x[..left, j, ..right] - logsumexp[j](x[..left, j, ..right]))
}

pub fn log_softmax[j](x: [float; ..left, j, ..right]) -> [float; ..left, j, ..right] {
  x[..left, j, ..right] - logsumexp[j](x[..left, j, ..right])
}

/// Mean 0 and variance 1 along an axis.
pub fn normalize[j](x: [float; ..left, j, ..right], epsilon: float = 1e-5) -> [float; ..left, j, ..right] {
  let centre[..left, ..right] = mean[j](x[..left, j, ..right]);
  let variance[..left, ..right] = mean[j]((x[..left, j, ..right] - centre[..left, ..right]) ** 2.0);
  (x[..left, j, ..right] - centre[..left, ..right]) / sqrt(variance[..left, ..right] + epsilon)
}

/// \`normalize\`, then a scale and a shift for each position of the axis.
pub fn layer_norm[j](x: [float; ..left, j], scale: [float; j], shift: [float; j], epsilon: float = 1e-5) -> [float; ..left, j] {
  let centre[..left] = mean[j](x[..left, j]);
  let variance[..left] = mean[j]((x[..left, j] - centre[..left]) ** 2.0);
  (x[..left, j] - centre[..left]) / sqrt(variance[..left] + epsilon) * scale[j] + shift[j]
}

/// The root mean square norm.
pub fn rms_norm[j](x: [float; ..left, j], scale: [float; j], epsilon: float = 1e-5) -> [float; ..left, j] {
  let power[..left] = mean[j](x[..left, j] ** 2.0);
  x[..left, j] / sqrt(power[..left] + epsilon) * scale[j]
}

/// The mean of -log softmax at the right classes.
pub fn cross_entropy[batch, class](logits: [float; batch, class], labels: [i32; batch]) -> float {
  mean[batch](logsumexp[class](logits[batch, class]) - logits[batch, labels[batch]])
}

/// The mean squared difference.
pub fn mse(prediction: [float; ..all], target: [float; ..all]) -> float {
  mean[..all]((prediction[..all] - target[..all]) ** 2.0)
}

/// One layer: every output is a weighted sum of the inputs and a bias.
pub fn linear[in, out](x: [float; ..left, in], weight: [float; out, in], bias: [float; out]) -> [float; ..left, out] {
  sum[in](x[..left, in] * weight[out, in]) + bias[out]
}
`,
  ],
];
