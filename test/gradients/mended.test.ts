// Programs whose derivatives were wrong once.

import { expect, test } from "vitest";
import { checkGradients } from "./check.ts";

test.each([
  [
    "a remainder that is introduced and taken back",
    "let x = [[[0.5, 0.2], [1.3, 1.4], [1.2, 0.8]]]; let y[i in 0..2, j in 0..3] = x[i / 2, min(i, 2), (i + j) % 2]; let l = sum[i, j](y[i, j] ** 2); let g = @l / @x;",
  ],
  [
    "what did not win a maximum, with an infinite slope",
    "let x = [0.0, 1.0, 4.0]; let s[i] = sqrt(x[i]); let l = max[i](s[i]); let g = @l / @x;",
  ],
  [
    "a draw of integers under a cast",
    "let x = [0.3, -0.7]; let l = sum[i](randint(7, i, 1, 5) as f32 * x[i]); let g = @l / @x;",
  ],
])("%s", (_, program) => {
  expect(checkGradients(program).problems).toEqual([]);
});
