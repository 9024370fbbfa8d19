// A unit that is seen to be too small before it is prepared is one that is too small once it is
// prepared.

import { expect, test, vi } from "vitest";
import { newHeard } from "../../plan/print.ts";
import * as members from "./members.ts";
import { leftToOracleIn } from "../../../test/support/kernels.ts";

/**
 * Programs around the least work of a kernel, which is 512: maps, reductions, guards, triangles,
 * scatters, running sums and recurrences.
 */
const programs = [508, 511, 512, 513, 520].flatMap((n) => [
  `let x[i in 0..${n}] = (i % 7) as f32; let y[i] = x[i] * 2.0;`,
  `let x[i in 0..${n - 500}, j in 0..50] = (i + j) as f32; let s[i] = sum[j](x[i, j]); ` +
    "let t[i] = max[j](x[i, j] where j > 3);",
  `let x[i in 0..${n - 480}] = (i % 5) as f32; ` +
    `let s[i in 0..${n - 490}] = sum[k in 0..i + 1](x[k]); let p = prod[i, j in 0..16](x[i]);`,
  `let x[i in 0..${n - 256}] = (i % 5) as f32; let at[i in 0..${n - 256}] = i % 3; ` +
    "let s[p in 0..3] = sum[k](x[k] where at[k] == p);",
  `let h[0] = 1.0; let h[t in 1..${n}] = h[t - 1] * 0.5 + 1.0; ` +
    `let s[i in 0..${n - 500}] = sum[t](h[t]) + i as f32;`,
]);

test.each(programs)("%s", (text) => {
  const least = { leastWork: 512 };
  const whenHeard = leftToOracleIn(text, {
    ...least,
    hearing: (program, schedules) => newHeard(program, schedules),
  });
  expect(leftToOracleIn(text, least)).toEqual(whenHeard);
});

test("nothing is made ready for what is that small", () => {
  const text = "let x[i in 0..40] = i as f32; let s = sum[i](x[i]);";
  const prepared = vi.spyOn(members, "sizedMembers");
  expect(leftToOracleIn(text, { leastWork: 512 }).get("s")).toBe("too small");
  expect(prepared).not.toHaveBeenCalled();
  leftToOracleIn(text);
  expect(prepared).toHaveBeenCalled();
});
