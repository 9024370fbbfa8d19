// The table of forms of NumPy, PyTorch, JAX, Julia and other languages, each with its form in
// Einlang. The table is data only. Messages, completion and the page `docs/coming-from.md` are made
// from its rows.
//
// In `["ln(x)", "log(x)"]` the words of the left side stand for texts of the user: `ln(2.0 * v)`
// becomes `log(2.0 * v)`. A capital letter such as `A` stands for a matrix. A right side that ends
// with `;` is a declaration. `x[i]` on the right is read along all axes of `x`. An empty right side
// means that Einlang has no equal form; the note then names the nearest one.

import { habitGroups, habitMembers, habitValues } from "./habits.ts";
import { networkGroups } from "./networks.ts";
import { numericGroups } from "./numerics.ts";
import type { Group, Row } from "./row.ts";

// Notes that several rows share.
const fromFile =
  "declare the value, `input x: [f32; n];`, and give the file: `ein run p.ein --in x=FILE`";
const seedIsGiven =
  "nothing is kept: the seed is an argument, `normal(7, i)`, and so is the counter";
const noEigenvalues =
  "eigenvalues are not in the library; nearest is a recurrence, such as the power iteration";
const alwaysThere =
  "every value is there: a choice with nothing in it is an `enum`, " +
  "`enum Option<T> { None, Some(T) }`";
const sortAndRead =
  "sort and read: `let o = std::array::sort(x);`, then the cell at that share of `len(o)`";
const mostlyNothing = "mostly nothing: a term is repeated along names that it omits";
const recurrence = "write a recurrence `let h[t in 1..T] = … h[t-1] …;`, or a recursive function";
const laterHides = "the later `s` hides the earlier one";
const derivation = "print `g`: a bare `print(@a / @b)` shows the derived program";
const builtInOrInStd =
  "leave the line out: what is here of it is built in, or in `std`: " +
  "`use std::array::{sort, concat};`";
const sameOrder = "the cells keep their order";
const inRowsOf = (array: string): string =>
  `let r[i in 0..n, j in 0..m] = std::array::flatten(${array})[i * m + j];`;
const inRows = "let r[i in 0..n, j in 0..m] = x[i * m + j];";
const inRowsOfLength = "let r[i in 0..len(x) / m, j in 0..m] = x[i * m + j];";
const inSoManyRows = "let r[i in 0..n, j in 0..len(x) / n] = x[i * (len(x) / n) + j];";
const inBlocks = "let r[i in 0..n, j in 0..m, l in 0..q] = x[(i * m + j) * q + l];";

/** The names of libraries before functions: `np.exp(x)`, `torch.nn.functional.relu(x)`. */
export const libraries: readonly string[] = (
  "np numpy jnp jax lax torch nn F tf keras scipy sp sps linalg random optim math cmath cupy cp " +
  "Math integrate optimize optax pd pandas plt LinearAlgebra Statistics Random Base statistics " +
  "itertools functools console is set"
).split(" ");

