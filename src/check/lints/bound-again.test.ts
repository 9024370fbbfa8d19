// A generator that binds the same name as an earlier generator is refused. The repair is the filter
// that the programmer may have meant.

import { describe } from "vitest";
import { refused, repaired } from "../../../test/support/check.ts";

describe("a name that two generators bind", () => {
  refused([
    [
      "print([x | x in 1..6, x in 3..9]);",
      "E0314 1:23 `x` is bound by the generator before it | this generator would hide the other" +
        " | 1:12 bound here | to filter, write `(x in 3..9)`; " +
        "to walk both, give this one another name",
    ],
    [
      "let k = [2, 4];\nprint([i | i in 1..6, i in k]);",
      "E0314 2:23 `i` is bound by the generator before it | this generator would hide the other" +
        " | 2:12 bound here | to filter, write `any[j](k[j] == i)`; " +
        "to walk both, give this one another name",
    ],
    [
      "let k = [(1, 2)];\nprint([a | (a, b) in k, a in 0..b]);",
      "E0314 2:25 `a` is bound by the generator before it | this generator would hide the other" +
        " | 2:12 bound here | to filter, write `(a in 0..b)`; " +
        "to walk both, give this one another name",
    ],
  ]);
  // `_` binds nothing, a binding shadows on purpose, and an inner comprehension has its own names.
  refused([
    ["print([1 | _ in 0..2, _ in 0..3]);"],
    ["print([x | x in 0..2, x = x + 1]);"],
    ["print([[x | x in 0..2] | x in 0..2]);"],
  ]);
});

describe("its repair", () => {
  repaired([
    ["print([x | x in 1..6, x in 3..9]);", "print([x | x in 1..6, (x in 3..9)]);"],
    [
      "let k = [2, 4];\nprint([i | i in 1..6, i in k]);",
      "let k = [2, 4];\nprint([i | i in 1..6, any[j](k[j] == i)]);",
    ],
  ]);
});
