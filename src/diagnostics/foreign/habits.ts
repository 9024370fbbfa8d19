// Rows of the table: small habits of MATLAB, R, JavaScript and Rust, and methods of their arrays.

import type { Group, Row } from "./row.ts";

const notChanged = "nothing is changed in place: name the new one";
const onTheMachine = "leave it out: kernels and threads are chosen when a program runs";

export const habitGroups: readonly Group[] = [
  {
    title: "Small habits",
    rows: [
      ["plus(x, y)", "x + y"],
      ["minus(x, y)", "x - y"],
      ["times(x, y)", "x * y", "operations work cell by cell"],
      ["rdivide(x, y)", "x / y", "operations work cell by cell"],
      ["math.log(x, a)", "log(x) / log(a)"],
      ["console.log(x)", "print(x)"],
      ["is.na(s)", "s != s", "only NaN is different from itself"],
      ["paste(t, t)", '"{t} {t}"', "every text takes values in braces"],
      ["nchar(t)", "t.len()"],
      ["cellfun(f, x)", "[f(v) | v in x]"],
      ["matrix(x, n, m)", "let r[i in 0..n, j in 0..m] = x[j * n + i];", "column by column"],
      ["cumtrapz(x)", "let r[i in 0..len(x)] = sum[j in 0..i](0.5 * (x[j] + x[j + 1]));"],
      ["np.pad(x, n)", "std::array::pad(x, n, n)", "before and behind"],
      ["np.nanargmax(x)", "argmax[i](x[i] where x[i] == x[i])"],
      ["np.nanargmin(x)", "argmin[i](x[i] where x[i] == x[i])"],
      [
        "np.indices((n, m))",
        "",
        "a coordinate is a number: `let r[i in 0..n, j in 0..m] = i * j;`",
      ],
      ["np.mgrid(n)", "", "a coordinate is a number: `let r[i in 0..n, j in 0..m] = i * j;`"],
      ["np.block(x)", "", "arrays are put together by `std::array::concat` and `stack`"],
      ["np.put(x, n, a)", "let r[i] = if i == n { a } else { x[i] };", notChanged],
      ["setindex(x, a, n)", "let r[i] = if i == n { a } else { x[i] };", notChanged],
      ["np.lexsort(x)", "", "sort by one number that says the order: `std::array::argsort(x)`"],
      ["torch.baddbmm(x, x, y)", "", "a batch is one more name: `sum[k](x[b, i, k] * y[b, k, j])`"],
      ["orth(A)", "std::linalg::qr(A).0"],
      ["null(A)", "", "singular values are not in the library; nearest is `std::linalg::qr`"],
      ["set_printoptions(n)", "", 'the form stands with the value: `print("{x:.3f}");`'],
      ["figure()", "", "`ein explain p.ein --heat x` draws a tensor as a picture"],
      ["parse(t)", "", "a number comes from outside: `input s: f32;`, and `--set s=1`"],
      ["input(t)", "", "declare it, `input s: f32;`, and give it: `ein run p.ein --set s=1`"],
      ["readline(t)", "", "declare it, `input s: f32;`, and give it: `ein run p.ein --set s=1`"],
      ["complex(a, b)", "", "there are no complex numbers: keep the two parts as two tensors"],
      ["np.angle(s)", "", "there are no complex numbers: the angle is `std::math::atan2(y, x)`"],
      ["swap(x, y)", "(y, x)"],
    ],
  },
];

export const habitValues: readonly Row[] = [
  ["self", "", "a function takes what it reads as parameters: `fn f(p) { p.x }`"],
  ["this", "", "a function takes what it reads as parameters: `fn f(p) { p.x }`"],
  ["im", "", "there are no complex numbers: keep the two parts as two tensors"],
  ["undef", "", "there are no cells without a value: every cell of a tensor is declared"],
];

export const habitMembers: readonly Row[] = [
  ["x.real", "x", "there are no complex numbers"],
  ["x.nbytes", "len(x) * 4", "an f32 has 4 bytes"],
  ["x.is_cuda", "", onTheMachine],
  ["x.rank", "len(shape(x))"],
  ["x.at(n)", "x[n]"],
  ["x.get(n)", "x[n]"],
  ["x.index(a)", "min[i](i where x[i] == a)"],
  ["x.indexOf(a)", "min[i](i where x[i] == a)"],
  ["x.pop()", "[x[i] | i in 0..len(x) - 1]", notChanged],
  ["x.remove(a)", "[v | v in x, v != a]", notChanged],
  ["x.is_empty()", "len(x) == 0"],
  ["x.isEmpty()", "len(x) == 0"],
  ["x.to_vec()", "x"],
  ["x.unwrap()", "x", "a value is there, or the run stops"],
  ["x.forEach(f)", "", "print the whole: `print([f(v) | v in x]);`"],
];