/** Functions by subject. */
export const functionGroups: readonly Group[] = [
  {
    title: "Making arrays",
    rows: [
      ["np.array(x)", "x"],
      ["np.asarray(x)", "x"],
      ["torch.tensor(x)", "x"],
      ["np.arange(n)", "[i | i in 0..n]"],
      ["np.arange(n, m)", "[i | i in n..m]"],
      ["np.linspace(a, b, n)", "std::array::linspace(a, b, n)"],
      ["np.zeros(n)", "[0.0 | _ in 0..n]", "or as a declaration, `let r[i in 0..n] = 0.0;`"],
      ["np.zeros((n, m))", "let r[i in 0..n, j in 0..m] = 0.0;"],
      ["torch.zeros(n, m)", "let r[i in 0..n, j in 0..m] = 0.0;"],
      ["np.ones(n)", "[1.0 | _ in 0..n]", "or as a declaration, `let r[i in 0..n] = 1.0;`"],
      ["np.ones((n, m))", "let r[i in 0..n, j in 0..m] = 1.0;"],
      ["torch.ones(n, m)", "let r[i in 0..n, j in 0..m] = 1.0;"],
      ["np.full(n, a)", "[a | _ in 0..n]"],
      ["np.full((n, m), a)", "let r[i in 0..n, j in 0..m] = a;"],
      ["fill(a, n)", "[a | _ in 0..n]"],
      ["np.empty(n)", "[0.0 | _ in 0..n]", "there are no cells without a value"],
      ["np.zeros_like(x)", "[0.0 | _ in x]"],
      ["np.ones_like(x)", "[1.0 | _ in x]"],
      ["np.eye(n)", "std::linalg::identity(n)"],
      [
        "np.meshgrid(x, y)",
        "",
        "nothing is to be copied: a term is repeated along the names that it omits, " +
          "as in `x[i] * y[j]`",
      ],
    ],
  },
  {
    title: "Elementary functions",
    rows: [
      ["ln(x)", "log(x)"],
      ["np.log2(x)", "std::math::log2(x)"],
      ["np.arcsin(x)", "std::math::asin(x)"],
      ["np.arccos(x)", "std::math::acos(x)"],
      ["np.arctan(x)", "std::math::atan(x)"],
      ["np.arctan2(y, x)", "std::math::atan2(y, x)"],
      ["np.arcsinh(x)", "std::math::asinh(x)"],
      ["np.arccosh(x)", "std::math::acosh(x)"],
      ["np.arctanh(x)", "std::math::atanh(x)"],
      ["np.power(x, a)", "x ** a"],
      ["np.float_power(x, a)", "x ** a"],
      ["np.reciprocal(x)", "1.0 / x"],
      ["np.absolute(x)", "abs(x)"],
      ["np.fabs(x)", "abs(x)"],
      ["np.negative(x)", "-x"],
      ["np.add(x, y)", "x + y"],
      ["np.subtract(x, y)", "x - y"],
      ["np.multiply(x, y)", "x * y"],
      ["np.divide(x, y)", "x / y"],
      ["np.floor_divide(a, b)", "floor(a / b)", "integers are divided by `/`"],
      ["div(n, m)", "n / m"],
      ["mod(n, m)", "n % m", "the sign is that of the dividend"],
      ["np.fmod(a, b)", "a % b"],
      ["np.remainder(a, b)", "a % b", "the sign is that of the dividend"],
      ["np.maximum(x, a)", "max(x, a)"],
      ["np.minimum(x, a)", "min(x, a)"],
      ["np.clip(x, a, b)", "clamp(x, a, b)"],
      ["np.rint(x)", "round(x)"],
      ["np.trunc(x)", "sign(x) * floor(abs(x))"],
      ["np.heaviside(s, a)", "if s < 0.0 { 0.0 } else if s > 0.0 { 1.0 } else { a }"],
      ["np.deg2rad(x)", "std::math::radians(x)"],
      ["np.rad2deg(x)", "std::math::degrees(x)"],
      ["gammaln(x)", "std::math::lgamma(x)"],
      ["loggamma(x)", "std::math::lgamma(x)"],
      ["psi(x)", "std::math::digamma(x)"],
      ["expit(x)", "sigmoid(x)"],
      ["np.where(x > 0.5, 1.0, 0.0)", "let r[i] = if x[i] > 0.5 { 1.0 } else { 0.0 };"],
      ["ifelse(c, a, b)", "if c { a } else { b }"],
      [
        "np.select(c, x)",
        "",
        "choices stand one behind the other: `if c { a } else if d { b } else { e }`",
      ],
      ["np.isnan(s)", "s != s", "only NaN is different from itself"],
      ["is_nan(s)", "s != s", "only NaN is different from itself"],
      ["np.isinf(s)", "abs(s) == 1.0 / 0.0"],
      ["is_inf(s)", "abs(s) == 1.0 / 0.0"],
      ["np.isfinite(s)", "s - s == 0.0", "NaN and the infinities give NaN there"],
      ["np.isclose(a, b)", "abs(a - b) < 1e-5"],
      ["np.allclose(x, y)", "all[i](abs(x[i] - y[i]) < 1e-5)"],
      ["np.array_equal(x, y)", "all[i](x[i] == y[i])"],
      ["np.isin(s, x)", "any[i](x[i] == s)"],
      ["np.logical_and(c, d)", "c && d"],
      ["np.logical_or(c, d)", "c || d"],
      ["np.logical_not(c)", "!c"],
    ],
  },
  {
    title: "Reductions",
    rows: [
      ["product(x)", "prod[i](x[i])"],
      ["np.amax(x)", "max[i](x[i])"],
      ["np.amin(x)", "min[i](x[i])"],
      ["np.average(x)", "mean[i](x[i])"],
      ["np.var(x)", "mean[i]((x[i] - mean[j](x[j])) ** 2)"],
      ["np.std(x)", "sqrt(mean[i]((x[i] - mean[j](x[j])) ** 2))"],
      ["np.ptp(x)", "max[i](x[i]) - min[i](x[i])"],
      [
        "np.median(x)",
        "{ let o = std::array::sort(x); 0.5 * (o[(len(o) - 1) / 2] + o[len(o) / 2]) }",
      ],
      ["np.quantile(x, a)", "", sortAndRead],
      ["np.percentile(x, a)", "", sortAndRead],
      ["np.nansum(x)", "sum[i](x[i] where x[i] == x[i])"],
      ["np.nanmean(x)", "mean[i](x[i] where x[i] == x[i])"],
      ["np.count_nonzero(x)", "count[i](x[i] != 0.0)"],
      ["np.bincount(k)", "let r[b in 0..n] = count[i](k[i] == b);"],
      [
        "np.histogram(k, n)",
        "let r[b in 0..n] = count[i](k[i] == b);",
        "`k` is the number of each value's bin",
      ],
      [
        "np.corrcoef(x, y)",
        "",
        "write the formula with `mean[i](…)`; for standardised values it is `mean[i](x[i] * y[i])`",
      ],
    ],
  },
  {
    title: "Products",
    rows: [
      ["np.vdot(x, y)", "std::linalg::dot(x, y)"],
      ["np.inner(x, y)", "std::linalg::dot(x, y)"],
      ["torch.mm(A, B)", "std::linalg::matmul(A, B)"],
      ["torch.bmm(A, B)", "std::linalg::matmul(A, B)"],
      ["torch.mv(A, w)", "std::linalg::matvec(A, w)"],
      ["np.einsum(t, A, B)", "let r[i, j] = sum[k](A[i, k] * B[k, j]);"],
      ["np.tensordot(A, B)", "let r[i, j] = sum[k](A[i, k] * B[k, j]);"],
      ["np.kron(x, y)", "let r[i in 0..len(x) * len(y)] = x[i / len(y)] * y[i % len(y)];"],
      [
        "np.kron(A, B)",
        "std::array::merge[i, p](std::array::merge[j, q](A[i, j] * B[p, q]))",
        "each pair of axes becomes one",
      ],
      [
        "np.cross(x, y)",
        "[x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]",
      ],
      ["np.inv(A)", "std::linalg::inverse(A)"],
      [
        "np.linalg.pinv(A)",
        "",
        "there is no pseudoinverse; least squares are `std::linalg::solve` of the normal equations",
      ],
      [
        "np.linalg.lstsq(A, b)",
        "",
        "write the normal equations, and `std::linalg::solve_positive` them",
      ],
      ["np.linalg.eig(A)", "", noEigenvalues],
      ["np.linalg.eigh(A)", "", noEigenvalues],
      [
        "np.linalg.svd(A)",
        "",
        "singular values are not in the library; nearest is `std::linalg::qr`",
      ],
      [
        "np.fft(x)",
        "",
        "there is no FFT; a transform is a sum, `sum[t](x[t] * cos(…))`, at quadratic cost",
      ],
    ],
  },
  {
    title: "Shapes",
    rows: [
      ["size(x)", "len(x)"],
      ["length(x)", "len(x)"],
      ["np.ndim(x)", "len(shape(x))"],
      ["ndims(x)", "len(shape(x))"],
      ["np.reshape(x, (n, m))", inRows, sameOrder],
      ["np.reshape(A, (n, m))", inRowsOf("A"), sameOrder],
      ["np.reshape(x, (-1, m))", inRowsOfLength, sameOrder],
      ["np.reshape(x, (n, -1))", inSoManyRows, sameOrder],
      ["np.reshape(x, (n, m, q))", inBlocks, sameOrder],
      ["np.reshape(x, n)", "std::array::flatten(x)", sameOrder],
      ["reshape(x, -1, m)", inRowsOfLength, sameOrder],
      ["reshape(x, n, -1)", inSoManyRows, sameOrder],
      ["reshape(x, n, m)", inRows, sameOrder],
      ["reshape(A, n, m)", inRowsOf("A"), sameOrder],
      ["reshape(x, n, m, q)", inBlocks, sameOrder],
      ["np.ravel(A)", "std::array::flatten(A)"],
      ["np.squeeze(A)", "let r[j] = A[0, j];"],
      ["np.expand_dims(x, 0)", "let r[b in 0..1, i] = x[i];"],
      ["torch.unsqueeze(x, 0)", "let r[b in 0..1, i] = x[i];"],
      ["np.swapaxes(A, 0, 1)", "std::array::transpose(A)"],
      ["np.moveaxis(A, 0, 1)", "let r[j, i] = A[i, j];"],
      ["torch.permute(A, 1, 0)", "let r[j, i] = A[i, j];"],
      ["np.broadcast_to(x, n)", "let r[b in 0..n, i] = x[i];", mostlyNothing],
      ["np.concatenate((x, y))", "std::array::concat(x, y)"],
      ["torch.cat((x, y))", "std::array::concat(x, y)"],
      ["np.hstack((x, y))", "std::array::concat(x, y)"],
      ["vcat(x, y)", "std::array::concat(x, y)"],
      ["np.vstack((x, y))", "std::array::stack(x, y)"],
      ["np.stack((x, y))", "std::array::stack(x, y)"],
      ["np.append(x, a)", "std::array::concat(x, [a])"],
      ["array_append(x, a)", "std::array::concat(x, [a])"],
      [
        "np.insert(x, n, a)",
        "",
        "arrays stay as they are: put two together with `std::array::concat`",
      ],
      [
        "np.split(x, n)",
        inSoManyRows,
        "the row `r[i]` is one piece; of a text, `split` is a method",
      ],
      ["np.tile(x, n)", "let r[i in 0..n * len(x)] = x[i % len(x)];"],
      ["np.repeat(x, n)", "let r[i in 0..n * len(x)] = x[i / n];"],
      ["repeat_interleave(x, n)", "let r[i in 0..n * len(x)] = x[i / n];"],
      ["np.flipud(A)", "let r[i, j] = A[len(A) - 1 - i, j];"],
      ["np.diff(x)", "let r[i in 0..len(x) - 1] = x[i + 1] - x[i];"],
      [
        "np.convolve(x, w)",
        "let r[i in 0..len(x) + len(w) - 1] = sum[j](x[i - j] * w[j] where i - j in 0..len(x));",
      ],
      ["np.correlate(x, w)", "let r[i in 0..len(x) - len(w) + 1] = sum[j](x[i + j] * w[j]);"],
      [
        "np.interp(a, x, y)",
        "",
        "find the cell before with `count[i](x[i] < a)`, and weigh two neighbours",
      ],
    ],
  },
  {
    title: "Reading and writing by position",
    rows: [
      ["np.take(x, k)", "let r[i] = x[k[i]];"],
      ["torch.gather(A, 1, k)", "let r[i] = A[i, k[i]];"],
      ["torch.index_select(x, 0, k)", "let r[i] = x[k[i]];"],
      ["F.embedding(k, A)", "let r[i, j] = A[k[i], j];"],
      [
        "torch.scatter(x, 0, k, y)",
        "let r[i] = if any[j](k[j] == i) { sum[j](y[j] where k[j] == i) } else { x[i] };",
        "what goes to one place is added up",
      ],
      ["torch.scatter_add(x, 0, k, y)", "let r[p] = x[p] + sum[i](y[i] where k[i] == p);"],
      ["segment_sum(x, k)", "let r[p in 0..n] = sum[i](x[i] where k[i] == p);"],
      ["np.nonzero(x)", "[i | i in 0..len(x), x[i] != 0.0]"],
      ["np.flatnonzero(x)", "[i | i in 0..len(x), x[i] != 0.0]"],
      ["np.argwhere(c)", "std::array::where_true(c)"],
      ["findall(c)", "std::array::where_true(c)"],
      ["sorted(x)", "std::array::sort(x)"],
      ["reversed(x)", "std::array::reverse(x)"],
      [
        "np.unique(x)",
        "{ let o = std::array::sort(x); [o[i] | i in 0..len(o), i == 0 || o[i] != o[i - 1]] }",
      ],
      ["np.searchsorted(x, a)", "count[i](x[i] < a)"],
      ["np.partition(x, n)", "std::array::sort(x)"],
    ],
  },
  {
    title: "Random numbers",
    rows: [
      ["np.random.rand(n)", "[uniform(1, i) | i in 0..n]", "1 is the seed"],
      ["rand(n)", "[uniform(1, i) | i in 0..n]", "1 is the seed"],
      ["np.random.randn(n)", "[normal(1, i) | i in 0..n]", "1 is the seed"],
      [
        "np.random.rand(n, m)",
        "let r[i in 0..n, j in 0..m] = uniform(1, i * m + j);",
        "1 is the seed",
      ],
      [
        "np.random.randn(n, m)",
        "let r[i in 0..n, j in 0..m] = normal(1, i * m + j);",
        "1 is the seed",
      ],
      [
        "np.random.permutation(n)",
        "std::array::argsort([uniform(1, i) | i in 0..n])",
        "1 is the seed",
      ],
      [
        "np.random.shuffle(x)",
        "",
        "read in another order: `let o = std::array::argsort([uniform(1, i) | i in 0..len(x)]);`",
      ],
      ["np.random.choice(x, n)", "[x[randint(1, i, 0, len(x))] | i in 0..n]", "1 is the seed"],
      ["np.random.seed(7)", "", seedIsGiven],
      ["torch.manual_seed(7)", "", seedIsGiven],
      ["default_rng(7)", "", seedIsGiven],
    ],
  },
  {
    title: "Layers and losses",
    rows: [
      ["swish(x)", "std::ml::silu(x)"],
      ["hardtanh(x)", "std::ml::hard_tanh(x)"],
      ["hardsigmoid(x)", "std::ml::hard_sigmoid(x)"],
      ["hardswish(x)", "std::ml::hard_swish(x)"],
      ["F.logsigmoid(x)", "std::ml::log_sigmoid(x)"],
      ["F.celu(s)", "max(s, 0.0) + min(0.0, expm1(s))"],
      ["F.prelu(s, a)", "if s > 0.0 { s } else { a * s }"],
      ["F.hardshrink(s)", "if abs(s) > 0.5 { s } else { 0.0 }"],
      ["F.softshrink(s)", "sign(s) * max(abs(s) - 0.5, 0.0)"],
      ["F.tanhshrink(x)", "x - tanh(x)"],
      [
        "F.dropout(x, a)",
        "let r[i] = if uniform(1, i) < a { 0.0 } else { x[i] / (1.0 - a) };",
        "1 is the seed",
      ],
      ["layer_normalization(x, y, w)", "std::ml::layer_norm(x, y, w)"],
      [
        "batch_normalization(x, y, w)",
        "",
        "write `std::ml::batch_norm`, or `batch_norm_with` for given means",
      ],
      ["instance_norm(x)", "", "write `std::ml::group_norm` with a group for each channel"],
      ["scaled_dot_product_attention(A, B, A)", "std::ml::attention(A, B, A)"],
      ["F.mse_loss(x, y)", "std::ml::mse(x, y)"],
      ["F.l1_loss(x, y)", "std::ml::mae(x, y)"],
      ["F.smooth_l1_loss(x, y)", "std::ml::huber(x, y)"],
      ["F.huber_loss(x, y)", "std::ml::huber(x, y)"],
      ["F.nll_loss(A, k)", "std::ml::nll(A, k)"],
      ["F.kl_div(x, y)", "std::ml::kl_divergence(x, y)"],
      ["cross_entropy_loss(A, k)", "std::ml::cross_entropy(A, k)"],
      [
        "F.conv_transpose2d(x, w)",
        "",
        "the transpose of a convolution is its derivative: `@loss / @x`, or a sum over `y - h`",
      ],
      [
        "conv3d(x, w)",
        "",
        "write the sum: `sum[c, a, b, d](x[c, z + a, y + b, v + d] * w[o, c, a, b, d])`",
      ],
      ["global_average_pool(x)", "mean[i](x[i])"],
      ["quantize_linear(s, a)", "clamp(round(s / a), -128.0, 127.0) as i8"],
      ["dequantize_linear(n, a)", "n as f32 * a"],
    ],
  },
  {
    title: "Derivatives and transformations",
    rows: [
      ["grad(loss, w)", "let g = @loss / @w;", derivation],
      ["gradient(loss, w)", "let g = @loss / @w;", derivation],
      ["jacobian(y, x)", "let g = @y / @x;", derivation],
      ["hessian(loss, x)", "let g = @(@loss / @x) / @x;", derivation],
      ["value_and_grad(f)", "", "name the value, `let loss = f(w);`, and ask for `@loss / @w`"],
      ["jax.vmap(f)", "", "name the axis: `let r[b] = f(x[b]);`"],
      ["jax.jit(f)", "", "leave it out: everything is compiled"],
      ["stop_gradient(x)", "stop(x)"],
      [
        "lax.scan(f, a, x)",
        "",
        "write a recurrence: `let h[0] = a; let h[t in 1..n] = h[t - 1] + x[t];`",
      ],
      ["torch.no_grad()", "", "`stop(x)` treats `x` as a constant"],
      ["np.vectorize(f)", "", "leave it out: a function of scalars is applied cell by cell"],
    ],
  },
  {
    title: "Words of programs",
    rows: [
      ["println(x)", "print(x)"],
      ["printf(x)", "print(x)", 'values are written into the text: `"{x:.2f}"`'],
      ["display(x)", "print(x)"],
      ["float(a)", "a as f32"],
      ["int(a)", "a as i32"],
      ["double(a)", "a as f64"],
      ["np.float32(a)", "a as f32"],
      ["np.float64(a)", "a as f64"],
      ["np.int64(a)", "a as i64"],
      ["Float64(a)", "a as f64"],
      ["bool(n)", "n != 0"],
      ["type(x)", "typeof(x)"],
      ["enumerate(x)", "[(i, x[i]) | i in 0..len(x)]"],
      ["zip(x, y)", "[(x[i], y[i]) | i in 0..len(x)]"],
      ["map(f, x)", "[f(v) | v in x]"],
      ["filter(f, x)", "[v | v in x, f(v)]"],
      ["reduce(f, x)", "", "name what is added up, `sum[i](x[i])`, or write a recurrence over `t`"],
      ["list(x)", "x"],
      ["collect(x)", "x"],
      ["dict(x)", "", "write a struct: `struct Point { x: f32, y: f32 }`"],
      ["np.load(t)", "", fromFile],
      ["load_npy(t)", "", fromFile],
      ["np.loadtxt(t)", "", fromFile],
      ["read_csv(t)", "", fromFile],
      ["open(t)", "", fromFile],
      ["np.save(t, x)", "", "ask for the value on the command line: `ein run p.ein --save x=FILE`"],
    ],
  },
  ...networkGroups,
  ...numericGroups,
  ...habitGroups,
];

