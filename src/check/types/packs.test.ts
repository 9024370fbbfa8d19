// A pack has the same number of axes in all reads of one clause.

import { describe } from "vitest";
import { refused, repaired } from "../../../test/support/check.ts";

const inputs = "input x: [f32; 2, 3, 4];\ninput y: [f32; 2, 4];\n";

describe("a pack of two lengths", () => {
  repaired([
    [
      `${inputs}let r[..batch, j] = sum[k](x[..batch, k] * y[..batch, k]);`,
      `${inputs}let r[..batch, j] = sum[k](x[..batch, j, k] * y[..batch, k]);`,
    ],
  ]);
  refused([
    [
      `${inputs}let r[..b] = sum[k](y[..b, k] - x[..b, k]);`,
      "E0402 3:21 `..b` stands for 2 axes in `x[..b, k]` and for 1 axis in `y[..b, k]` | " +
        "1 axis here | " +
        "3:33 2 axes here | name the axes that the other does not have: `x[..b, i, k]`",
    ],
    // A bracket binds its own pack, and a signature determines the length of a pack.
    [`${inputs}let r[..b] = x[..b] - mean[..b](x[..b]);`],
    [
      `${inputs}fn f[j](x: [f32; ..left, j, ..right]) ` +
        "{ let r[..left] = sum[k](x[..left, 0, k]); r }\n" +
        "let z[a] = f[b](x[a, b]);",
    ],
  ]);
});
