// Tests which clauses give the same bits on every backend.

import { expect, test } from "vitest";
import { subjectOf } from "../../test/backends/compare.ts";
import { isExact } from "./exact.ts";

test.each([
  ["x[i] * 2.0 + 1.0", true],
  ["if x[i] > 0.0 { sqrt(x[i]) } else { -x[i] }", true],
  ["tanh(x[i])", false],
  ["x[i] ** 3.0", false],
  ["sum[k in 0..3](x[k])", false],
])("%s", (body, right) => {
  const subject = subjectOf("test.ein", `let x[i in 0..4] = i as f32; let y[i in 0..4] = ${body};`);
  if ("errors" in subject) throw new Error("the program is wrong");
  expect(isExact(subject.program.outputs.get("y")!.definition.clauses)).toBe(right);
});