/**
 * Functions, found by the last part of their names. The same rows answer methods: `x.median()` is
 * `median(x)`.
 */
export const functions: readonly Row[] = functionGroups.flatMap(({ rows }) => rows);

export const values: readonly Row[] = [
  ["True", "true"],
  ["False", "false"],
  ["None", "", alwaysThere],
  ["null", "", alwaysThere],
  ["nil", "", alwaysThere],
  ["nothing", "", alwaysThere],
  ["pass", "", "leave the line out: a block may be empty"],
  [
    "break",
    "",
    "a range says where a loop ends; a search is a reduction such as `any[i](…)`, or recursion",
  ],
  ["continue", "", "what is left out is said by a guard: `sum[i](x[i] where x[i] > 0.0)`"],
  ["np.newaxis", "", "name the new axis in a declaration: `let r[b in 0..1, i] = x[i];`"],
  ["np.pi", "std::math::pi"],
  ["np.e", "std::math::e"],
  ["np.inf", "1.0 / 0.0"],
  ["Inf", "1.0 / 0.0"],
  ["Infinity", "1.0 / 0.0"],
  ["infinity", "1.0 / 0.0"],
  ["np.nan", "0.0 / 0.0"],
  ["NaN", "0.0 / 0.0"],
  ["epsilon", "1.1920929e-7"],
  ["eps", "1.1920929e-7"],
  ["max_float", "3.4028235e38"],
  ["min_float", "1.1754944e-38"],
  ["ln2", "0.6931472"],
  ["ln10", "2.3025851"],
  ["log2e", "1.442695"],
  ["log10e", "0.4342945"],
  ["sqrt2", "1.4142135"],
  ["sqrt3", "1.7320508"],
  ["phi", "1.618034"],
  ["Math.PI", "std::math::pi"],
  ["M_PI", "std::math::pi"],
  ["TRUE", "true"],
  ["FALSE", "false"],
  ["NA", "0.0 / 0.0"],
  ["undefined", "", alwaysThere],
  ...habitValues,
];

