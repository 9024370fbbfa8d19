// A text that is compared with `typeof(…)` and is no type gives a lint.

import { describe } from "vitest";
import { refused } from "../../../test/support/check.ts";

const help =
  '| types are written as in `"f32"` and `"[f32; 2, 3]"`; the number of axes is `len(shape(x))`';

describe("texts that are no types", () => {
  refused([
    [
      'fn f(h) { if typeof(h) == "rectangular" { 1 } else { 0 } }\nprint(f([1.0]), f([1]));',
      'W0404 1:27 no type is called "rectangular": ' +
        "this comparison has one outcome for every value" +
        ` | 1:14 never the same text ${help}`,
    ],
    [
      'let x = 1;\nlet t = typeof(x);\nprint("f23" != t);',
      'W0404 3:7 no type is called "f23": this comparison has one outcome for every value' +
        ' | 3:7 never the same text | did you mean `"f32"`?',
    ],
    [
      'print(typeof([1.0]) == "[f32]");',
      'W0404 1:24 no type is called "[f32]": this comparison has one outcome for every value' +
        ` | 1:7 never the same text ${help}`,
    ],
  ]);
});

describe("texts that are types", () => {
  refused([
    ['print(typeof(1) == "f32", typeof([1.0]) == "[f32; 3]", typeof((1, 2)) != "(i32, f32)");'],
    [
      "input x: [f32; n];\nlet y[i in 0..extent(n) + 1] = 1.0;\n" +
        'print(typeof(y) == "[f32; n + 1]", typeof(x) == "jagged[i32]");',
    ],
    ['struct P { a: f32 }\nprint(typeof(1) == "P", typeof(P { a: 1.0 }) == "[P; 3]");'],
    ['fn f(x) { x }\nprint(typeof(f) == "a function of 1 argument");'],
    ['print("f" == "rectangular");'],
    ['allow(W0404) print(typeof(1) == "rectangular");'],
  ]);
});
