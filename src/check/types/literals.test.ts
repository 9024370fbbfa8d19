// Literals that do not fit their types: integers and floats that are too large, and floats that
// become 0.

import { describe } from "vitest";
import { refused } from "../../../test/support/check.ts";

describe("floats that are too large", () => {
  refused([
    [
      "let x: f32 = 1e50;",
      "E0407 1:14 1e50 does not fit into f32 | the largest f32 is 3.4028235e38" +
        " | give it a wider type: `f64` where `f32` is declared, or `1e50f64`",
    ],
    [
      "let x = -1e50;",
      "E0407 1:10 -1e50 does not fit into f32 | the largest f32 is 3.4028235e38" +
        " | give it a wider type: `f64` where `f32` is declared, or `1e50f64`",
    ],
    [
      "let x: f64 = 1e400;",
      "E0407 1:14 1e400 does not fit into f64 | the largest f64 is 1.7976931348623157e308" +
        " | for an infinity write `1.0 / 0.0`",
    ],
    [
      "let x = 70000f16;",
      "E0407 1:9 70000 does not fit into f16 | the largest f16 is 65500" +
        " | give it a wider type: `f32` where `f16` is declared, or `70000f32`",
    ],
    ["let x: f64 = 1e50;"],
    ["let x = [1.0f64, 1e50];"],
    [
      "print(3.4028235e38, 1e400 > 1.0f64);",
      "E0407 1:21 1e400 does not fit into f64" +
        " | the largest f64 is 1.7976931348623157e308 | for an infinity write `1.0 / 0.0`",
    ],
  ]);
});

describe("floats that become 0", () => {
  refused([
    [
      "let x = 1e-60;",
      "W0402 1:9 1e-60 is 0 in f32 | no f32 above 0 is so small" +
        " | give it a wider type: `f64` where `f32` is declared, or `1e-60f64`" +
        "; if 0 is meant, write `0.0`",
    ],
    [
      "let x = 1e-400f64;",
      "W0402 1:9 1e-400 is 0 in f64 | no f64 above 0 is so small | if 0 is meant, write `0.0`",
    ],
    ["let x = 0e-60;"],
    ["let x = 1e-45;"],
    ["allow(W0402) let x = 1e-60;"],
  ]);
  // The library compares values of all float types with `1e8`.
  refused([["use std::math::acosh;\nlet x = acosh(2.0f16);"]]);
});