/**
 * Members and methods. `x` is the expression before the dot. Methods that are not listed here are
 * looked up among the functions.
 */
export const members: readonly Row[] = [
  ["A.T", "std::array::transpose(A)"],
  ["A.mT", "std::array::transpose(A)"],
  ["x.length", "len(x)"],
  ["A.size", "shape(A)[0] * shape(A)[1]"],
  ["x.size", "len(x)"],
  ["x.ndim", "len(shape(x))"],
  ["x.dtype", "typeof(x)"],
  ["x.grad", "", "a gradient is asked for by name: `let d_x = @loss / @x;`"],
  ["x.data", "x"],
  ["x.values", "x"],
  ["x.flat", "std::array::flatten(x)"],
  ["x.device", "", "leave it out: kernels and threads are chosen when a program runs"],
  ["A.t()", "std::array::transpose(A)"],
  ["x.size()", "len(x)"],
  ["x.dim()", "len(shape(x))"],
  ["A.numel()", "shape(A)[0] * shape(A)[1]"],
  ["x.numel()", "len(x)"],
  ["x.astype(t)", "x as f32", "the type that is meant stands behind `as`"],
  ["x.to(t)", "x", "a cast is `x as f32`; devices are chosen when a program runs"],
  ["x.float()", "x as f32"],
  ["x.double()", "x as f64"],
  ["x.half()", "x as f16"],
  ["x.int()", "x as i32"],
  ["x.long()", "x as i64"],
  ["s.item()", "s"],
  ["x.detach()", "stop(x)"],
  ["x.clone()", "x"],
  ["x.copy()", "x"],
  ["x.contiguous()", "x"],
  ["x.numpy()", "x"],
  ["x.tolist()", "x"],
  ["x.cpu()", "x"],
  ["x.cuda()", "x"],
  ["x.iter()", "x"],
  ["x.collect()", "x"],
  ["loss.backward()", "", "a gradient is asked for by name: `let d_x = @loss / @x;`"],
  [
    "x.requires_grad_()",
    "",
    "leave it out: a gradient by any float value can be asked for, `@loss / @x`",
  ],
  ["x.view(-1, m)", inRowsOfLength, sameOrder],
  ["x.view(n, -1)", inSoManyRows, sameOrder],
  ["x.view(n, m)", inRows, sameOrder],
  ["A.view(n, m)", inRowsOf("A"), sameOrder],
  ["x.view(n, m, q)", inBlocks, sameOrder],
  ["x.view(n)", "std::array::flatten(x)", sameOrder],
  ["x.expand(n, m)", "let r[b in 0..n, i] = x[i];", mostlyNothing],
  ["x.append(a)", "std::array::concat(x, [a])"],
  ["x.push(a)", "std::array::concat(x, [a])"],
  ["x.extend(y)", "std::array::concat(x, y)"],
  ["x.contains(a)", "any[i](x[i] == a)"],
  ["x.includes(a)", "any[i](x[i] == a)"],
  ["x.map(f)", "[f(v) | v in x]"],
  ["x.filter(f)", "[v | v in x, f(v)]"],
  ["x.first()", "x[0]"],
  ["x.last()", "x[len(x) - 1]"],
  ["x.fill_(a)", "", "a tensor is never changed: declare another, `let r[i in 0..n] = …;`"],
  ["x.add_(a)", "", "a tensor is never changed: name the new one, `let r = x + …;`"],
  ["A.norm()", "std::linalg::frobenius_norm(A)"],
  ...habitMembers,
];

