// Repairs that consist of one edit. The program is right after the edit.

import { describe } from "vitest";
import { refused, repaired } from "../../test/support/check.ts";

describe("coordinates", () => {
  repaired([
    [
      "let m = [[1.0, 2.0], [3.0, 4.0]];\nlet s[row] = sum[colunm](m[row, column]);",
      "let m = [[1.0, 2.0], [3.0, 4.0]];\nlet s[row] = sum[column](m[row, column]);",
    ],
    [
      "let m = [[1.0, 2.0]];\nprint(sum[row, colunm](m[row, column]));",
      "let m = [[1.0, 2.0]];\nprint(sum[row, column](m[row, column]));",
    ],
    [
      "let m = [[1.0, 2.0], [3.0, 4.0]];\nlet s[row, column] = m[row, colunm] + m[column, row];",
      "let m = [[1.0, 2.0], [3.0, 4.0]];\nlet s[row, column] = m[row, column] + m[column, row];",
    ],
  ]);
  refused([
    [
      "let m = [[1.0, 2.0]];\nlet s[row] = sum[colunm](m[row, column]);",
      "E0301 2:18 the coordinate `colunm` stands in no index | " +
        "2:33 `column` is bound by nothing | did you mean `column`?",
    ],
  ]);
});

describe("elementwise operations on different shapes", () => {
  repaired([
    [
      "let x = [[1.0, 2.0], [3.0, 4.0]];\nlet v = [10.0, 20.0];\nprint(x * v);",
      "let x = [[1.0, 2.0], [3.0, 4.0]];\nlet v = [10.0, 20.0];\n" +
        "print({ let y[i, j] = x[i, j] * v[j]; y });",
    ],
    [
      "let x = [[1.0], [3.0]];\nlet v = [10.0, 20.0];\nprint(x * v);",
      "let x = [[1.0], [3.0]];\nlet v = [10.0, 20.0];\nprint({ let y[i, j] = x[i, j] * v[i]; y });",
    ],
  ]);
  refused([
    [
      "let x = [[1.0, 2.0], [3.0, 4.0]];\nlet v = [10.0, 20.0];\nprint(x * v);",
      "E0403 3:7 `*` of a rank-2 and a rank-1 tensor needs indices | 3:7 shape [2, 2] | " +
        "3:11 shape [2] | " +
        "write it with indices: `let y[i, j] = x[i, j] * v[j];` as in NumPy, " +
        "or `let y[i, j] = x[i, j] * v[i];`",
    ],
  ]);
});

describe("types", () => {
  repaired([
    ["let x = [[1, 2], [3, 4, 5]];", "let x: jagged[i32] = [[1, 2], [3, 4, 5]];"],
    [
      "let x = [[[1.0], [2.0, 3.0]], [[4.0]]];",
      "let x: jagged[jagged[f32]] = [[[1.0], [2.0, 3.0]], [[4.0]]];",
    ],
    [
      "fn f(x: i64) -> i64 { x }\nlet a: i32 = 1;\nprint(f(a));",
      "fn f(x: i64) -> i64 { x }\nlet a: i32 = 1;\nprint(f(a as i64));",
    ],
    [
      "fn f(x: f32) -> i32 { x * 2.0 }\nprint(f(1.0));",
      "fn f(x: f32) -> i32 { (x * 2.0) as i32 }\nprint(f(1.0));",
    ],
    ["print([[1, 2], [3, 4]] as [f32]);", "print([[1, 2], [3, 4]] as f32);"],
    ["let m: [i32] = [[1, 2], [3, 4]];", "let m: [i32; ?, ?] = [[1, 2], [3, 4]];"],
    [
      "let m: [[i32; 2]; 3] = [[1, 2], [3, 4], [5, 6]];",
      "let m: [i32; 3, 2] = [[1, 2], [3, 4], [5, 6]];",
    ],
  ]);
});

describe("patterns", () => {
  repaired([
    ["let (a, b) = (1, 2, 3);\nprint(a, b);", "let (a, b, _) = (1, 2, 3);\nprint(a, b);"],
    ["let (a, b) = [1, 2];\nprint(a, b);", "let [a, b] = [1, 2];\nprint(a, b);"],
    [
      "let p = (1, 2, 3);\nprint(match p { (0, b) => b, (a, _, _) => a });",
      "let p = (1, 2, 3);\nprint(match p { (0, b, _) => b, (a, _, _) => a });",
    ],
    [
      "enum S { B(f32, f32) }\nlet p = S::B(1.0, 2.0);\nprint(match p { S::B(c) => c });",
      "enum S { B(f32, f32) }\nlet p = S::B(1.0, 2.0);\nprint(match p { S::B(c, _) => c });",
    ],
    [
      "enum S { B(f32) }\nlet p = S::B(1.0);\nprint(match p { S::B(c, d) => c });",
      "enum S { B(f32) }\nlet p = S::B(1.0);\nprint(match p { S::B(c) => c });",
    ],
    [
      "enum S { B(width: f32) }\nlet p = S::B(1.0);\nprint(match p { S::B(widht = c) => c });",
      "enum S { B(width: f32) }\nlet p = S::B(1.0);\nprint(match p { S::B(width = c) => c });",
    ],
  ]);
});

describe("reductions", () => {
  repaired([
    [
      "let m = [true, false];\nprint(sum[i](m[i]));",
      "let m = [true, false];\nprint(count[i](m[i]));",
    ],
    [
      "let m = [true, false];\nprint(max[i](m[i]));",
      "let m = [true, false];\nprint(any[i](m[i]));",
    ],
    ["let m = [[1, 2]];\nprint(sum(m));", "let m = [[1, 2]];\nprint(sum[i, j](m[i, j]));"],
    ["let x = [1, 2];\nprint(sum(x, axis = 0));", "let x = [1, 2];\nprint(sum[i](x[i]));"],
    ["let x = [1, 2];\nprint(sum[k](x));", "let x = [1, 2];\nprint(sum[k](x[k]));"],
    ["let x = [1, 2];\nlet y[i] = x(i);", "let x = [1, 2];\nlet y[i] = x[i];"],
  ]);
});

describe("derivatives", () => {
  const define = (name: string): string =>
    `define it above, \`let ${name} = …;\`, or take it from outside: \`input ${name}: …;\``;
  refused([
    [
      "print(@losss / @ww);",
      `E0201 1:8 \`losss\` is not defined | ${define("losss")}`,
      `E0201 1:17 \`ww\` is not defined | ${define("ww")}`,
    ],
  ]);
});

describe("words for what was meant", () => {
  refused([
    [
      "fn f(x) { x * 2.0; }\nprint(f(3.0));",
      "E0505 2:7 this gives no value" +
        " | the last expression of a function is its value: leave out the `;` behind that of `f`",
    ],
    [
      "let x = [1.0];\nlet x[0] = 5.0;\nprint(x);",
      "E0203 2:5 `x` is defined twice | 1:5 first defined here" +
        " | a finished tensor is not changed: declare another one, `let x_new[i] = x[i];`," +
        " with a later clause for the cell",
    ],
    [
      "let x = [1.0, 2.0];\nlet y = if x > 1.5 { 1.0 } else { 0.0 };",
      "E0406 2:12 the condition of `if` must be a bool, this is [bool; 2]" +
        " | for all cells write `all[i](x[i] > 1.5)`, for at least one `any[i](x[i] > 1.5)`;" +
        " to choose cell by cell, declare `let r[i] = if x[i] > 1.5 { … } else { … };`",
    ],
  ]);
});
