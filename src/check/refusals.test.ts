// The messages for programs with one mistake each, complete with labels and help.

import { describe } from "vitest";
import { refused } from "../../test/support/check.ts";

describe("types that are written", () => {
  refused([
    [
      "input x: [float; 3];",
      "E0404 1:11 `float` stands for any such element type and belongs in a signature | " +
        "name one: `f32`",
    ],
    [
      "let x: int = 1;",
      "E0404 1:8 `int` stands for any such element type and belongs in a signature | " +
        "name one: `i32`",
    ],
    [
      "let x = 2.5;\nlet y: [f32; x] = [1.0];",
      "E0201 2:14 there is no dimension `x` | a dimension name is introduced by an `input` " +
        "or a parameter; write `?` for any extent",
    ],
    [
      "let n = 2;\nlet y: [i32; n] = [1, 2];\nlet z: [i32; n] = [1, 2, 3];",
      "E0411 3:19 this is [i32; 3], declared as [i32; 2] | 3:8 declared here",
    ],
    [
      "let y: [i32; ?] = [1, 2];\nlet z: [i32; ?, ?] = [1, 2];",
      "E0411 2:22 this is [i32; 2], declared as [i32; ?, ?] | 2:8 declared here | write `[i32; ?]`",
    ],
    [
      "let x: (f32, f32) = 1.0;\nlet y: f32 = (1.0, 2.0);",
      "E0411 1:21 this is f32, declared as (f32, f32) | 1:8 declared here",
      "E0411 2:14 this is (f32, f32), declared as f32 | 2:8 declared here",
    ],
    [
      "fn f(x: f32) -> [f32; q] { x }\nlet y = f(1.0);",
      "E0507 1:23 the result uses `q`, which no parameter introduces | " +
        "a result may only use names that stand in the parameters; write `?` for another extent",
    ],
  ]);
});

describe("calls", () => {
  refused([
    ["let f = 3;\nlet y = f(2);", "E0202 2:9 `f` is a value, not a function"],
    [
      "let y = exp(x = 2.0);",
      "E0502 1:13 `exp` has no parameter `x` | its arguments go by position",
    ],
    ["fn f(x, y) { x + y }\nlet c = f(1);", "E0501 2:9 `f` needs `y` | 1:4 declared here"],
    [
      "fn f(x: f32 = 2.0) { x }\nlet d = f(z = 1.0);",
      "E0502 2:11 `f` has no parameter `z` | 1:4 declared here",
    ],
    [
      "fn f(x: f32, y: f32) { x - y }\nlet a = f(1.0, x = 2.0);",
      "E0502 2:16 `x` is given twice | 2:11 given here already | 1:4 declared here | leave one out",
    ],
    ['assert(true, "a", 3);', "E0501 1:1 `assert` takes a condition and, if you like, a message"],
    ["assert();", "E0501 1:1 `assert` takes a condition and, if you like, a message"],
    [
      "let y = extent(1 + 2);",
      "E0501 1:9 `extent` takes one dimension name or coordinate | " +
        "for a tensor's first axis write `len(x)`",
    ],
    [
      "let x = [1, 2];\nlet y = extent(x);",
      "E0401 2:16 `x` is neither a dimension name nor a coordinate | " +
        "for a tensor's first axis write `len(x)`",
    ],
    [
      "let y[i] = extent(i);",
      "E0302 1:7 nothing determines the range of `i` | declare its range: " +
        "`let y[i in 0..…]`, with the number of its positions for `…`",
    ],
  ]);
});