/** Signs, statements and brackets. The parser or the checker finds them. */
export const notations: readonly Row[] = [
  [
    "A @ B",
    "std::linalg::matmul(A, B)",
    "as a declaration, `let r[i, j] = sum[k](A[i, k] * B[k, j]);`",
  ],
  ["A'", "std::array::transpose(A)"],
  ["x .* y", "x * y", "operations work cell by cell"],
  ["f.(x)", "f(x)", "a function of scalars is applied cell by cell"],
  ['f"loss {s}"', '"loss {s}"', "every text takes values in braces"],
  ["s += a", "let s = s + a;", "the later `s` hides the earlier one"],
  ["s -= a", "let s = s - a;", laterHides],
  ["s *= a", "let s = s * a;", laterHides],
  ["s /= a", "let s = s / a;", laterHides],
  ["s %= a", "let s = s % a;", laterHides],
  ["s++", "let s = s + 1;", laterHides],
  ["s--", "let s = s - 1;", laterHides],
  ["x[0] = a", "let x_new[i] = x[i]; let x_new[0] = a;"],
  ["x = a", "", "write `let` in front to define it, or `==` to compare"],
  ["a ^ b", "a ** b"],
  ["~c", "!c"],
  ["c & c", "c && c"],
  ["a <> b", "a != b"],
  ["a === b", "a == b"],
  ["c and c", "c && c"],
  ["c or c", "c || c"],
  ["not c", "!c"],
  ["n div m", "n / m", "integers are divided by `/`"],
  ["n mod m", "n % m"],
  ["c ? a : b", "if c { a } else { b }"],
  ["a if c else b", "if c { a } else { b }"],
  ["lambda v: v + 1.0", "|v| v + 1.0"],
  ["v -> v + 1.0", "|v| v + 1.0"],
  ["x[1:]", "let r[i in 0..len(x) - 1] = x[i + 1];"],
  ["A[:, 0]", "let r[i] = A[i, 0];"],
  ["x[None, :]", "let r[b in 0..1, i] = x[i];"],
  ["x[...]", "x"],
  ["x[-1]", "x[len(x) - 1]"],
  ["x[end]", "x[len(x) - 1]"],
  ["x[c]", "[x[i] | i in 0..len(x), c[i]]"],
  ["p[0]", "p.0"],
  ["sum(x)", "sum[i](x[i])"],
  ["A %*% B", "std::linalg::matmul(A, B)"],
  ["A \\ w", "std::linalg::solve(A, w)"],
  ["sort!(x)", "std::array::sort(x)", "a function gives a new value, and changes none"],
  ["f(*p)", "", "nothing is unpacked: write each argument, `f(p.0, p.1)`"],
  ["1:n", "[i | i in 1..n + 1]", "both ends are meant; of a range, the end is no part"],
];

