// Every pending program still fails: one that has come right belongs among the tests.

import { expect, test } from "vitest";
import { checkGradients } from "./check.ts";
import { pending } from "./pending.ts";

test.each(pending.map(({ what, program, inputs }) => [what, program, inputs] as const))("%s", (_, program, inputs) => {
  const problems = (() => {
    try {
      return checkGradients(program, inputs ? { inputs } : {}).problems;
    } catch (failure) {
      return [failure];
    }
  })();
  expect(problems).not.toEqual([]);
});
