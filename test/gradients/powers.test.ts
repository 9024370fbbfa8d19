// Programs with powers, with cells that data finds, with ranges that end at quotients, with short
// recursive functions, and with runs along cells in steps: their gradients agree with differences.

import { expect, test } from "vitest";
import type { Nested } from "../../src/scalar/values/value.ts";
import { checkGradients } from "./check.ts";
import { powers } from "./cost-powers.ts";
import { runningInSteps } from "./cost-running.ts";
import type { Inputs } from "./derived.ts";

/** Numbers between 0.3 and 0.8, and for each node of a graph two earlier nodes. */
function inputsOf(text: string): Inputs {
  let count = 0;
  const number = (): number => 0.3 + ((count++ * 37) % 50) / 100;
  const filled = (type: string, [extent, ...others]: readonly number[]): Nested =>
    extent === undefined
      ? number()
      : Array.from({ length: extent }, (_, k) =>
          type === "i32" ? Math.max(0, k - 1 - (count++ % 2)) : filled(type, others),
        );
  const declared = [...text.matchAll(/input (\w+): (?:\[(\w+); ([^\]]+)\]|(\w+));/g)];
  return Object.fromEntries(
    declared.map(([, name, type, axes]) => [
      name!,
      filled(
        type ?? "f32",
        (axes ?? "")
          .split(", ")
          .filter(Boolean)
          .map((axis) => Number(axis) || 5),
      ),
    ]),
  );
}

test.each(Object.entries({ ...powers, ...runningInSteps }))("%s", (_, text) => {
  const { requests, problems } = checkGradients(text, { inputs: inputsOf(text) });
  expect(problems).toEqual([]);
  expect(requests.every(({ agreed }) => agreed > 0)).toBe(true);
});
