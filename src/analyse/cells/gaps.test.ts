// Cells that no clause defines: one message names all of them, and a repair leaves none.

import { describe } from "vitest";
import { refused, repaired } from "../../../test/support/check.ts";

describe("a clause counted from 0, or one above the others, defines all gaps", () => {
  repaired([
    [
      "let u[0, i in 0..4] = 1.0;\nlet u[t in 1..3, i in 1..3] = u[t-1, i-1] + u[t-1, i+1];",
      "let u[t in 0..3, i in 0..4] = 0.0;\n" +
        "let u[0, i in 0..4] = 1.0;\nlet u[t in 1..3, i in 1..3] = u[t-1, i-1] + u[t-1, i+1];",
    ],
    [
      "let a[i in 2..3, j in 2..3] = 1;",
      "let a[i in 0..3, j in 0..3] = 0;\nlet a[i in 2..3, j in 2..3] = 1;",
    ],
    [
      "let x = [1.0, 2.0, 4.0];\nlet y[i] = x[i+1] - x[i-1];",
      "let x = [1.0, 2.0, 4.0];\nlet y[i in 0..1] = x[i + 2] - x[i];",
    ],
    [
      "input x: [f32; n, m];\nlet y[i, j] = x[i+1, j] + x[i-1, j] + x[i, j-1] + x[i, j+1];",
      "input x: [f32; n, m];\nlet y[i in 0..extent(n) - 2, j in 0..extent(m) - 2] = " +
        "x[i + 2, j + 1] + x[i, j + 1] + x[i + 1, j] + x[i + 1, j + 2];",
    ],
  ]);
});

describe("cells that no tensor reads", () => {
  repaired([
    [
      "let m[0, i in 0..2] = 0.0;\nlet mp[t in 1..3, i] = 2.0 * m[t-1, i];\n" +
        "let m[t in 1..3, i] = mp[t, i];",
      "let m[0, i in 0..2] = 0.0;\nlet mp[0, i in 0..2] = 0.0;\n" +
        "let mp[t in 1..3, i] = 2.0 * m[t-1, i];\nlet m[t in 1..3, i] = mp[t, i];",
    ],
  ]);
});

describe("what the messages say", () => {
  refused([
    [
      "let x = [1.0, 2.0, 4.0];\nlet y[i] = x[i+1] - x[i-1];",
      "E0601 2:5 `y[0]` and `y[2]` are never defined | no clause reaches these cells | " +
        "2:12 `i` ends where this read does | for the inner cells alone, shift the indices: " +
        "`let y[i in 0..1] = x[i + 2] - x[i];`; " +
        "to fill the border, one clause above the others is enough, " +
        "they override it in their cells: `let y[i in 0..3] = 0.0;`",
    ],
    [
      "let h[0] = 1.0;\nlet h[t in 2..4] = h[t-1];",
      "E0602 1:5 the recurrence `h` has no base case: `h[1]` is never defined | " +
        "add a clause for them: `let h[1] = …;`",
    ],
    [
      "let x = [[1.0, 2.0]];\nlet h[t in 1..4, ..b] = h[t-1, ..b] + x[..b];",
      "E0602 2:5 the recurrence `h` has no base case: `h[0, ..b]` is never defined | " +
        "add a clause for them: `let h[0, ..b] = …;`",
    ],
    [
      "let h[t in 0..3, i in 0..2] = h[t-1, i] + 1.0;",
      "E0602 1:31 the recurrence `h` has no base case for `h[t-1, i]` | where `t` is 0, " +
        "it reads position -1 | 1:5 `h` is declared here | " +
        "give the first cells a clause of their own, and start the range behind them: " +
        "`let h[0, i in 0..2] = …; let h[t in 1..3, i in 0..2] = h[t-1, i] + 1.0;`",
    ],
  ]);
});

describe("a stencil with one border", () => {
  const said = (end: string, clause: string, range: string): string =>
    `W0307 2:5 \`y\` ends at ${end} | 3:12 \`x[i+1]\` ends the range of \`i\` | ` +
    `give the other border a clause too: \`${clause}\`; ` +
    `if \`y\` is to end there, declare the range: \`${range}\``;
  refused([
    [
      "let x = [1.0, 2.0, 4.0];\nlet y[0] = 0.0;\nlet y[i] = x[i+1] - x[i-1];",
      said("2 along `i`, and `x` goes on to 3", "let y[2] = …;", "i in 1..2"),
    ],
    [
      "input x: [f32; n];\nlet y[0] = 0.0;\nlet y[i] = x[i+1] - x[i-1];",
      said(
        "n - 1 along `i`, and `x` goes on to n",
        "let y[i in extent(n) - 1..extent(n)] = …;",
        "i in 1..extent(n) - 1",
      ),
    ],
    // Both borders, a declared range, differences and windows are right as they stand.
    ["let x = [1.0, 2.0, 4.0];\nlet y[0] = 0.0;\nlet y[i] = x[i+1] - x[i-1];\nlet y[2] = 0.0;"],
    ["let x = [1.0, 2.0, 4.0];\nlet y[0] = 0.0;\nlet y[i in 1..2] = x[i+1] - x[i-1];"],
    ["let x = [1.0, 2.0, 4.0];\nlet y[i] = x[i+1] - x[i];\nlet z[i] = sum[k in 0..2](x[i+k]);"],
    ["let x = [1.0, 2.0, 4.0];\nlet y[0] = 0.0;\nlet y[i] = x[i] - x[i-1];"],
  ]);
});