/** Statements, found by their first word. */
export const statements: readonly Row[] = [
  [
    "def f(x): return x",
    "",
    "write `fn f(x) { x }`: the last expression is the value, without `return`",
  ],
  ["function f(x) { x }", "", "a function is written `fn f(x) { x * 2 }`, without `return`"],
  ["func f(x) { x }", "", "a function is written `fn f(x) { x * 2 }`, without `return`"],
  [
    "return s;",
    "",
    "the last expression of a function is its value: leave out `return` and the `;`",
  ],
  [
    "for i in range(n): f(i)",
    "",
    "write a comprehension, `let r = [i * i | i in 0..n];`, " +
      "a declaration `let y[i in 0..n] = …;`, or a recurrence over `t`; " +
      "to print, print the whole: `print([i * i | i in 0..n]);`",
  ],
  ["while s > 0.0: print(s)", "", recurrence],
  ["loop { s }", "", recurrence],
  ["var v = a;", "", "write `let x = …;`: bindings are immutable"],
  ["val v = a;", "", "write `let x = …;`"],
  ["int v = 1;", "", "the type stands behind the name: `let x: i32 = 1;`"],
  ["float v = 1.0;", "", "the type stands behind the name: `let x: f32 = 1.0;`"],
  ["double v = 1.0;", "", "the type stands behind the name: `let x: f64 = 1.0;`"],
  ["import numpy as np", "", builtInOrInStd],
  ["from math import exp", "", builtInOrInStd],
  ["using Statistics", "", "write `use std::math::{exp};`"],
  ["class P: x", "", "write `struct Name { x: f32 }`"],
  ["type P = f32;", "", "write `struct Name { … }` or `enum Name { … }`"],
  ["print s;", "", 'write `print(…);`, for example `print("loss {x:.4f}");`'],
  ["assert c;", "", "write `assert(…);`"],
  ["switch s { 1 }", "", "write `match s { 1 => …, _ => … }`"],
  [
    "try { s }",
    "",
    "nothing is thrown: what may fail is a value, such as `enum Result { Bad, Good(f32) }`",
  ],
  ["raise s;", "", "write `assert(…);` for what has to hold"],
  ["throw s;", "", "write `assert(…);` for what has to hold"],
  ["with s: print(s)", "", "leave the line out; what has no gradient stands in `stop(…)`"],
  ["del s;", "", "leave the line out: memory is given back when nothing reads it"],
];

