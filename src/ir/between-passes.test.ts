// Malformed programs are noticed between passes.

import { expect, test } from "vitest";
import { brokenBy, watchPasses } from "./between-passes.ts";
import { lowered } from "../../test/support/ir.ts";
import type { Definition } from "./program.ts";
import { verify } from "./verify.ts";

test("a malformed program is a mistake of its pass, and only looked for when asked", () => {
  const { program } = lowered("let x = [1.0, 2.0]; let y[i] = x[i];");
  watchPasses(verify);
  expect(brokenBy("normalise", program)).toEqual([]);
  const { definition } = program.outputs.get("y")!;
  (definition as { -readonly [K in keyof Definition]: Definition[K] }).element = "str";
  expect(brokenBy("normalise", program).map(({ code, title }) => `${code} ${title}`)).toEqual([
    "E0999 normalise: `y` breaks the rule of types: a cell is f32, the definition has str",
  ]);
  watchPasses(undefined);
  const unwatched = brokenBy("normalise", program);
  watchPasses(verify);
  expect(unwatched).toEqual([]);
});
