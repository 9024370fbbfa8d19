// A pack that reads determine has one length in a clause.

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
    // A bracket binds a pack of its own, and a signature says how long a pack is.
    [`${inputs}let r[..b] = x[..b] - mean[..b](x[..b]);`],
    [
      `${inputs}fn f[j](x: [f32; ..left, j, ..right]) ` +
        "{ let r[..left] = sum[k](x[..left, 0, k]); r }\n" +
        "let z[a] = f[b](x[a, b]);",
    ],
  ]);
});
