// A comparison along a direction finds a wrong gradient, and leaves kinks to the comparison by
// cells.

import { describe, expect, test } from "vitest";
import { agreesAlong } from "./along.ts";
import { checkGradientsTogether } from "./check.ts";
import { derive } from "./derived.ts";
import { requestsIn } from "./perturb.ts";

function agrees(text: string): boolean {
  const derived = derive(text);
  const found = requestsIn(text);
  const values = derived.run(
    found.flatMap(({ answer, wrt }) => [answer, wrt]),
    {},
  );
  return agreesAlong(text, found, derived, values);
}

describe("along a direction", () => {
  test("right gradients agree: of a literal, of clauses, of a recurrence", () => {
    const text = `let x = [1.0, -2.0, 0.5]; let y[i] = x[i] * x[i] where x[i] > 0 else 3 * x[i];
      let h[0] = x[0]; let h[t in 1..3] = h[t - 1] * y[t]; let loss = sum[t](h[t] ** 2);
      let a = @loss / @x; let b = @loss / @y; let c = @loss / @h;`;
    expect(agrees(text)).toBe(true);
  });

  test.each([
    ["one cell of many", "sum[i](100 * x[i] ** 2) + x[2] * stop(x[2])"],
    ["a slope that is small beside the others", "1e6 * x[0] + 1e-4 * stop(x[1]) * x[1]"],
  ])("a wrong gradient does not: %s", (_, loss) => {
    const asked = (body: string): string =>
      `let x = [1.0, 2.0, 0.5]; let loss = ${body}; let a = @loss / @x;`;
    expect(agrees(asked(loss.replaceAll("stop", "")))).toBe(true);
    expect(agrees(asked(loss))).toBe(false);
  });

  test("at a kink, cells that have none are compared one by one", () => {
    const text = "let x = [0.0, 2.0]; let loss = relu(x[0]) + x[1] ** 2; let a = @loss / @x;";
    expect(agrees(text)).toBe(false);
    expect(checkGradientsTogether(text)).toMatchObject({
      problems: [],
      requests: [{ agreed: 1, skipped: [0] }],
    });
  });
});