/** Names of modules in other languages, as they stand in `use` and in paths. */
export const modules: readonly Row[] = [
  [
    "python",
    "",
    "Python cannot be called: declare what it gives, `input x: [f32; n];`, and give it: " +
      "`ein run p.ein --in x=FILE`",
  ],
  ["numpy", "", "the library is `std`: `use std::array::{sort, concat};`"],
  ["torch", "", "the library is `std`: `use std::ml::{softmax, conv2d};`"],
  ["jax", "", "the library is `std`: `use std::ml::{softmax, conv2d};`"],
  ["math", "", "the library is `std`: `use std::math::{atan, pi};`"],
  ["std::io", "", fromFile],
  ["std::fs", "", fromFile],
  ["std::random", "", "`uniform`, `normal` and `randint` are there without `use`"],
  [
    "std::numerics",
    "",
    "nearest are `std::linalg` and `std::optim`; an ODE is a recurrence over `t`",
  ],
  [
    "std::stats",
    "",
    "`mean` is a reduction, `mean[i](x[i])`; for the variance square the difference from the mean",
  ],
  [
    "std::math::trig",
    "",
    "these functions are in the module itself: `use std::math::{atan, asin};`",
  ],
  ["std::math::constants", "", "the constants are in the module itself: `use std::math::{pi, e};`"],
  ["std::math::basic", "", "these functions are in the module itself: `use std::math::{square};`"],
  [
    "std::math::hyperbolic",
    "",
    "these functions are in the module itself: `use std::math::{sinh, cosh};`",
  ],
];
