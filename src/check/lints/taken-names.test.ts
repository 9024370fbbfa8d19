// A signature uses a name as a dimension, but the name is a number in that scope. The messages
// about the function point at that number.

import { describe } from "vitest";
import { refused } from "../../../test/support/check.ts";

describe("a number in the place of a dimension name", () => {
  refused([
    [
      "const n = 3;\nfn double(x: [f32; n]) -> [f32; n] { 2.0 * x[n] }\n" +
        "print(double([1.0, 2.0, 3.0]));",
      "E0411 2:38 the value has rank 0, rank 1 is declared | 2:27 declared here" +
        " | 1:7 `n` is the constant 3 here, not a dimension name; " +
        "rename the dimension, in the types and in the body",
    ],
    [
      "const n = 3;\nfn first(x: [f32; n]) -> f32 { x[n] }\nprint(first([1.0, 2.0, 3.0]));",
      "E0305 2:32 `x[n]` leaves `x` | the index of axis `n` is 3, " +
        "its extent is 3 | 2:10 `x` is declared here" +
        " | 1:7 `n` is the constant 3 here, not a dimension name; " +
        "rename the dimension, in the types and in the body" +
        " | shorten the range, or guard the access with `where` or `if`",
    ],
    [
      "let n = 5;\nfn f(x: [f32; n]) { x[0] }\nprint(f([1.0, 2.0]));",
      "E0504 3:9 `[1.0, 2.0]` has extent 2 where 5 is needed | 2:15 `n` is 5 | 3:9 2 elements" +
        " | 1:5 `n` is the integer 5 here, not a dimension name; " +
        "rename the dimension, in the types and in the body",
    ],
    // The message is about another dimension than the one that is taken.
    [
      "const n = 3;\nfn f(x: [f32; n], y: [f32; m]) -> f32 { y[9] + x[0] }\n" +
        "print(f([1.0, 2.0, 3.0], [1.0]));",
      "E0305 2:41 `y[9]` leaves `y` | the index of axis `m` is 9, " +
        "its extent is 1 | 2:19 `y` is declared here" +
        " | shorten the range, or guard the access with `where` or `if`",
    ],
  ]);
});
