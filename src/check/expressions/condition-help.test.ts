// A condition that is no bool: the message says what to write, and the repair compiles.

import { describe } from "vitest";
import { refused, repaired } from "../../../test/support/check.ts";

describe("numbers", () => {
  repaired([
    ["print(if 1 { 2 } else { 3 });", "print(if 1 != 0 { 2 } else { 3 });"],
    ["let x = 1.5;\nif x + 1 { print(x); }", "let x = 1.5;\nif x + 1 != 0 { print(x); }"],
    [
      "let x = 1;\nprint(if (x |> abs) { 2 } else { 3 });",
      "let x = 1;\nprint(if ((x |> abs)) != 0 { 2 } else { 3 });",
    ],
    ["print([i | i in 0..4, i % 2]);", "print([i | i in 0..4, i % 2 != 0]);"],
  ]);
});

describe("tensors where coordinates are in sight", () => {
  repaired([
    [
      "let x = [1, 2, 3];\nlet y[i] = x[i] where x > 1;",
      "let x = [1, 2, 3];\nlet y[i] = x[i] where x[i] > 1;",
    ],
    [
      "let x = [1, 2];\nlet s = sum[k](x[k] where x);",
      "let x = [1, 2];\nlet s = sum[k](x[k] where x[k] != 0);",
    ],
    [
      "let x = [1.0, 2.0];\nlet y[i] = x[i] where exp(x) > 1;",
      "let x = [1.0, 2.0];\nlet y[i] = x[i] where (exp(x) > 1)[i];",
    ],
  ]);
});

describe("tensors elsewhere", () => {
  refused([
    [
      "let x = [[1.0, 2.0]];\nprint(if x > 1 { 1 } else { 2 });",
      "E0406 2:10 the condition of `if` must be a bool, this is [bool; 1, 2]" +
        " | for all cells write `all[i, j](x[i, j] > 1)`, " +
        "for at least one `any[i, j](x[i, j] > 1)`;" +
        " to choose cell by cell, declare `let r[i, j] = if x[i, j] > 1 { … } else { … };`",
    ],
    [
      'print(if "a" { 1 } else { 2 });',
      "E0406 1:10 the condition of `if` must be a bool, this is str",
    ],
  ]);
});
