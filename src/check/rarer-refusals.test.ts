// Rare mistakes in functions, data, modules and rules, with one program each.

import { describe } from "vitest";
import { refused } from "../../test/support/check.ts";

describe("rarer mistakes", () => {
  refused([
    [
      "fn f(g: [(f32) -> f32; 2]) -> f32 { 1.0 }\nlet y = f([1.0]);",
      "E0411 2:11 `[1.0]` is [f32; 1], `[(f32) -> f32; 2]` is declared | 1:9 declared here",
    ],
    [
      "let x: [[f32; 2]; 3] = 1.0;",
      "E0404 1:9 the elements of a tensor are scalars | write all extents in one bracket: " +
        "`[f32; 3, 2]`",
    ],
    [
      "let x = [1.0];\nlet y = x.sum();",
      "E0410 2:11 [f32; 1] has no method `sum` | a reduction names what it walks: `sum[i](x[i])`",
    ],
    ["let n = 3;\nprint(@n);", "E0704 2:7 this is i32, and differentials are of floats"],
    [
      "let c = [true];\nlet f = if c[0] { |a| a + 1.0 } else { |a| a * 2.0 };\nlet y = f(a = 1.0);",
      "E0502 3:11 a function chosen at run time takes its arguments by position",
    ],
    [
      "let f = exp;\nlet y = f(1.0, 2.0);",
      "E0501 2:9 this function takes 1 argument by position, here are 2",
    ],
    [
      "let f = exp;\nlet y = f(x = 1.0);",
      "E0501 2:9 this function takes 1 argument by position, here is 1",
    ],
    [
      "struct P { x: f32 }\nlet y = P::Q;",
      "E0414 2:12 `P` is a struct and has no variants | 1:8 declared here | write `P { … }`",
    ],
    [
      "enum S { Circle(f32), Dot }\nlet y = S { r: 1.0 };",
      "E0414 2:9 `S` is an enum and has no fields of its own | 1:6 declared here | " +
        "name a variant: `S::Circle`",
    ],
    [
      "struct A { x: f32 }\nstruct B { x: f32 }\nlet y = A { x: 1.0 } == B { x: 1.0 };",
      "E0401 3:9 `==` cannot compare A and B | 3:9 this is A | 3:25 this is B",
    ],
    [
      "let y = 1 in [1, 2];",
      "E0401 1:14 the right side of `in` must be a range, " +
        "this is [i32; 2] | ask every element: `any[i]([1, 2][i] == 1)`",
    ],
    [
      "fn f[j](x) { sum[j](x[j]) }\nlet v = [1.0, 2.0];\nlet y = f[k](v);",
      "E0503 3:9 nothing grounds the coordinate `k` of `f` | 1:6 declared here | " +
        "pass it in the bracket and index an argument with it: `f[k](x[…, k])`",
    ],
    [
      "let x: jagged[i32] = [1, 2][0];",
      "E0411 1:22 this is i32, declared as jagged[i32] | 1:8 declared here | " +
        "ragged rows are written `[[1, 2], [3]]`, or made by a comprehension of rows",
    ],
    [
      "fn f(x: [f32; ..b]) -> [f32; ..b] { b + 1 }\nlet y = f([1.0]);",
      "E0201 1:37 `b` is the pack `..b` here, " +
        "which can only stand in index brackets | index with it: `x[..b]`",
    ],
    [
      "let x = [1.0];\nlet y[..b] = x[..b] * b;",
      "E0201 2:23 `b` is the pack `..b` here, " +
        "which can only stand in index brackets | index with it: `x[..b]`",
    ],
    [
      "struct A { x: f32 }\nstruct B { x: f32 }\nlet y = [A { x: 1.0 }, B { x: 1.0 }];",
      "E0401 3:24 the elements of an array must have one type: A and B | 3:10 this is A",
    ],
    [
      "mod m { pub let a = 1; }\nlet y = m;",
      "E0201 2:9 `m` is a module, not a value | name something in it: `m::…`",
    ],
    [
      "use std::math;\nlet y = math;",
      "E0201 2:9 `math` is a module, not a value | name something in it: `math::…`",
    ],
    ["let y = 1 && true;", "E0401 1:9 `&&` wants bool, this is i32 | 1:9 for this operation"],
    ["let y = !1;", "E0401 1:10 `!` wants bool, this is i32 | 1:9 for this operation"],
    [
      "let [a, b] = [1, 2, 3];",
      "E0412 1:5 this `let` may fail: it does not match `[_, _, _]` | " +
        "take the value apart with `match`, which has an arm for each case",
    ],
    [
      "let 3 = 3;",
      "E0412 1:5 this `let` may fail: it does not match `0` | " +
        "take the value apart with `match`, which has an arm for each case",
    ],
    [
      "fn f(x: f32) -> f32 { x }\nstruct P { x: f32 }\nlet y = f(P { x: 1.0 });",
      "E0411 3:11 `P { x: 1.0 }` is P, a scalar is declared | 1:9 declared here",
    ],
    [
      "struct P { x: f32 }\nlet y = P { x: [1.0] };",
      "E0411 2:16 `x` of `P` is [f32; 1], a scalar is declared | 1:15 declared here",
    ],
    [
      "let w[0] = 1.0;\nlet w[t in 1..3] = w[t-1] - @(round(w[t-1]) as i32) / @w[t-1];",
      "E0704 2:30 the numerator is i32, and derivatives are of floats",
    ],
    [
      "fn f(x) { x }\n@fn f(x) { @x }\n@fn f(x) { 2.0 * @x }\nlet y = f(1.0);",
      "E0203 3:5 `@fn f` is defined twice | 2:5 first defined here",
    ],
    [
      "fn f(x: f32) -> (f32, f32) { (x, x) }\n@fn f(x: f32) { @x }\nlet y = f(1.0).0;",
      "E0411 2:18 the result is f32, a tuple is declared | 1:17 declared here",
    ],
    [
      "let h[i in 0..2]: f32 = 1i32;",
      "E0401 1:25 this clause of `h` is i32, the others are f32 | 1:5 `h` begins here | " +
        "write `(1i32) as f32`",
    ],
    [
      "mod m { pub let a = 1; pub let b = 2; }\nuse m::{a, b as a};\nlet y = a;",
      "E0203 2:17 `a` is defined twice | give it another name: `use m::b as …;`",
    ],
    ["let y = 1 as str;", 'E0405 1:9 i32 cannot be cast to str | put it into a string: `"{1}"`'],
    ["input x: [f32; n];\nlet y = n(1);", "E0202 2:9 `n` is a value, not a function"],
    [
      "fn g(n: i32, x: f32) -> f32 { if n == 0 { x } else { g(n - 1, x * x) } }\n" +
        "@fn g(n: i32, x: f32) { (@x, @x) }\nlet k = [2];\nlet y = g(k[0], 1.0);\n" +
        "let d = [1.0];",
      "E0411 2:25 the value is (f32, f32), f32 is declared | 1:25 declared here",
    ],
    [
      "mod m { pub let (a, b) = (1, 2); }\nlet y = m::c;",
      "E0205 2:12 `m` has no `c` | it has `a`, `b`",
    ],
    [
      "mod m { pub let a = 1; }\nmod k { pub use m::a; pub use m::a; }\nlet y = k::a;",
      "E0203 2:34 `a` is defined twice | give it another name: `use m::a as …;`",
    ],
    [
      "input n: i32;\nlet w[t] = w[t-1] - @(w[t-1] ** 2.0) / @w[t-1];",
      "E0302 2:7 nothing determines the range of `t` | " +
        "2:22 this is differentiated at each of its steps | declare its range: " +
        "`t in 0..…`, with the number of its positions for `…`",
    ],
    [
      "fn f(a: float, b: float) -> float { a * b }\nlet y = f(1.0f32, 2.0f64);",
      "E0411 2:19 `2.0f64` is f64, float, here f32, " +
        "is declared | 1:19 declared here | write `2.0f64 as f32`",
    ],
    [
      "struct P { x: f32 }\nlet y = P { x: 1.0 } + 1.0;",
      "E0401 2:9 `+` works on numbers, this is P",
    ],
    [
      "fn f(x: (f32, f32)) -> f32 { x.0 }\nlet y = f(1.0);",
      "E0411 2:11 `1.0` is f32, a tuple is declared | 1:9 declared here",
    ],
    [
      "fn f[a, b](x: [f32; a, b]) -> f32 { sum[a, b](x[a, b]) }\nlet y = f[k]([[1.0]]);",
      "E0503 2:14 `k` is not an axis of `[[1.0]]`, " +
        "whose layout is [1, 1] | 1:15 the layout that is declared | name every coordinate: " +
        "`f` takes `[a, b]`, and `[k]` is given",
    ],
    [
      "let h[0]: f32 = 1.0;\nlet h[1]: f64 = 2.0;",
      "E0411 2:11 `h` is declared with elements f64 and has f32",
    ],
    [
      "let a = [1.0, 2.0];\nlet b = [[1.0], [2.0]];\nlet y = max(a, b);",
      "E0403 3:9 `max` of a rank-1 and a rank-2 tensor needs indices | 3:13 shape [2] | " +
        "3:16 shape [2, 1] | write it with indices, " +
        "for example `let y[i, j] = max(a[i], b[i, j]);`",
    ],
    [
      "let a = [1.0, 2.0];\nlet b = [[1.0], [2.0]];\nlet y = a ** b;",
      "E0403 3:9 `**` of a rank-1 and a rank-2 tensor needs indices | 3:9 shape [2] | " +
        "3:14 shape [2, 1] | write it with indices, " +
        "for example `let y[i, j] = a[i] ** b[i, j];`",
    ],
    [
      "let a = [1.0, 2.0];\nlet b = [1.0, 2.0, 3.0];\nlet y = clamp(a, 0.0, b);",
      "E0403 3:9 `clamp` of tensors of different shapes | 3:15 shape [2] | 3:23 shape [3] | " +
        "write it with indices, for example `let y[i, j] = clamp(a[i], 0.0, b[j]);`",
    ],
    [
      "let a: jagged[i32] = [[1]];\nlet b: jagged[f32] = [[1.0]];\nlet c = [true];\n" +
        "let d = if c[0] { a } else { b };",
      "E0401 4:9 the branches of `if` have different types: " +
        "jagged[i32] and jagged[f32] | 4:19 this is jagged[i32] | 4:30 this is jagged[f32]",
    ],
    [
      "enum Option<T> { None, Some(T) }\nlet x: Option<foo> = Option::None;",
      "E0404 2:15 there is no type `foo`",
    ],
    ["let r: jagged[i32] = [[1.5 | j in 0..i] | i in 0..3];", "E0411 1:23 a row here is [i32; ?]"],
    [
      "let c = [true];\nlet d = if c[0] { (1, 2) } else { (1, 2, 3) };",
      "E0401 2:9 the branches of `if` have different types: " +
        "(i32, i32) and (i32, i32, i32) | 2:19 this is (i32, i32) | 2:35 this is (i32, i32, " +
        "i32)",
    ],
    [
      "fn f(x) { x }\nlet y = f[k]([1.0]);",
      "E0501 2:9 `f` has no coordinate parameters, here is 1 | 1:4 declared here",
    ],
    [
      "const a = b;\nconst b = a;\nlet y = a;",
      "E0201 1:11 `b` is not defined yet: " +
        "it is bound further down | 2:7 bound here | move it up, before its first use",
    ],
  ]);
});