describe("what stands in a reduction", () => {
  refused([
    [
      "let y = sum[k in 0..3](k, 2);",
      "E0501 1:9 `sum` reduces one expression | write `sum[i](x[i])`",
    ],
    [
      "let y = sum[k in 0..3](value = k);",
      "E0501 1:9 `sum` reduces one expression | write `sum[i](x[i])`",
    ],
    [
      "let x = [1, 2];\nlet y = sum[(i, j)](x[i]);",
      "E0302 2:13 a reduction names its coordinates one by one | write `[i, j]`",
    ],
    [
      "let x = [1, 2];\nlet y = sum[1](x[0]);",
      "E0302 2:13 a bracket before `(` binds coordinates, " +
        "and this is not a name | write a name, or a name with its range: `[k in 0..n]`",
    ],
    [
      "let x = [1, 2, 3];\nlet y = mean[i](x[i]);\nlet z = logsumexp[i](x[i] + 1);\n" +
        "let w = argmax[i, j in 0..2](x[i] + j);",
      "E0409 2:17 `mean` wants a float type, this is i32 | write `x[i] as f32`",
      "E0409 3:22 `logsumexp` wants a float type, this is i32 | write `(x[i] + 1) as f32`",
      "E0501 4:9 `argmax` gives the position along one coordinate, here are 2",
    ],
    [
      "let x = [1, 2];\nlet y = any[i](x[i]);\nlet z = sum[i](x[i] > 1);",
      "E0409 2:16 `any` wants bool, this is i32 | compare: `x[i] > 0`",
      "E0409 3:16 `sum` wants a numeric type, this is bool | write `count[i](x[i] > 1)`",
    ],
    [
      "let x = [1.0, 2.0, 3.0];\nlet y = mean[height](x);\nlet z = sum[i, i](x[i]);",
      "E0303 2:22 `x` has no axis `height` | write `x[height]`",
      "E0314 3:16 `i` stands twice in one bracket | leave one out",
    ],
  ]);
});

describe("coordinates, ranges and where", () => {
  refused([
    [
      "let x = [1, 2];\nlet y[i in x] = i;",
      "E0401 2:12 a coordinate runs over a range, this is [i32; 2] | write `i in 0..n`",
    ],
    [
      "let y[i in 0..2.5] = i;",
      "E0401 1:15 the end of a range must be an integer, this is f32 | write `2.5 as i32`",
    ],
    [
      "let x = [1.0, 2.0];\nlet y = 1.0 + (x[0] where x[0] > 1);",
      "E0308 2:21 `where` here belongs to no reduction and no declaration | " +
        "write it inside the reduction, `sum[i](x[i] where x[i] > 0)`, " +
        "or at the end of the `let`",
    ],
    [
      "let y[i in 0..3] = i where i > 0 else [1, 2];",
      "E0402 1:39 the `else` value of a cell is one number | this is [i32; 2]",
    ],
    [
      "let x = [[1.0, 2.0], [3.0, 4.0]];\nlet y[i] = x[i, j] * 2;\nlet z = sum[i](x[i, j] + 1);",
      "E0301 2:17 the coordinate `j` stands neither on the left nor in a reduction | " +
        "sum over it: `let y[i] = sum[j](x[i, j] * 2);`, or give it a place on the left",
      "E0301 3:21 the coordinate `j` stands neither on the left nor in a reduction | " +
        "reduce over it, `sum[j](…)`, or give it a place on the left",
    ],
    [
      "let x = [1.0, 2.0];\nlet y[i] = if x[i] > 0 { x[j] } else { -x[j] };",
      "E0301 2:28 the coordinate `j` stands neither on the left nor in a reduction | " +
        "2:43 and here | sum over it: `let y[i] = " +
        "sum[j](if x[i] > 0 { x[j] } else { -x[j] });`, or give it a place on the left",
    ],
    [
      "let a = [1.0, 2.0];\nlet y = a + a where a[0] > 1;",
      "E0308 2:15 a guard on a whole tensor has no coordinates to hold for | " +
        "give the tensor coordinates: `let y[i] = x[i] where …;`",
    ],
    [
      "let x = [1.0, 2.0];\nlet s[p] = sum[k](x[k] where k == p);",
      "E0302 2:7 nothing determines the range of `p` | declare its range: " +
        "`let s[p in 0..…]`, with the number of its positions for `…`",
    ],
    [
      "let y = {\n  let x = [1.0, 2.0];\n  let k = a;\n  k\n};\nlet z = y + 1;",
      "E0201 3:11 `a` is not defined | define it above, `let a = …;`, " +
        "or take it from outside: `input a: …;`",
    ],
    [
      "let x = a[i, b];\nlet y[i in 0..2] = q[i + w];",
      "E0201 1:9 `a` is not defined | to take it from outside, declare it: `input a: [f32; …];`",
      "E0201 2:20 `q` is not defined | to take it from outside, declare it: `input q: [f32; …];`",
      "E0201 2:26 `w` is not defined | bind it as a coordinate, " +
        "on the left or in the bracket of a reduction, or define it above",
    ],
    [
      "let x = [1, 2];\nlet y[..b] = 1;",
      "E0302 2:7 nothing determines how many axes `..b` stands for | " +
        "index a tensor of known rank with it: `x[..b, i]`",
    ],
    [
      "let x = [[1, 2], [3, 4]];\nlet y = x[j = 0];",
      "E0303 2:11 there is no axis `j` here | its axes have no names: index them by position",
    ],
  ]);
});

