// Values that only one branch needs are computed under its condition in derived programs.

import { expect, test } from "vitest";
import { derive } from "./derived.ts";

/** A winner that exists only if x[0] > 2, and a chain of this many names after it. */
const chained = (names: number): string => {
  const steps = Array.from({ length: names }, (_, k) => `let t${k + 1} = t${k} * (1.5 - t${k}); `);
  return `let x = [-0.8, 0.7, 0.2]; fn f(v) { let t0 = v * 0.9; ${steps.join("")}t${names} }
    let m = if x[0] > 2.0 { min[r in 0..6](f(x[r / 2])) } else { x[1] }; let y[i] = cos(x[i] * m);
    let l = sum[i](y[i]); let g = @l / @x;`;
};

test("a branch binds what looks something up and is computed nowhere else", () => {
  const printed = derive(chained(1)).printed();
  expect(printed).toContain("{ let v = x[m_2_winner / 2]; let t0 = v * 0.9; ");
  const [g, again] = [derive(chained(1)), derive(printed)].map(
    (each) => each.run(["g"], {}).get("g")!.data,
  );
  expect(again).toEqual(g);
});

test("names that use one another are not written out", () => {
  expect(derive(chained(30)).printed().length).toBeLessThan(8000);
});
