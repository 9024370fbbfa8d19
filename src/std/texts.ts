// Generated from std/*.ein by scripts/embed-std.mjs: the modules of the library with their texts.

export const standardTexts: readonly (readonly [string, string])[] = [
  [
    "array",
    `// Arrays: making them, laying their axes out anew, running along one, and putting one in order.
//
// A coordinate in brackets says which axis is meant: \`cumsum[time](x[time, space])\`. An array with a single axis needs none: \`cumsum(x)\`.

pub use std::linalg::{dot, identity, matmul, outer};

// ── Making arrays ─────────────────────────────────────────────────────────────────────────────

/// The numbers 0, 1, … n - 1.
/// Example: \`range(4)\`
pub fn range(n: i32) -> [i32; ?] { [i | i in 0..n] }

/// \`n\` numbers from \`a\` to \`b\`, both included.
/// Example: \`linspace(0.0, 1.0, 5)\`
pub fn linspace(a: float, b: float, n: i32) {
  [a + (b - a) * i as float / max(n - 1, 1) as float | i in 0..n]
}

/// The same value \`n\` times.
pub fn repeat(value, n: i32) { [value | _ in 0..n] }

/// A new last axis with 1 at the label and 0 elsewhere.
/// Example: \`one_hot([2, 0], 3)\`
pub fn one_hot(labels: [int; ..all], classes: i32) {
  let hot[..all, class in 0..classes] = if labels[..all] == class as int { 1.0 } else { 0.0 };
  hot
}

/// The positions at which the mask holds.
/// Example: \`where_true([true, false, true])\`
pub fn where_true(mask: [bool; n]) { [i | i in 0..extent(n), mask[i]] }

// ── Layout ────────────────────────────────────────────────────────────────────────────────────

/// Two axes in each other's place.
/// Example: \`transpose([[1, 2, 3], [4, 5, 6]])\`
pub fn transpose[i, j](x: [num; ..left, i, ..between, j, ..right]) -> [num;
  ..left,
  j,
  ..between,
  i,
  ..right,
] { x[..left, i, ..between, j, ..right] }

/// Two adjacent axes as one.
/// Example: \`merge([[1, 2], [3, 4]])\`
pub fn merge[i, j](x: [num; ..left, i, j, ..right]) {
  let y[..left, p in 0..extent(i) * extent(j), ..right] = x[
    ..left,
    p / extent(j),
    p % extent(j),
    ..right,
  ];
  y
}

/// All cells along one axis, row after row.
/// Example: \`flatten([[[1, 2]], [[3, 4]]])\`
pub fn flatten(x) { if len(shape(x)) == 1 { x } else { flatten(first_two_as_one(x)) } }

fn first_two_as_one(x: [num; i, j, ..rest]) { merge[i, j](x) }

/// One array behind the other along an axis: \`concat[i, k](a[i, c], b[k, c])\`.
/// Example: \`concat([1, 2], [3])\`
pub fn concat[i, k](a: [num; ..left, i, ..right], b: [num; ..left, k, ..right]) {
  let c[..left, p in 0..extent(i), ..right] = a[..left, p, ..right];
  let c[..left, p in extent(i)..extent(i) + extent(k), ..right] = b[..left, p - extent(i), ..right];
  c
}

/// Two arrays of one shape, one above the other along a new first axis. For more of them write \`[a, b, c]\`.
/// Example: \`stack([1, 2], [3, 4])\`
pub fn stack(a: [num; ..all], b: [num; ..all]) {
  let s[0, ..all] = a[..all];
  let s[1, ..all] = b[..all];
  s
}

/// An axis with \`before\` cells put in front of it and \`after\` cells behind it.
/// Example: \`pad([1, 2], 1, 2)\`
pub fn pad[j](x: [num; ..left, j, ..right], before: i32, after: i32, value: num = 0) {
  let y[..left, p in 0..before + extent(j) + after, ..right] = if p >= before
    && p < before + extent(j) {
    x[..left, p - before, ..right]
  } else {
    value
  };
  y
}

/// Every cell \`shift\` places on; what leaves at one end comes in at the other.
/// Example: \`roll([1, 2, 3, 4])\`
pub fn roll[j](x: [num; ..left, j, ..right], shift: i32 = 1) -> [num; ..left, j, ..right] {
  let n = extent(j);
  let y[..left, p in 0..n, ..right] = x[..left, ((p - shift) % n + n) % n, ..right];
  y[..left, j, ..right]
}

/// First to last, last to first.
/// Example: \`flip([1, 2, 3])\`
pub fn flip[j](x: [num; ..left, j, ..right]) -> [num; ..left, j, ..right] {
  let y[..left, p in 0..extent(j), ..right] = x[..left, extent(j) - 1 - p, ..right];
  y[..left, j, ..right]
}

/// \`flip\` of an array of anything.
pub fn reverse(x) { [x[len(x) - 1 - i] | i in 0..len(x)] }

// ── Along an axis ─────────────────────────────────────────────────────────────────────────────

/// The running sum.
/// Example: \`cumsum([1, 2, 3])\`
pub fn cumsum[j](x: [num; ..left, j, ..right]) -> [num; ..left, j, ..right] {
  let s[..left, p in 0..extent(j), ..right] = if p == 0 {
    x[..left, p, ..right]
  } else {
    s[..left, p - 1, ..right] + x[..left, p, ..right]
  };
  s[..left, j, ..right]
}

/// The running product.
/// Example: \`cumprod([1, 2, 3])\`
pub fn cumprod[j](x: [num; ..left, j, ..right]) -> [num; ..left, j, ..right] {
  let s[..left, p in 0..extent(j), ..right] = if p == 0 {
    x[..left, p, ..right]
  } else {
    s[..left, p - 1, ..right] * x[..left, p, ..right]
  };
  s[..left, j, ..right]
}

/// The greatest so far.
/// Example: \`cummax([1, 3, 2])\`
pub fn cummax[j](x: [num; ..left, j, ..right]) -> [num; ..left, j, ..right] {
  let s[..left, p in 0..extent(j), ..right] = if p == 0 {
    x[..left, p, ..right]
  } else {
    max(s[..left, p - 1, ..right], x[..left, p, ..right])
  };
  s[..left, j, ..right]
}

// ── Matrices ──────────────────────────────────────────────────────────────────────────────────

/// The square matrix with \`v\` on its diagonal and 0 elsewhere.
/// Example: \`diag([1, 2])\`
pub fn diag(v: [num; n]) {
  let m[i in 0..extent(n), j in 0..extent(n)] = v[i] where i == j;
  m
}

/// The diagonal of a matrix.
/// Example: \`diagonal([[1, 2], [3, 4]])\`
pub fn diagonal[i, j](x: [num; ..left, i, j, ..right]) {
  let d[..left, p in 0..min(extent(i), extent(j)), ..right] = x[..left, p, p, ..right];
  d
}

/// The lower triangle, up to the diagonal \`offset\` places above the main one; 0 elsewhere.
/// Example: \`tril([[1, 2], [3, 4]])\`
pub fn tril[i, j](x: [num; ..left, i, j, ..right], offset: i32 = 0) -> [num;
  ..left,
  i,
  j,
  ..right,
] {
  let y[..left, p in 0..extent(i), q in 0..extent(j), ..right] = x[..left, p, q, ..right]
    where q - p <= offset;
  y[..left, i, j, ..right]
}

/// The upper triangle, from the diagonal \`offset\` places above the main one; 0 elsewhere.
pub fn triu[i, j](x: [num; ..left, i, j, ..right], offset: i32 = 0) -> [num;
  ..left,
  i,
  j,
  ..right,
] {
  let y[..left, p in 0..extent(i), q in 0..extent(j), ..right] = x[..left, p, q, ..right]
    where q - p >= offset;
  y[..left, i, j, ..right]
}

// ── Order ─────────────────────────────────────────────────────────────────────────────────────

/// Where the least cell of an axis stands, then the next, and so on. Equal cells stay in order, and NaN comes last.
///
/// Merge sort: stage s makes runs of 2^s cells into runs of twice as many. \`chosen[s, p]\` is the place from which the cell at p
/// comes: of the two that are next in their runs, the smaller one. \`next[s, p]\` is the place that is next in the first run.
/// Example: \`argsort([3.0, 1.0, 2.0])\`
pub fn argsort[j](x: [num; ..left, j, ..right]) -> [i32; ..left, j, ..right] {
  let n = extent(j);
  let stages = count[s in 0..31](2 ** s < n);
  let order[s in 0..stages + 1, ..left, p in 0..n, ..right] = p;
  let next[s in 0..stages, ..left, p in 0..n, ..right] = if p % 2 ** (s + 1) == 0 {
    p
  } else if chosen[s, ..left, p - 1, ..right] % 2 ** (s + 1) < 2 ** s {
    next[s, ..left, p - 1, ..right] + 1
  } else {
    next[s, ..left, p - 1, ..right]
  };
  let chosen[s in 0..stages, ..left, p in 0..n, ..right] = {
    let start = p - p % 2 ** (s + 1);
    let middle = start + 2 ** s;
    let a = next[s, ..left, p, ..right];
    let b = middle + (p - a);
    if b >= min(middle + 2 ** s, n) {
      a
    } else if a >= middle {
      b
    } else {
      let u = x[..left, order[s, ..left, a, ..right], ..right];
      let v = x[..left, order[s, ..left, b, ..right], ..right];
      if u <= v || v != v { a } else { b }
    }
  };
  let order[s in 1..stages + 1, ..left, p in 0..n, ..right] = order[
    s - 1,
    ..left,
    chosen[s - 1, ..left, p, ..right],
    ..right,
  ];
  order[stages, ..left, j, ..right]
}

/// The cells of an axis from the least to the greatest, NaN last.
/// Example: \`sort([3.0, 1.0, 2.0])\`
pub fn sort[j](x: [num; ..left, j, ..right]) -> [num; ..left, j, ..right] {
  let order[..left, j, ..right] = argsort[j](x[..left, j, ..right]);
  x[..left, order[..left, j, ..right], ..right]
}

/// The \`k\` greatest cells of an axis, the greatest first, and where they stand. Of equal ones the first comes first.
/// Example: \`topk([3.0, 1.0, 2.0], 2).0\`
pub fn topk[j](x: [num; ..left, j, ..right], k: i32) {
  let last = extent(j) - 1;
  let flipped[..left, j, ..right] = flip[j](x[..left, j, ..right]);
  let order[..left, j, ..right] = argsort[j](flipped[..left, j, ..right]);
  let indices[..left, r in 0..k, ..right] = last - order[..left, last - r, ..right];
  let values[..left, r in 0..k, ..right] = x[..left, indices[..left, r, ..right], ..right];
  (values, indices)
}
`,
  ],
  [
    "linalg",
    `// Linear algebra on matrices and, axis by axis in front of them, on whole batches of matrices.

// ── Products and norms ────────────────────────────────────────────────────────────────────────

/// The inner product of two vectors.
/// Example: \`dot([1, 2], [3, 4])\`
pub fn dot[i](a: [num; ..batch, i], b: [num; ..batch, i]) -> [num; ..batch] {
  sum[i](a[..batch, i] * b[..batch, i])
}

/// The outer product of two vectors.
/// Example: \`outer([1, 2], [3, 4])\`
pub fn outer[i, j](a: [num; i], b: [num; j]) -> [num; i, j] { a[i] * b[j] }

/// The product of matrices, or of two batches of them.
/// Example: \`matmul([[1, 2], [3, 4]], [[1], [1]])\`
pub fn matmul[i, k, j](a: [num; ..batch, i, k], b: [num; ..batch, k, j]) -> [num; ..batch, i, j] {
  sum[k](a[..batch, i, k] * b[..batch, k, j])
}

/// A matrix times a vector.
pub fn matvec[i, k](a: [num; ..batch, i, k], x: [num; ..batch, k]) -> [num; ..batch, i] {
  sum[k](a[..batch, i, k] * x[..batch, k])
}

/// 1 on the diagonal, 0 elsewhere.
/// Example: \`identity(2)\`
pub fn identity(n: i32) {
  let e[i in 0..n, j in 0..n] = if i == j { 1.0 } else { 0.0 };
  e
}

/// The sum of the diagonal.
/// Example: \`trace([[1, 2], [3, 4]])\`
pub fn trace(a: [num; ..batch, n, n]) -> [num; ..batch] { sum[i in 0..extent(n)](a[..batch, i, i]) }

/// The Euclidean length along an axis; its slope at 0 is 0.
/// Example: \`norm([3.0, 4.0])\`
pub fn norm[j](x: [float; ..left, j, ..right]) -> [float; ..left, ..right] {
  let squares[..left, ..right] = sum[j](x[..left, j, ..right] ** 2.0);
  if squares[..left, ..right] == 0.0 { 0.0 } else { sqrt(squares[..left, ..right]) }
}

/// The sum of the absolute values along an axis.
/// Example: \`norm_1([3.0, -4.0])\`
pub fn norm_1[j](x: [float; ..left, j, ..right]) -> [float; ..left, ..right] {
  sum[j](abs(x[..left, j, ..right]))
}

/// The greatest absolute value along an axis.
pub fn norm_max[j](x: [float; ..left, j, ..right]) -> [float; ..left, ..right] {
  max[j](abs(x[..left, j, ..right]))
}

/// The p-th root of the sum of p-th powers along an axis; its slope at 0 is 0.
pub fn norm_p[j](x: [float; ..left, j, ..right], p: float) -> [float; ..left, ..right] {
  let powers[..left, ..right] = sum[j](abs(x[..left, j, ..right]) ** p);
  if powers[..left, ..right] == 0.0 { 0.0 } else { powers[..left, ..right] ** (1.0 / p) }
}

/// The Euclidean length of a matrix; its slope at 0 is 0.
pub fn frobenius_norm[i, j](x: [float; ..left, i, j, ..right]) -> [float; ..left, ..right] {
  let squares[..left, ..right] = sum[i, j](x[..left, i, j, ..right] ** 2.0);
  if squares[..left, ..right] == 0.0 { 0.0 } else { sqrt(squares[..left, ..right]) }
}

// ── Triangular systems ────────────────────────────────────────────────────────────────────────

/// The x with l · x = b for a lower triangular l. What stands above the diagonal is not read.
/// Example: \`solve_lower([[2.0, 0.0], [1.0, 1.0]], [2.0, 3.0])\`
pub fn solve_lower(l: [float; ..batch, n, n], b: [float; ..batch, n, ..right]) -> [float;
  ..batch,
  n,
  ..right,
] {
  // Not finite where l[..batch, i, i] = 0.0: the matrix is singular
  let x[..batch, i in 0..extent(n), ..right] =
    (b[..batch, i, ..right] - sum[k in 0..i](l[..batch, i, k] * x[..batch, k, ..right]))
      / l[..batch, i, i];
  x[..batch, n, ..right]
}

/// The x with u · x = b for an upper triangular u. What stands below the diagonal is not read.
pub fn solve_upper(u: [float; ..batch, n, n], b: [float; ..batch, n, ..right]) -> [float;
  ..batch,
  n,
  ..right,
] {
  // Not finite where u[..batch, i, i] = 0.0: the matrix is singular
  let x[..batch, i in rev(0..extent(n)), ..right] =
    (b[..batch, i, ..right] - sum[k in i + 1..extent(n)](u[..batch, i, k] * x[..batch, k, ..right]))
      / u[..batch, i, i];
  x[..batch, n, ..right]
}

// ── Decompositions ────────────────────────────────────────────────────────────────────────────

/// The lower triangular l with l · lᵀ = a, for a symmetric positive definite a. Only its lower triangle is read.
/// Example: \`cholesky([[4.0, 2.0], [2.0, 2.0]])\`
pub fn cholesky(a: [float; ..batch, n, n]) {
  // Not finite: the matrix is not positive definite
  let l[..batch, i in 0..extent(n), j in 0..extent(n)] = if i == j {
    sqrt(a[..batch, j, j] - sum[k in 0..j](l[..batch, j, k] ** 2.0))
  } else {
    (a[..batch, i, j] - sum[k in 0..j](l[..batch, i, k] * l[..batch, j, k])) / l[..batch, j, j]
  }
    where j <= i;
  l
}

/// Gaussian elimination with the greatest pivot of each column: the rows of \`a\` in \`order\` are l · u. \`order\` comes first, then
/// l, with 1 on its diagonal, then u.
/// Example: \`lu([[1.0, 2.0], [2.0, 2.0]]).2\`
pub fn lu(a: [float; ..batch, n, n]) {
  let (order, packed) = eliminated(a);
  let l[..batch, i in 0..extent(n), j in 0..extent(n)] = if i == j {
    1.0
  } else {
    packed[..batch, i, j]
  }
    where j <= i;
  let u[..batch, i in 0..extent(n), j in 0..extent(n)] = packed[..batch, i, j] where i <= j;
  (order, l, u)
}

/// l below the diagonal and u from it on. Step t brings the pivot's row to place t and clears column t below it.
fn eliminated(a: [float; ..batch, n, n]) {
  let size = extent(n);
  let m[t in 0..size + 1, ..batch, i in 0..size, j in 0..size] = a[..batch, i, j];
  let order[t in 0..size + 1, ..batch, i in 0..size] = i;
  let pivot[t in 0..size, ..batch] = argmax[i in t..size](abs(m[t, ..batch, i, t]));
  let row[t in 0..size, ..batch, i in 0..size] = if i == t {
    pivot[t, ..batch]
  } else if i == pivot[t, ..batch] {
    t
  } else {
    i
  };
  let m[t in 1..size + 1, ..batch, i in 0..size, j in 0..size] = {
    let own = m[t - 1, ..batch, row[t - 1, ..batch, i], j];
    let lead = m[t - 1, ..batch, row[t - 1, ..batch, i], t - 1];
    let most = m[t - 1, ..batch, pivot[t - 1, ..batch], t - 1];
    if i < t || j < t - 1 || most == 0.0 {
      own
    } else if j == t - 1 {
      own / most
    } else {
      own - lead / most * m[t - 1, ..batch, pivot[t - 1, ..batch], j]
    }
  };
  let order[t in 1..size + 1, ..batch, i in 0..size] = order[
    t - 1,
    ..batch,
    row[t - 1, ..batch, i],
  ];
  let rows[..batch, i in 0..size] = order[size, ..batch, i];
  let packed[..batch, i in 0..size, j in 0..size] = m[size, ..batch, i, j];
  (rows, packed)
}

/// q with orthonormal columns and r upper triangular, its diagonal not negative, with q · r = a. By Householder's reflections.
/// Example: \`qr([[3.0, 1.0], [4.0, 2.0]]).1\`
pub fn qr[i, j](a: [float; ..batch, i, j]) {
  let (rows, columns) = (extent(i), extent(j));
  let steps = min(rows, columns);
  let r[t in 0..steps + 1, ..batch, p in 0..rows, c in 0..columns] = a[..batch, p, c];
  let q[t in 0..steps + 1, ..batch, p in 0..rows, c in 0..rows] = if p == c {
    1.0 as float
  } else {
    0.0 as float
  };
  let squares[t in 0..steps, ..batch] = sum[p in t..rows](r[t, ..batch, p, t] ** 2.0);
  let length[t in 0..steps, ..batch] = if squares[t, ..batch] == 0.0 {
    0.0
  } else {
    sqrt(squares[t, ..batch])
  };
  let v[t in 0..steps, ..batch, p in 0..rows] = if p > t {
    r[t, ..batch, p, t]
  } else if r[t, ..batch, t, t] < 0.0 {
    r[t, ..batch, t, t] - length[t, ..batch]
  } else {
    r[t, ..batch, t, t] + length[t, ..batch]
  }
    where p >= t;
  let weight[t in 0..steps, ..batch] = {
    let size = sum[p in t..rows](v[t, ..batch, p] ** 2.0);
    if size == 0.0 { 0.0 } else { 2.0 / size }
  };
  let r[t in 1..steps + 1, ..batch, p in 0..rows, c in 0..columns] =
    r[t - 1, ..batch, p, c]
      - weight[t - 1, ..batch]
        * v[t - 1, ..batch, p]
        * sum[s in 0..rows](v[t - 1, ..batch, s] * r[t - 1, ..batch, s, c]);
  let q[t in 1..steps + 1, ..batch, p in 0..rows, c in 0..rows] =
    q[t - 1, ..batch, p, c]
      - weight[t - 1, ..batch]
        * v[t - 1, ..batch, c]
        * sum[s in 0..rows](v[t - 1, ..batch, s] * q[t - 1, ..batch, p, s]);
  let turn[..batch, k in 0..steps] = if r[steps, ..batch, k, k] < 0.0 {
    -1.0 as float
  } else {
    1.0 as float
  };
  let columns_of_q[..batch, p in 0..rows, k in 0..steps] =
    q[steps, ..batch, p, k] * turn[..batch, k];
  let rows_of_r[..batch, k in 0..steps, c in 0..columns] =
    r[steps, ..batch, k, c] * turn[..batch, k]
    where k <= c;
  (columns_of_q, rows_of_r)
}

// ── Systems ───────────────────────────────────────────────────────────────────────────────────

/// The x with a · x = b, by elimination with pivots; b may have further axes, one system for each of their cells.
/// Example: \`solve([[2.0, 1.0], [1.0, 3.0]], [3.0, 5.0])\`
pub fn solve(a: [float; ..batch, n, n], b: [float; ..batch, n, ..right]) -> [float;
  ..batch,
  n,
  ..right,
] {
  let (order, l, u) = lu(a);
  let ordered[..batch, i in 0..extent(n), ..right] = b[..batch, order[..batch, i], ..right];
  solve_upper(u, solve_lower(l, ordered))[..batch, n, ..right]
}

/// The x with a · x = b for a symmetric positive definite a.
pub fn solve_positive(a: [float; ..batch, n, n], b: [float; ..batch, n, ..right]) -> [float;
  ..batch,
  n,
  ..right,
] {
  let l = cholesky(a);
  let transposed[..batch, i in 0..extent(n), j in 0..extent(n)] = l[..batch, j, i];
  solve_upper(transposed, solve_lower(l, b))[..batch, n, ..right]
}

/// The matrix that undoes \`a\`.
/// Example: \`inverse([[2.0, 0.0], [0.0, 4.0]])\`
pub fn inverse(a: [float; ..batch, n, n]) {
  let unit[..batch, i in 0..extent(n), j in 0..extent(n)] = if i == j {
    1.0 as float
  } else {
    0.0 as float
  };
  solve(a, unit)
}

/// The determinant.
/// Example: \`det([[1.0, 2.0], [3.0, 4.0]])\`
pub fn det(a: [float; ..batch, n, n]) -> [float; ..batch] {
  let (order, l, u) = lu(a);
  let swaps[..batch] = count[i in 0..extent(n), k in 0..extent(n)](
    order[..batch, k] > order[..batch, i] where k < i
  );
  let sign[..batch] = if swaps[..batch] % 2 == 0 { 1.0 as float } else { -1.0 as float };
  sign[..batch] * prod[i in 0..extent(n)](u[..batch, i, i])
}

/// The sign of the determinant and the logarithm of its absolute value, where the determinant itself would overflow.
pub fn slogdet(a: [float; ..batch, n, n]) {
  let (order, l, u) = lu(a);
  let swaps[..batch] = count[i in 0..extent(n), k in 0..extent(n)](
    order[..batch, k] > order[..batch, i] where k < i
  );
  let signs[..batch] =
    prod[i in 0..extent(n)](sign(u[..batch, i, i]))
      * if swaps[..batch] % 2 == 0 { 1.0 } else { -1.0 };
  // Not finite where u[..batch, i, i] = 0.0: the matrix is singular
  let logs[..batch] = sum[i in 0..extent(n)](log(abs(u[..batch, i, i])));
  (signs, logs)
}
`,
  ],
  [
    "math",
    `// Elementary, hyperbolic and special functions, and the constants of analysis. All of them are elementwise.

pub use builtin::{
  abs,
  ceil,
  clamp,
  cos,
  erf,
  exp,
  expm1,
  floor,
  log,
  log1p,
  max,
  min,
  pow,
  round,
  sigmoid,
  sign,
  sin,
  sqrt,
  tan,
  tanh,
};

/// Half the circumference of the unit circle.
pub const pi = 3.141592653589793;
/// The circumference of the unit circle.
pub const tau = 6.283185307179586;
/// The base of the natural logarithm.
pub const e = 2.718281828459045;

// ── Powers and logarithms ─────────────────────────────────────────────────────────────────────

/// The square.
pub fn square(x: num) -> num { x * x }

/// One over the square root.
pub fn rsqrt(x: float) -> float { 1.0 / sqrt(x) }

/// The cube root, of negative numbers too. A step of Newton's method makes up for the rounding of 1 / 3.
/// Example: \`cbrt(-27.0)\`
pub fn cbrt(x: float) -> float {
  let root = sign(x) * abs(x) ** 0.3333333333333333;
  if root == 0.0 || root - root != 0.0 { root } else { root - (root - x / (root * root)) / 3.0 }
}
@fn cbrt(x: float) { @x / (3.0 * cbrt(x) ** 2.0) }

/// 2 to the power of x.
pub fn exp2(x: float) -> float { 2.0 ** x }

/// The logarithm to the base 2.
/// Example: \`log2(8.0)\`
pub fn log2(x: float) -> float { log(x) * 1.4426950408889634 }

/// The logarithm to the base 10.
pub fn log10(x: float) -> float { log(x) * 0.4342944819032518 }

/// log(exp(a) + exp(b)), without overflow.
/// Example: \`logaddexp(1000.0, 1000.0)\`
pub fn logaddexp(a: float, b: float) -> float {
  if a == b { a + 0.6931471805599453 } else { max(a, b) + log1p(exp(-abs(a - b))) }
}
@fn logaddexp(a: float, b: float) { sigmoid(a - b) * @a + sigmoid(b - a) * @b }

/// x · log(y), and 0 where x is 0.
pub fn xlogy(x: float, y: float) -> float { if x == 0.0 { 0.0 } else { x * log(y) } }

/// The length of the hypotenuse, without overflow on the way.
/// Example: \`hypot(3.0, 4.0)\`
pub fn hypot(a: float, b: float) -> float {
  let large = max(abs(a), abs(b));
  let small = min(abs(a), abs(b));
  if large == 0.0 || large == small {
    large * 1.4142135623730951
  } else {
    large * sqrt(1.0 + (small / large) ** 2.0)
  }
}
@fn hypot(a: float, b: float) {
  let length = hypot(a, b);
  if length == 0.0 { 0.0 } else { a / length * @a + b / length * @b }
}

// ── Angles ────────────────────────────────────────────────────────────────────────────────────

/// An angle in degrees, in radians.
pub fn radians(degrees: float) -> float { degrees * 0.017453292519943295 }

/// An angle in radians, in degrees.
pub fn degrees(radians: float) -> float { radians * 57.29577951308232 }

/// The angle whose tangent is x, between -pi / 2 and pi / 2.
/// Halving it three times leaves an angle for which eight terms of its series are enough.
/// Example: \`4.0 * atan(1.0)\`
pub fn atan(x: float) -> float {
  let small = if abs(x) > 1.0 { 1.0 / x } else { x };
  let half = small / (1.0 + sqrt(1.0 + small * small));
  let quarter = half / (1.0 + sqrt(1.0 + half * half));
  let y = quarter / (1.0 + sqrt(1.0 + quarter * quarter));
  let z = -y * y;
  let series =
    1.0
      + z
        * (1.0 / 3.0
          + z
            * (1.0 / 5.0
              + z
                * (1.0 / 7.0 + z * (1.0 / 9.0 + z * (1.0 / 11.0 + z * (1.0 / 13.0 + z / 15.0))))));
  let angle = 8.0 * y * series;
  if abs(x) > 1.0 { sign(x) * 0.5 * pi - angle } else { angle }
}
@fn atan(x: float) { @x / (1.0 + x * x) }

/// The angle of the point (x, y), between -pi and pi.
/// Example: \`degrees(atan2(1.0, -1.0))\`
pub fn atan2(y: float, x: float) -> float {
  let side = if y < 0.0 { -pi as float } else { pi as float };
  if x > 0.0 {
    atan(y / x)
  } else if x < 0.0 {
    atan(y / x) + side
  } else if y == 0.0 {
    0.0
  } else {
    0.5 * side
  }
}
@fn atan2(y: float, x: float) { (x * @y - y * @x) / (x * x + y * y) }

/// The angle whose sine is x, between -pi / 2 and pi / 2.
pub fn asin(x: float) -> float { atan(x / sqrt((1.0 - x) * (1.0 + x))) }
@fn asin(x: float) { @x / sqrt((1.0 - x) * (1.0 + x)) }

/// The angle whose cosine is x, between 0 and pi.
pub fn acos(x: float) -> float { 2.0 * atan(sqrt((1.0 - x) / (1.0 + x))) }
@fn acos(x: float) { -@x / sqrt((1.0 - x) * (1.0 + x)) }

/// sin(pi · x) / (pi · x), and 1 at 0.
/// Example: \`sinc([0.0, 0.5])\`
pub fn sinc(x: float) -> float {
  let z = pi * x;
  if abs(z) < 0.01 {
    1.0 - z * z / 6.0 * (1.0 - z * z / 20.0 * (1.0 - z * z / 42.0))
  } else {
    sin(z) / z
  }
}

// ── Hyperbolic functions ──────────────────────────────────────────────────────────────────────

/// The hyperbolic sine.
pub fn sinh(x: float) -> float {
  let grown = expm1(x);
  if abs(x) < 1.0 { 0.5 * (grown + grown / (grown + 1.0)) } else { 0.5 * (exp(x) - exp(-x)) }
}
@fn sinh(x: float) { cosh(x) * @x }

/// The hyperbolic cosine.
pub fn cosh(x: float) -> float { 0.5 * (exp(x) + exp(-x)) }
@fn cosh(x: float) { sinh(x) * @x }

/// The number whose hyperbolic sine is x.
/// Example: \`asinh(1.0)\`
pub fn asinh(x: float) -> float {
  let a = abs(x);
  sign(x)
    * if a > 1e8 {
      log(a) + 0.6931471805599453
    } else {
      log1p(a + a * a / (1.0 + sqrt(1.0 + a * a)))
    }
}
@fn asinh(x: float) { @x / hypot(1.0, x) }

/// The number, not below 0, whose hyperbolic cosine is x.
pub fn acosh(x: float) -> float {
  let t = x - 1.0;
  if x > 1e8 { log(x) + 0.6931471805599453 } else { log1p(t + sqrt(t) * sqrt(t + 2.0)) }
}
@fn acosh(x: float) { @x / (sqrt(x - 1.0) * sqrt(x + 1.0)) }

/// The number whose hyperbolic tangent is x.
pub fn atanh(x: float) -> float { 0.5 * log1p(2.0 * x / (1.0 - x)) }
@fn atanh(x: float) { @x / ((1.0 - x) * (1.0 + x)) }

// ── Special functions ─────────────────────────────────────────────────────────────────────────

/// 1 - erf(x), exact where erf is almost 1: there it is a continued fraction (Abramowitz and Stegun, 7.1.14).
/// Example: \`erfc(5.0)\`
pub fn erfc(x: float) -> float {
  let a = max(x, 2.0);
  let tail[k in rev(0..41)] = if k == 40 { a } else { a + 0.5 * (k + 1) as float / tail[k + 1] };
  if x < 2.0 { 1.0 - erf(x) } else { exp(-a * a) / (1.772453850905516 * tail[0]) }
}
@fn erfc(x: float) { -1.1283791670955126 * exp(-x * x) * @x }

/// The number whose erf is x: a first guess, then three of Halley's steps. The guess is the beginning of the power series for small
/// x (Carlitz, The inverse of the error function, 1963), and Winitzki's for others.
/// Example: \`erfinv([0.5, 1e-10])\`
pub fn erfinv(x: float) -> float {
  let a = abs(x);
  let rest = 1.0 - a;
  let l = log(rest * (1.0 + a));
  let u = 4.330746750799873 + 0.5 * l;
  let q = 0.7853981633974483 * a * a;
  let guess = if a < 0.5 {
    0.886226925452758 * a * (1.0 + q * (1.0 / 3.0 + q * (7.0 / 30.0 + q * 127.0 / 630.0)))
  } else {
    sqrt(sqrt(u * u - l / 0.147) - u)
  };
  let y = halley(halley(halley(guess, a), a), a);
  if rest == 0.0 { x / rest } else { sign(x) * y }
}
@fn erfinv(x: float) { 0.886226925452758 * exp(erfinv(x) ** 2.0) * @x }

/// One step from y towards the number whose erf is a, by whichever of erf and erfc is the smaller one: it has the digits.
fn halley(y: float, a: float) -> float {
  let miss = if a < 0.5 { erf(y) - a } else { 1.0 - a - erfc(y) };
  let step = miss / (1.1283791670955126 * exp(-y * y));
  y - step / (1.0 + y * step)
}

/// How likely a normal variable is below x.
pub fn normal_cdf(x: float) -> float { 0.5 * erfc(-0.7071067811865476 * x) }

/// The inverse of \`sigmoid\`.
pub fn logit(p: float) -> float { log(p) - log1p(-p) }
@fn logit(p: float) { @p / (p * (1.0 - p)) }

/// The logarithm of |gamma(x)|: Stirling's series at x + 10, and what it differs by from the one at x (Abramowitz and Stegun,
/// 6.1.41 and 6.1.15). Below 1 / 2 the reflection x, 1 - x is used (6.1.17); at the poles it is infinite.
/// Example: \`lgamma([0.5, 10.0])\`
pub fn lgamma(x: float) -> float {
  let y = if x < 0.5 { 1.0 - x } else { x };
  let z = if y < 10.0 { y + 10.0 } else { y };
  let stirling = (z - 0.5) * (log(z) - 1.0) + 0.4189385332046727 + stirling_rest(z);
  let above = if y < 10.0 { stirling - log(prod[k in 0..10](y + k as float)) } else { stirling };
  let wave = abs(sin(pi * from_integer(x)));
  if x - x != 0.0 {
    x
  } else if x >= 0.5 {
    above
  } else if wave == 0.0 {
    1.0 / wave
  } else {
    1.1447298858494002 - log(wave) - above
  }
}
@fn lgamma(x: float) { digamma(x) * @x }

/// What Stirling's formula for log(gamma(z)) leaves, for z from 10 on.
fn stirling_rest(z: float) -> float {
  let v = 1.0 / z;
  let w = v * v;
  v
    * (1.0 / 12.0
      - w
        * (1.0 / 360.0
          - w
            * (1.0 / 1260.0
              - w * (1.0 / 1680.0 - w * (1.0 / 1188.0 - w * (691.0 / 360360.0 - w / 156.0))))))
}

/// How far x is above the nearest integer: sin(pi x) and tan(pi x) of it are exact next to their zeros.
fn from_integer(x: float) -> float { x - round(x) }

/// The derivative of \`lgamma\`, by its series at x + 10, the recurrence and the reflection (Abramowitz and Stegun, 6.3.18, 6.3.5 and
/// 6.3.7). It changes sign at its poles and is not a number there, except at 0, which has a sign.
/// Example: \`digamma(1.0)\`
pub fn digamma(x: float) -> float {
  let y = if x < 0.5 { 1.0 - x } else { x };
  let z = if y < 10.0 { y + 10.0 } else { y };
  let v = 1.0 / z;
  let w = v * v;
  let series =
    w
      * (1.0 / 12.0
        - w
          * (1.0 / 120.0
            - w
              * (1.0 / 252.0
                - w * (1.0 / 240.0 - w * (1.0 / 132.0 - w * (691.0 / 32760.0 - w / 12.0))))));
  let far = log(z) - 0.5 * v - series;
  let above = if y < 10.0 { far - sum[k in 0..10](1.0 / (y + k as float)) } else { far };
  let r = from_integer(x);
  if x >= 0.5 {
    above
  } else if x == 0.0 {
    -1.0 / x
  } else if r == 0.0 {
    r / r
  } else {
    above - pi / tan(pi * r)
  }
}
@fn digamma(x: float) { trigamma(x) * @x }

/// The derivative of \`digamma\`, in the same way (Abramowitz and Stegun, 6.4.12, 6.4.6 and 6.4.7); infinite at the poles.
pub fn trigamma(x: float) -> float {
  let y = if x < 0.5 { 1.0 - x } else { x };
  let z = if y < 10.0 { y + 10.0 } else { y };
  let v = 1.0 / z;
  let w = v * v;
  let series =
    1.0 / 6.0
      - w
        * (1.0 / 30.0
          - w
            * (1.0 / 42.0
              - w * (1.0 / 30.0 - w * (5.0 / 66.0 - w * (691.0 / 2730.0 - w * 7.0 / 6.0)))));
  let far = v * (1.0 + v * (0.5 + v * series));
  let above = if y < 10.0 { far + sum[k in 0..10](1.0 / (y + k as float) ** 2.0) } else { far };
  if x >= 0.5 { above } else { (pi / sin(pi * from_integer(x))) ** 2.0 - above }
}

/// The gamma function, (x - 1)! for positive integers. At 0 it is infinite with the sign of 0, at the other poles not a number.
/// Example: \`gamma(5.0)\`
pub fn gamma(x: float) -> float {
  let magnitude = exp(lgamma(x));
  if x > 0.0 {
    magnitude
  } else if x == 0.0 {
    1.0 / x
  } else if x == floor(x) {
    0.0 / (x - x)
  } else {
    (1.0 - 2.0 * abs(floor(x) % 2.0)) * magnitude
  }
}
@fn gamma(x: float) { gamma(x) * digamma(x) * @x }

/// The beta function, gamma(a) · gamma(b) / gamma(a + b), for positive a and b. Stirling's formulas are divided before they are
/// computed, so that large arguments keep their digits (Didonato and Morris, Algorithm 708, 1992).
pub fn beta(a: float, b: float) -> float {
  let p = if a < 10.0 { a + 10.0 } else { a };
  let q = if b < 10.0 { b + 10.0 } else { b };
  let rest = stirling_rest(p) + stirling_rest(q) - stirling_rest(p + q);
  let far = 0.9189385332046728 - 0.5 * log(q) - (p - 0.5) * log1p(q / p) - q * log1p(p / q) + rest;
  let to_a = if a < 10.0 {
    sum[k in 0..10](log((a + b + k as float) / (a + k as float)))
  } else {
    0.0
  };
  let to_b = if b < 10.0 {
    sum[k in 0..10](log((p + b + k as float) / (b + k as float)))
  } else {
    0.0
  };
  exp(far + to_a + to_b)
}

// ── Integers ──────────────────────────────────────────────────────────────────────────────────

/// The greatest common divisor, never negative.
/// Example: \`gcd(12, 18)\`
pub fn gcd(a: int, b: int) -> int { if b == 0 { abs(a) } else { gcd(b, a % b) } }

/// The least common multiple, never negative.
pub fn lcm(a: int, b: int) -> int { if a == 0 || b == 0 { a * b } else { abs(a / gcd(a, b) * b) } }

/// The product 1 · 2 · … · n.
/// Example: \`factorial(5)\`
pub fn factorial(n: int) -> int { if n <= 1 { 1 } else { n * factorial(n - 1) } }
`,
  ],
  [
    "ml",
    `// The functions that networks are made of. Coordinates in brackets name the axes that a function works along; activations are
// elementwise. Parameters come after the values: weights, then biases, then numbers with a usual choice.

// ── Activations ───────────────────────────────────────────────────────────────────────────────

pub use builtin::{relu, sigmoid, tanh};

/// \`relu\` that never exceeds 6.
pub fn relu6(x: float) -> float { clamp(x, 0.0, 6.0) }

/// x above 0, a small slope below.
/// Example: \`leaky_relu([-1.0, 2.0])\`
pub fn leaky_relu(x: float, slope: float = 0.01) -> float { if x > 0.0 { x } else { slope * x } }

/// x above 0, an exponential that ends at -alpha below.
pub fn elu(x: float, alpha: float = 1.0) -> float { if x > 0.0 { x } else { alpha * expm1(x) } }

/// \`elu\`, scaled so that layers keep mean 0 and variance 1 (Klambauer and others, 2017).
pub fn selu(x: float) -> float { 1.0507009873554805 * elu(x, 1.6732632423543772) }

/// x · sigmoid(x), also known as swish.
pub fn silu(x: float) -> float { x * sigmoid(x) }

/// x times how likely a normal variable is below x.
pub fn gelu(x: float) -> float { 0.5 * x * (1.0 + erf(x * 0.7071067811865476)) }

/// \`gelu\` with a tangent in place of erf.
pub fn gelu_tanh(x: float) -> float {
  0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
}

/// log(1 + exp(x)), without overflow.
/// Example: \`softplus([-1000.0, 0.0])\`
pub fn softplus(x: float) -> float { max(x, 0.0) + log1p(exp(-abs(x))) }
@fn softplus(x: float) { sigmoid(x) * @x }

/// log(sigmoid(x)), without overflow.
pub fn log_sigmoid(x: float) -> float { -softplus(-x) }

/// x / (1 + |x|).
pub fn softsign(x: float) -> float { x / (1.0 + abs(x)) }
@fn softsign(x: float) { @x / (1.0 + abs(x)) ** 2.0 }

/// x · tanh(softplus(x)).
pub fn mish(x: float) -> float { x * tanh(softplus(x)) }

/// x between -1 and 1, and the nearer end beyond.
pub fn hard_tanh(x: float) -> float { clamp(x, -1.0, 1.0) }

/// A straight line from 0 at -3 to 1 at 3.
pub fn hard_sigmoid(x: float) -> float { clamp(x / 6.0 + 0.5, 0.0, 1.0) }

/// x · hard_sigmoid(x).
pub fn hard_swish(x: float) -> float { x * hard_sigmoid(x) }

/// Positive numbers along an axis that add up to 1, in the ratios of exp(x).
/// Example: \`softmax([0.0, 0.0])\`
pub fn softmax[j](x: [float; ..left, j, ..right]) -> [float; ..left, j, ..right] {
  exp(x[..left, j, ..right] - logsumexp[j](x[..left, j, ..right]))
}

/// The logarithm of \`softmax\`.
pub fn log_softmax[j](x: [float; ..left, j, ..right]) -> [float; ..left, j, ..right] {
  x[..left, j, ..right] - logsumexp[j](x[..left, j, ..right])
}

// ── Layers ────────────────────────────────────────────────────────────────────────────────────

/// Every output is a weighted sum of the inputs and a bias.
/// Example: \`linear([1.0, 2.0], [[1.0, 1.0]], [0.5])\`
pub fn linear[in, out](
  x: [float; ..left, in],
  weight: [float; out, in],
  bias: [float; out],
) -> [float; ..left, out] { sum[in](x[..left, in] * weight[out, in]) + bias[out] }

/// How many places a window has along an axis of n cells with padding at both ends.
fn places(n: i32, window: i32, stride: i32, padding: i32, dilation: i32) -> i32 {
  max(n + 2 * padding - dilation * (window - 1) - 1 + stride, 0) / stride
}

/// A window that slides along one axis. Outputs are in \`groups\`, each of which sees its own part of the channels.
/// Example: \`conv1d([[1.0, 2.0, 3.0, 4.0]], [[[1.0, 1.0]]], [0.0], stride = 2)\`
pub fn conv1d[channel, w](
  x: [float; ..batch, channel, w],
  weight: [float; out, in, kw],
  bias: [float; out],
  stride: i32 = 1,
  padding: i32 = 0,
  dilation: i32 = 1,
  groups: i32 = 1,
) {
  let per_group = extent(out) / groups;
  let y[
    ..batch,
    o in 0..extent(out),
    q in 0..places(extent(w), extent(kw), stride, padding, dilation),
  ] =
    bias[o]
      + sum[i in 0..extent(in), s in 0..extent(kw)](
        weight[o, i, s] * x[..batch, o / per_group * extent(in) + i, at_w]
          where at_w = q * stride + s * dilation - padding, at_w in 0..extent(w)
      );
  y
}

/// A window that slides along two axes. Outputs are in \`groups\`, each of which sees its own part of the channels.
pub fn conv2d[channel, h, w](
  x: [float; ..batch, channel, h, w],
  weight: [float; out, in, kh, kw],
  bias: [float; out],
  stride: i32 = 1,
  padding: i32 = 0,
  dilation: i32 = 1,
  groups: i32 = 1,
) {
  let per_group = extent(out) / groups;
  let y[
    ..batch,
    o in 0..extent(out),
    p in 0..places(extent(h), extent(kh), stride, padding, dilation),
    q in 0..places(extent(w), extent(kw), stride, padding, dilation),
  ] =
    bias[o]
      + sum[i in 0..extent(in), r in 0..extent(kh), s in 0..extent(kw)](
        weight[o, i, r, s] * x[..batch, o / per_group * extent(in) + i, at_h, at_w]
          where at_h = p * stride + r * dilation - padding,
            at_w = q * stride + s * dilation - padding,
            at_h in 0..extent(h),
            at_w in 0..extent(w)
      );
  y
}

/// The greatest in each window along one axis. What lies beyond the ends does not count.
/// Example: \`max_pool1d([1.0, 3.0, 2.0, 4.0], 2, stride = 2)\`
pub fn max_pool1d[w](x: [float; ..left, w, ..right], size: i32, stride: i32 = 1, padding: i32 = 0) {
  let y[..left, q in 0..places(extent(w), size, stride, padding, 1), ..right] = max[s in 0..size](
    x[..left, at, ..right] where at = q * stride + s - padding, at in 0..extent(w)
  );
  y
}

/// The greatest in each window along two axes. What lies beyond the ends does not count.
pub fn max_pool2d[h, w](
  x: [float; ..left, h, w, ..right],
  size: i32,
  stride: i32 = 1,
  padding: i32 = 0,
) {
  let y[
    ..left,
    p in 0..places(extent(h), size, stride, padding, 1),
    q in 0..places(extent(w), size, stride, padding, 1),
    ..right,
  ] = max[r in 0..size, s in 0..size](
    x[..left, at_h, at_w, ..right]
      where at_h = p * stride + r - padding,
        at_w = q * stride + s - padding,
        at_h in 0..extent(h),
        at_w in 0..extent(w)
  );
  y
}

/// The mean of each window along one axis. What lies beyond the ends counts as 0.
/// Example: \`avg_pool1d([1.0, 3.0, 2.0, 4.0], 2, stride = 2)\`
pub fn avg_pool1d[w](x: [float; ..left, w, ..right], size: i32, stride: i32 = 1, padding: i32 = 0) {
  let y[..left, q in 0..places(extent(w), size, stride, padding, 1), ..right] =
    sum[s in 0..size](
      x[..left, at, ..right] where at = q * stride + s - padding, at in 0..extent(w)
    )
      / size as float;
  y
}

/// The mean of each window along two axes. What lies beyond the ends counts as 0.
pub fn avg_pool2d[h, w](
  x: [float; ..left, h, w, ..right],
  size: i32,
  stride: i32 = 1,
  padding: i32 = 0,
) {
  let y[
    ..left,
    p in 0..places(extent(h), size, stride, padding, 1),
    q in 0..places(extent(w), size, stride, padding, 1),
    ..right,
  ] =
    sum[r in 0..size, s in 0..size](
      x[..left, at_h, at_w, ..right]
        where at_h = p * stride + r - padding,
          at_w = q * stride + s - padding,
          at_h in 0..extent(h),
          at_w in 0..extent(w)
    )
      / (size * size) as float;
  y
}

// ── Normalisation ─────────────────────────────────────────────────────────────────────────────

/// Mean 0 and variance 1 along an axis.
pub fn normalize[j](x: [float; ..left, j, ..right], epsilon: float = 1e-5) -> [float;
  ..left,
  j,
  ..right,
] {
  let centre[..left, ..right] = mean[j](x[..left, j, ..right]);
  let variance[..left, ..right] = mean[j]((x[..left, j, ..right] - centre[..left, ..right]) ** 2.0);
  let inverse[..left, ..right] = 1.0 / sqrt(variance[..left, ..right] + epsilon);
  (x[..left, j, ..right] - centre[..left, ..right]) * inverse[..left, ..right]
}

/// \`normalize\`, then a scale and a shift for each position of the axis.
/// Example: \`layer_norm([1.0, 3.0], [1.0, 1.0], [0.0, 0.0], epsilon = 0.0)\`
pub fn layer_norm[j](
  x: [float; ..left, j],
  scale: [float; j],
  shift: [float; j],
  epsilon: float = 1e-5,
) -> [float; ..left, j] {
  let centre[..left] = mean[j](x[..left, j]);
  let variance[..left] = mean[j]((x[..left, j] - centre[..left]) ** 2.0);
  let inverse[..left] = 1.0 / sqrt(variance[..left] + epsilon);
  (x[..left, j] - centre[..left]) * inverse[..left] * scale[j] + shift[j]
}

/// Divided by the root of the mean square along an axis, then scaled.
pub fn rms_norm[j](x: [float; ..left, j], scale: [float; j], epsilon: float = 1e-5) -> [float;
  ..left,
  j,
] {
  let power[..left] = mean[j](x[..left, j] ** 2.0);
  let inverse[..left] = 1.0 / sqrt(power[..left] + epsilon);
  x[..left, j] * inverse[..left] * scale[j]
}

/// Mean 0 and variance 1 for each channel over everything else, then a scale and a shift for each channel.
pub fn batch_norm[channel](
  x: [float; ..left, channel, ..right],
  scale: [float; channel],
  shift: [float; channel],
  epsilon: float = 1e-5,
) -> [float; ..left, channel, ..right] {
  let centre[channel] = mean[..left, ..right](x[..left, channel, ..right]);
  let variance[channel] = mean[..left, ..right](
    (x[..left, channel, ..right] - centre[channel]) ** 2.0
  );
  let inverse[channel] = 1.0 / sqrt(variance[channel] + epsilon);
  (x[..left, channel, ..right] - centre[channel]) * inverse[channel] * scale[channel]
    + shift[channel]
}

/// \`batch_norm\` with the mean and the variance that training has found.
pub fn batch_norm_with[channel](
  x: [float; ..left, channel, ..right],
  centre: [float; channel],
  variance: [float; channel],
  scale: [float; channel],
  shift: [float; channel],
  epsilon: float = 1e-5,
) -> [float; ..left, channel, ..right] {
  let inverse[channel] = 1.0 / sqrt(variance[channel] + epsilon);
  (x[..left, channel, ..right] - centre[channel]) * inverse[channel] * scale[channel]
    + shift[channel]
}

/// Mean 0 and variance 1 over each of \`groups\` groups of channels and all that is behind them, then a scale and a shift.
pub fn group_norm[channel](
  x: [float; ..left, channel, ..right],
  scale: [float; channel],
  shift: [float; channel],
  groups: i32,
  epsilon: float = 1e-5,
) -> [float; ..left, channel, ..right] {
  let size = extent(channel) / groups;
  let centre[..left, g in 0..groups] = mean[c in 0..size, ..right](
    x[..left, g * size + c, ..right]
  );
  let variance[..left, g in 0..groups] = mean[c in 0..size, ..right](
    (x[..left, g * size + c, ..right] - centre[..left, g]) ** 2.0
  );
  let inverse[..left, g in 0..groups] = 1.0 / sqrt(variance[..left, g] + epsilon);
  let y[..left, c in 0..extent(channel), ..right] =
    (x[..left, c, ..right] - centre[..left, c / size]) * inverse[..left, c / size] * scale[c]
      + shift[c];
  y[..left, channel, ..right]
}

// ── Attention ─────────────────────────────────────────────────────────────────────────────────

/// The mask in which a query sees the keys up to its own position.
/// Example: \`causal_mask(2)\`
pub fn causal_mask(n: i32) {
  let mask[i in 0..n, k in 0..n] = k <= i;
  mask
}

/// Every query gets the mean of the values, weighted by how well their keys fit it.
/// Example: \`attention([[1.0]], [[0.0], [0.0]], [[2.0], [4.0]])\`
pub fn attention[query, key](
  q: [float; ..batch, query, d],
  k: [float; ..batch, key, d],
  v: [float; ..batch, key, e],
) -> [float; ..batch, query, e] {
  let score[..batch, query, key] =
    sum[d](q[..batch, query, d] * k[..batch, key, d]) / sqrt(extent(d) as float);
  let weight[..batch, query, key] = softmax[key](score[..batch, query, key]);
  sum[key](weight[..batch, query, key] * v[..batch, key, e])
}

/// \`attention\` in which a query sees only the keys that its row of the mask allows. A query that sees none gets 0.
pub fn masked_attention[query, key](
  q: [float; ..batch, query, d],
  k: [float; ..batch, key, d],
  v: [float; ..batch, key, e],
  mask: [bool; query, key],
) -> [float; ..batch, query, e] {
  let score[..batch, query, key] =
    sum[d](q[..batch, query, d] * k[..batch, key, d]) / sqrt(extent(d) as float);
  let total[..batch, query] = logsumexp[key](score[..batch, query, key] where mask[query, key]);
  sum[key](
    exp(score[..batch, query, key] - total[..batch, query]) * v[..batch, key, e]
      where mask[query, key]
  )
}

/// \`attention\` in which a position sees itself and what came before it.
pub fn causal_attention[time](
  q: [float; ..batch, time, d],
  k: [float; ..batch, time, d],
  v: [float; ..batch, time, e],
) -> [float; ..batch, time, e] {
  let mask = causal_mask(extent(time));
  masked_attention(q, k, v, mask)[..batch, time, e]
}

/// Attention by several heads at once, each with its own view of queries, keys and values; \`to_model\` brings them together.
pub fn multi_head_attention[query, key](
  x: [float; ..batch, query, model],
  memory: [float; ..batch, key, model],
  to_q: [float; head, d, model],
  to_k: [float; head, d, model],
  to_v: [float; head, e, model],
  to_model: [float; model, head, e],
  mask: [bool; query, key],
) -> [float; ..batch, query, model] {
  let q[..batch, head, query, d] = sum[model](x[..batch, query, model] * to_q[head, d, model]);
  let k[..batch, head, key, d] = sum[model](memory[..batch, key, model] * to_k[head, d, model]);
  let v[..batch, head, key, e] = sum[model](memory[..batch, key, model] * to_v[head, e, model]);
  let seen = masked_attention[query, key](q, k, v, mask);
  sum[head, e](seen[..batch, head, query, e] * to_model[model, head, e])
}

// ── Recurrent layers ──────────────────────────────────────────────────────────────────────────

/// A recurrent layer with tanh: its states after each step.
pub fn rnn[time](
  x: [float; time, ..batch, in],
  start: [float; ..batch, hidden],
  weight: [float; hidden, in],
  recurrent: [float; hidden, hidden],
  bias: [float; hidden],
) -> [float; time, ..batch, hidden] {
  let n = extent(hidden);
  let h[t in 0..extent(time), ..batch, i in 0..n] = tanh(
    sum[in](weight[i, in] * x[t, ..batch, in])
      + sum[k in 0..n](
        recurrent[i, k] * if t == 0 { start[..batch, k] } else { h[t - 1, ..batch, k] }
      )
      + bias[i],
  );
  h[time, ..batch, hidden]
}

/// A gated recurrent unit: its states after each step. The gates are reset, update and new, in this order.
pub fn gru[time](
  x: [float; time, ..batch, in],
  start: [float; ..batch, hidden],
  weight: [float; 3, hidden, in],
  recurrent: [float; 3, hidden, hidden],
  bias: [float; 3, hidden],
  recurrent_bias: [float; 3, hidden],
) -> [float; time, ..batch, hidden] {
  let n = extent(hidden);
  let seen[t in 0..extent(time), ..batch, gate in 0..3, i in 0..n] =
    sum[in](weight[gate, i, in] * x[t, ..batch, in]) + bias[gate, i];
  let before[t in 0..extent(time), ..batch, i in 0..n] = if t == 0 {
    start[..batch, i]
  } else {
    h[t - 1, ..batch, i]
  };
  let kept[t in 0..extent(time), ..batch, gate in 0..3, i in 0..n] =
    sum[k in 0..n](recurrent[gate, i, k] * before[t, ..batch, k]) + recurrent_bias[gate, i];
  let h[t in 0..extent(time), ..batch, i in 0..n] = {
    let reset = sigmoid(seen[t, ..batch, 0, i] + kept[t, ..batch, 0, i]);
    let update = sigmoid(seen[t, ..batch, 1, i] + kept[t, ..batch, 1, i]);
    let new = tanh(seen[t, ..batch, 2, i] + reset * kept[t, ..batch, 2, i]);
    (1.0 - update) * new + update * before[t, ..batch, i]
  };
  h[time, ..batch, hidden]
}

/// A layer with long short-term memory: its outputs after each step, and its memory. The gates are input, forget, memory and
/// output, in this order.
pub fn lstm[time](
  x: [float; time, ..batch, in],
  start: [float; ..batch, hidden],
  memory: [float; ..batch, hidden],
  weight: [float; 4, hidden, in],
  recurrent: [float; 4, hidden, hidden],
  bias: [float; 4, hidden],
) {
  let n = extent(hidden);
  let gate[t in 0..extent(time), ..batch, g in 0..4, i in 0..n] =
    sum[in](weight[g, i, in] * x[t, ..batch, in])
      + sum[k in 0..n](
        recurrent[g, i, k] * if t == 0 { start[..batch, k] } else { h[t - 1, ..batch, k] }
      )
      + bias[g, i];
  let c[t in 0..extent(time), ..batch, i in 0..n] =
    sigmoid(gate[t, ..batch, 1, i]) * if t == 0 { memory[..batch, i] } else { c[t - 1, ..batch, i] }
      + sigmoid(gate[t, ..batch, 0, i]) * tanh(gate[t, ..batch, 2, i]);
  let h[t in 0..extent(time), ..batch, i in 0..n] =
    sigmoid(gate[t, ..batch, 3, i]) * tanh(c[t, ..batch, i]);
  (h, c)
}

// ── Losses ────────────────────────────────────────────────────────────────────────────────────

/// The mean squared difference.
/// Example: \`mse([1.0, 2.0], [1.0, 4.0])\`
pub fn mse(prediction: [float; ..all], target: [float; ..all]) -> float {
  mean[..all]((prediction[..all] - target[..all]) ** 2.0)
}

/// The mean absolute difference.
pub fn mae(prediction: [float; ..all], target: [float; ..all]) -> float {
  mean[..all](abs(prediction[..all] - target[..all]))
}

/// Half the squared difference where it is small, a straight line where it is larger than \`delta\`; the mean of it.
/// Example: \`huber([0.0, 0.0], [0.5, 3.0])\`
pub fn huber(prediction: [float; ..all], target: [float; ..all], delta: float = 1.0) -> float {
  let off[..all] = prediction[..all] - target[..all];
  mean[..all](
    if abs(off[..all]) <= delta {
      0.5 * off[..all] ** 2.0
    } else {
      delta * (abs(off[..all]) - 0.5 * delta)
    }
  )
}

/// The mean of -log softmax at the right classes.
/// Example: \`cross_entropy([[0.0, 0.0]], [1])\`
pub fn cross_entropy[batch, class](logits: [float; batch, class], labels: [i32; batch]) -> float {
  mean[batch](logsumexp[class](logits[batch, class]) - logits[batch, labels[batch]])
}

/// The mean of minus the log probabilities at the right classes.
pub fn nll[batch, class](log_probability: [float; batch, class], labels: [i32; batch]) -> float {
  mean[batch](-log_probability[batch, labels[batch]])
}

/// The mean of -log of the probability given to what happened: \`target\` is 1 where it did, 0 where it did not.
pub fn binary_cross_entropy(probability: [float; ..all], target: [float; ..all]) -> float {
  mean[..all](
    -(target[..all] * log(probability[..all]) + (1.0 - target[..all]) * log1p(-probability[..all]))
  )
}

/// \`binary_cross_entropy\` of sigmoid(logits), without overflow.
pub fn binary_cross_entropy_with_logits(logits: [float; ..all], target: [float; ..all]) -> float {
  mean[..all](softplus(logits[..all]) - target[..all] * logits[..all])
}

/// How far one distribution is from another along an axis, given the logarithms of the first: the mean over the rest.
pub fn kl_divergence[j](log_probability: [float; ..left, j], target: [float; ..left, j]) -> float {
  mean[..left](
    sum[j](
      if target[..left, j] == 0.0 {
        0.0
      } else {
        target[..left, j] * (log(target[..left, j]) - log_probability[..left, j])
      }
    )
  )
}

/// The mean of max(0, 1 - target · score), for targets 1 and -1.
pub fn hinge(score: [float; ..all], target: [float; ..all]) -> float {
  mean[..all](relu(1.0 - target[..all] * score[..all]))
}

/// The cosine of the angle between two vectors along an axis.
pub fn cosine_similarity[j](
  a: [float; ..left, j, ..right],
  b: [float; ..left, j, ..right],
  epsilon: float = 1e-8,
) -> [float; ..left, ..right] {
  let lengths[..left, ..right] = sqrt(
    sum[j](a[..left, j, ..right] ** 2.0) * sum[j](b[..left, j, ..right] ** 2.0),
  );
  sum[j](a[..left, j, ..right] * b[..left, j, ..right]) / max(lengths[..left, ..right], epsilon)
}
`,
  ],
  [
    "optim",
    `// Descent as recurrences: each function gives the whole path, whose first state is the start and whose last one is the result.
//
// The gradient is a function, most easily one that asks for it:
// \`fn slope(w: [f32; n]) -> [f32; n] { let loss = …; (@loss / @w)[n] }\` and then \`sgd(slope, start, 0.1, 100)\`.
// A model with several tensors is a recurrence of its own, with one rule of this module for each cell:
// \`let W[t in 1..T, i] = sgd_step(W[t - 1, i], @loss[t - 1] / @W[t - 1, i], 0.1);\`.

// ── Rules for one cell ────────────────────────────────────────────────────────────────────────

/// One step down the slope.
pub fn sgd_step(w: float, slope: float, rate: float) -> float { w - rate * slope }

/// The velocity after a step: what is left of the one before, and the slope. The next state is \`w - rate * velocity\`.
pub fn momentum_step(velocity: float, slope: float, decay: float = 0.9) -> float {
  decay * velocity + slope
}

/// The running mean of the slopes, as Adam keeps it.
pub fn adam_mean(mean: float, slope: float, decay: float = 0.9) -> float {
  decay * mean + (1.0 - decay) * slope
}

/// The running mean of the squared slopes, as Adam keeps it.
pub fn adam_square(square: float, slope: float, decay: float = 0.999) -> float {
  decay * square + (1.0 - decay) * slope * slope
}

/// Adam's step number t, counted from 1: the means, corrected for their start at 0, decide direction and length.
pub fn adam_step(
  w: float,
  mean: float,
  square: float,
  t: i32,
  rate: float = 0.001,
  decay: float = 0.9,
  decay_of_squares: float = 0.999,
  epsilon: float = 1e-8,
) -> float {
  let direction = mean / (1.0 - decay ** (t as float));
  let size = sqrt(square / (1.0 - decay_of_squares ** (t as float)));
  w - rate * direction / (size + epsilon)
}

// ── Whole descents ────────────────────────────────────────────────────────────────────────────

/// Gradient descent: \`steps\` steps down the slope.
/// Example: \`sgd(|w| 2.0 * w, [1.0], 0.25, 3)\`
pub fn sgd(gradient, start: [float; ..w], rate: float, steps: i32) {
  let state[t in 0..steps + 1, ..w] = start[..w];
  let state[t in 1..steps + 1, ..w] = sgd_step(
    state[t - 1, ..w],
    gradient(state[t - 1])[..w],
    rate,
  );
  state
}

/// Gradient descent with momentum: the slope changes a velocity, and the velocity changes the state.
pub fn momentum(gradient, start: [float; ..w], rate: float, steps: i32, decay: float = 0.9) {
  let state[t in 0..steps + 1, ..w] = start[..w];
  let velocity[t in 0..steps + 1, ..w] = 0.0 * start[..w];
  let velocity[t in 1..steps + 1, ..w] = momentum_step(
    velocity[t - 1, ..w],
    gradient(state[t - 1])[..w],
    decay,
  );
  let state[t in 1..steps + 1, ..w] = state[t - 1, ..w] - rate * velocity[t, ..w];
  state
}

/// Adam: every cell goes at its own pace (Kingma and Ba, 2015).
/// Example: \`adam(|w| 2.0 * w, [1.0], 0.1, 2)\`
pub fn adam(
  gradient,
  start: [float; ..w],
  rate: float,
  steps: i32,
  decay: float = 0.9,
  decay_of_squares: float = 0.999,
  epsilon: float = 1e-8,
) {
  let state[t in 0..steps + 1, ..w] = start[..w];
  let mean[t in 0..steps + 1, ..w] = 0.0 * start[..w];
  let square[t in 0..steps + 1, ..w] = 0.0 * start[..w];
  let slope[t in 0..steps, ..w] = gradient(state[t])[..w];
  let mean[t in 1..steps + 1, ..w] = adam_mean(mean[t - 1, ..w], slope[t - 1, ..w], decay);
  let square[t in 1..steps + 1, ..w] = adam_square(
    square[t - 1, ..w],
    slope[t - 1, ..w],
    decay_of_squares,
  );
  let state[t in 1..steps + 1, ..w] = adam_step(
    state[t - 1, ..w],
    mean[t, ..w],
    square[t, ..w],
    t,
    rate,
    decay,
    decay_of_squares,
    epsilon,
  );
  state
}
`,
  ],
];