describe("types of values", () => {
  refused([
    [
      "let x = [1, 2, 3];\nlet k = 1.0;\nlet y = x[1.5];\nlet z = x[k + 1];",
      "E0401 3:11 an index must be an integer, this is f32 | write `x[1.5 as i32]`",
      "E0401 4:11 an index must be an integer, this is f32 | write `x[(k + 1) as i32]`",
    ],
    ["let y = (1, 2) as f32;", "E0405 1:9 (i32, i32) cannot be cast to f32"],
    [
      'let x = [1.5];\nlet y = x[0] as bool;\nlet z = "a" as i32;',
      "E0405 2:9 f32 cannot be cast to bool | compare it: `x[0] != 0.0`",
      "E0405 3:9 str cannot be cast to i32 | a number is taken from outside as one: " +
        "`input x: i32;`",
    ],
    ["let t = (1, 2.5);\nlet z = t.2;", "E0402 2:11 a tuple of 2 has no member 2"],
    [
      "let y = [[1, 2], [3]];\nlet z = [[1, 2], 3];\nlet w = [1, true];",
      "E0408 1:18 the rows of an array must have one length | element 2 of 2 is [i32; " +
        "1] | 1:10 the first is [i32; 2] | rows of different lengths are ragged: `let y: " +
        "jagged[i32] = …;`",
      "E0408 2:18 the elements of an array must have one shape | element 2 of 2 is i32 | " +
        "2:10 the first is [i32; 2]",
      "E0401 3:13 the elements of an array must have one type: i32 and bool | 3:10 this is i32",
    ],
    ["let (a, b, c) = (1, 2);\nlet y = a + c;", "E0402 1:5 3 names for (i32, i32)"],
    ["let (a, b) = 3;", "E0402 1:5 2 names for i32"],
    ["print((0..3));", "E0401 1:7 a range cannot be printed | print what runs over it: a tensor"],
    ["let x = true + (0..2);", "E0401 1:16 `+` works on numbers, this is range"],
    [
      "let x = !1;\nlet y = -true;",
      "E0401 1:10 `!` wants bool, this is i32 | 1:9 for this operation",
      "E0401 2:10 `-` wants a numeric type, this is bool | 2:9 for this operation",
    ],
    [
      "let x = [1, 2];\nlet y = x + 1.5;\nlet z = x[0] + 1.5;\nlet w = 1i64 + x[0];",
      "E0401 2:9 `+` cannot mix i32 and f32 | 2:9 this is i32 | 2:13 this is f32 | " +
        "write `x as f32`",
      "E0401 3:9 `+` cannot mix i32 and f32 | 3:9 this is i32 | 3:16 this is f32 | " +
        "write `x[0] as f32`",
      "E0401 4:9 `+` cannot mix i64 and i32 | 4:9 this is i64 | 4:16 this is i32 | " +
        "write `x[0] as i64`",
    ],
    [
      "let x = [1.0, 2.0];\nlet y = x + [[1.0]];\nlet z = x * [1.0, 2.0, 3.0];",
      "E0403 2:9 `+` of a rank-1 and a rank-2 tensor needs indices | 2:9 shape [2] | " +
        "2:13 shape [1, 1] | write it with indices, " +
        "for example `let y[i, j, k] = x[k] + [[1.0]][i, j];`",
      "E0403 3:9 `*` of tensors of different shapes | 3:9 shape [2] | 3:13 shape [3] | " +
        "write it with indices, for example `let y[i, j] = x[i] * [1.0, 2.0, 3.0][j];`",
    ],
  ]);
});

describe("arguments and their declared layout", () => {
  refused([
    [
      "fn f(x: [f32; 2, n]) -> f32 { 1.0 }\nlet y = f([1.0, 2.0]);",
      "E0402 2:11 `[1.0, 2.0]` has rank 1, " +
        "which does not fit the declared layout | 1:9 declared here",
    ],
    [
      "fn f(x: [f32; ..a, ..b]) -> f32 { 1.0 }\nlet y = f([1.0, 2.0]);",
      "E0503 2:11 it is not clear which axes of `[1.0, 2.0]` the declared layout means | " +
        "1:9 the layout that is declared | index the argument with the coordinate that the " +
        "call names",
    ],
    [
      "fn f(x: [f32; n]) -> [f32; n, n] { x }\nlet y = f([1.0]);",
      "E0411 1:36 the value has rank 1, rank 2 is declared | 1:22 declared here | " +
        "declare the type of the value, `-> [f32; n]`",
    ],
    [
      "fn f[j](x: [f32; j]) -> f32 { sum[j](x[j]) }\nlet y = f[c](1.0);",
      "E0503 2:14 `c` is not an axis of `1.0`, " +
        "whose layout is [] | 1:12 the layout that is declared | " +
        "index the argument so that `c` stands in it: `x[…, c]`",
    ],
    [
      "fn f[j](x: [f32; j]) -> f32 { sum[j](x[j]) }\nlet a = [1.0, 2.0];\nlet y = f[(c, d)](a);",
      "E0503 3:11 `j` of `f` takes one coordinate | write a name",
    ],
    [
      "const n = 2;\nfn f(x: [f32; n]) -> f32 { x[1] }\nlet a = f([1.0, 2.0]);\n" +
        "let b = f([1.0, 2.0, 3.0]);",
      "E0504 4:11 `[1.0, 2.0, 3.0]` has extent 3 where 2 is needed | 2:15 `n` is 2 | " +
        "4:11 3 elements" +
        " | 1:7 `n` is the constant 2 here, not a dimension name; " +
        "rename the dimension, in the types and in the body",
    ],
    [
      "fn f(x: [f32; ..s], y: [f32; ..s]) -> f32 { 1.0 }\nlet b = f([1.0], [[1.0]]);",
      "E0402 2:18 `[[1.0]]` has rank 2, which does not fit the declared layout | " +
        "1:24 declared here",
    ],
    [
      "fn f(x: num, y: num) -> num { x + y }\nlet c = f(1.0, 2i64);",
      "E0411 2:16 `2i64` is i64, num is declared | 1:17 declared here",
    ],
    [
      "fn f[j](x: [f32; j], y: [f32; j]) -> f32 { sum[j](x[j] * y[j]) }\n" +
        "let a = [1.0, 2.0];\nlet b = [3.0, 4.0, 5.0];\nlet y = f[c](a[c], b[c]);",
      "E0304 4:22 `c` has extent 2 in `a` and 3 in `b` | 3 here | 4:16 2 here | " +
        "2:9 2 elements | 3:9 3 elements | to combine all cells of both, " +
        "give one of the two a coordinate of its own; for what both have, declare the range: " +
        "`c in 0..2`, which leaves out `b[2]`",
    ],
  ]);
});

describe("accesses, cells and order", () => {
  refused([
    [
      "let a = [1.0, 2.0, 3.0];\nlet c[i in 0..4] = a[i];\nlet e = a[3];\nlet f = a[-1];",
      "E0305 2:20 `a[i]` leaves `a` | where `i` is 3, the index of axis 0 is 3, " +
        "its extent is 3 | 1:5 `a` is declared here | shorten the range, or guard the access: " +
        "`where i < 3`",
      "E0305 3:9 `a[3]` leaves `a` | the index of axis 0 is 3, " +
        "its extent is 3 | 1:5 `a` is declared here | shorten the range, " +
        "or guard the access with `where` or `if`",
      "E0313 4:11 an index is never negative | for the last element write `a[len(a) - 1]`",
    ],
    [
      "let n = 3;\nlet x[i in 0..n] = i;\nlet y = x[n];",
      "E0305 3:9 `x[n]` leaves `x` | the index of axis `i` is 3, " +
        "its extent is 3 | 2:5 `x` is declared here | shorten the range, " +
        "or guard the access with `where` or `if`",
    ],
    [
      "let c[i in 0..3] = 1;\nlet c[i in 5..7] = 2;\nlet d[i in 2..4, j in 0..2] = 1;\n" +
        "let d[i in 0..2, 0] = 3;",
      "E0601 1:5 `c[i in 3..5]` is never defined | no clause reaches these cells | " +
        "add a clause for them: `let c[i in 3..5] = …;`",
      "E0601 3:5 `d[i in 0..2, 1]` is never defined | no clause reaches these cells | " +
        "add a clause for them: `let d[i in 0..2, 1] = …;`",
    ],
    [
      "let h[t in 0..4] = h[t - 1] + 1;",
      "E0602 1:20 the recurrence `h` has no base case for `h[t - 1]` | where `t` is 0, " +
        "it reads position -1 | 1:5 `h` is declared here | " +
        "give the first cells a clause of their own, and start the range behind them: " +
        "`let h[0] = …; let h[t in 1..4] = h[t - 1] + 1;`",
    ],
    [
      "let h[0] = 1;\nlet h[t in 1..4] = h[t - 1] + g[t];\nlet g[t in 0..4] = h[t];",
      "E0603 2:31 `g[t]` may read a cell that is not computed yet | " +
        "not proved to come before the cell that reads it | 1:5 `h` is computed here | " +
        "read an earlier position, such as `[t - 1]`; " +
        "for a downward order write `t in rev(a..b)`",
    ],
    [
      "let a = [[1.0, 2.0]];\nlet b = [[1.0], [2.0]];\nlet c[i, j] = a[i, j] * b[i, j];",
      "E0304 3:27 `i` has extent 1 in `a` and 2 in `b` | 2 here | 3:17 1 here | " +
        "1:9 1 element | 2:9 2 elements | nothing is stretched: " +
        "to repeat the one cell along `i`, write `a[0, j]`",
      "E0304 3:30 `j` has extent 2 in `a` and 1 in `b` | 1 here | 3:20 2 here | " +
        "1:10 2 elements | 2:10 1 element | nothing is stretched: " +
        "to repeat the one cell along `j`, write `b[i, 0]`",
    ],
    [
      "let x = [1.0, 2.0];\nlet y[i] = sum[k](x[k]) + sum[k](x[k]) where x[k] > 1;",
      "E0308 2:46 this `where` uses `k`, which only a reduction inside the right side knows " +
        "| write the guard inside that reduction: `sum[k](… where x[k] > 1)`",
    ],
    [
      "let x = [1, 2, 3];\nlet y = x[[0, 1]];\nlet z = x[0..2];\nlet m = x[[true, false, true]];",
      "E0312 2:11 an index is one integer, this is [i32; 2] | write `let y[k] = x[[0, 1][k]];`",
      "E0312 3:11 a range cannot be an index | name the coordinate: `let y[i in 0..2] = x[i];`",
      "E0312 4:11 an index is one integer, " +
        "this is [bool; 3] | write `[x[i] | i in 0..len(x), [true, false, true][i]]`",
    ],
    [
      "let i = [1.0, 2.0];\nlet k = [1, 0];\nlet y = i[k];\nlet z = i[k - 1];\nlet m = i[i > 1.0];",
      "E0312 3:11 an index is one integer, this is [i32; 2] | write `let y[j] = i[k[j]];`",
      "E0312 4:11 an index is one integer, this is [i32; 2] | write `let y[j] = i[(k - 1)[j]];`",
      "E0312 5:11 an index is one integer, " +
        "this is [bool; 2] | write `[i[j] | j in 0..len(i), i[j] > 1.0]`",
    ],
    [
      "let x: [f32; 3] = [1.0, 2.0];\nlet y: [i32; 2] = [1.0, 2.0];\nlet z: i64 = 3;\n" +
        "let w: i32 = z;",
      "E0411 1:19 this is [f32; 2], declared as [f32; 3] | 1:8 declared here",
      "E0411 2:19 this is [f32; 2], declared as [i32; 2] | 2:8 declared here | " +
        "write `[1.0, 2.0] as i32`",
      "E0411 4:14 this is i64, declared as i32 | 4:8 declared here | write `z as i32`",
    ],
    [
      "input x: [f32; n];\ninput x: [f32; m];\nfn f(a) { a }\nfn f(b) { b }",
      "E0203 2:7 `x` is defined twice | 1:7 first defined here",
      "E0203 4:4 `f` is defined twice | 3:4 first defined here",
    ],
    [
      "let x = [1.0, 2.0];\nlet z = x[0, 1];\nlet w = x[0][0];",
      "E0402 2:9 `x` has rank 1 and is read with 2 indices | 1:5 `x` is [f32; 2]",
      "E0402 3:9 `x[0]` has rank 0 and is read with 1 index",
    ],
    [
      "input a: [f32; n, m];\ninput b: [f32; m, n];\nlet c[i, j] = a[i, j] * b[i, j];",
      "W0301 3:27 `i` walks the dimensions `n` and `m` | 3:17 `n` here | " +
        "their extents are compared when the inputs arrive; " +
        "give both the same name if they always agree",
      "W0301 3:30 `j` walks the dimensions `m` and `n` | 3:20 `m` here | " +
        "their extents are compared when the inputs arrive; " +
        "give both the same name if they always agree",
    ],
  ]);
});

describe("sizes of dimensions", () => {
  refused([
    [
      "input a: [f32; n];\nlet b[i in 0..extent(n) + 1] = 1.0;\nlet y[i] = a[i] + b[i];",
      "E0304 3:21 `i` has extent n in `a` and n + 1 in `b` | n + 1 here | 3:14 n here | " +
        "1:16 `n` is declared here | 2:7 `i` of `b` | to combine all cells of both, " +
        "give one of the two a coordinate of its own; for what both have, declare the range: " +
        "`i in 0..extent(n)`, which leaves out `b[n]`",
    ],
    [
      "input a: [f32; n];\nlet y = a[1..extent(n) / 2];",
      "E0312 2:11 a range cannot be an index | name the coordinate: " +
        "`let y[i in 0..extent(n) / 2 - 1] = a[i + 1];`",
    ],
    [
      "input a: [f32; n];\nlet y[i] = a[i];\nlet y[i in extent(n) + 1..extent(n) + 3] = 1.0;",
      "E0601 2:5 `y[i in n..n + 1]` is never defined | no clause reaches these cells | " +
        "add a clause for them: `let y[i in extent(n)..extent(n) + 1] = …;`",
    ],
  ]);
});
