// Long sums as source: no deep recursion is needed to find whether their text tells their type.

import { expect, test } from "vitest";
import type { Scalar } from "../ir/program.ts";
import { tellsItsType } from "./scalar.ts";

test("whether a sum of many terms says its type is told by the last of them", () => {
  const span = { source: { name: "p", text: "" }, start: 0, end: 0 };
  const cell: Scalar = {
    kind: "cast",
    type: "f32",
    operand: { kind: "constant", type: "i32", value: 1 },
  };
  let sum: Scalar = cell;
  const add = { kind: "apply", type: "f32", within: "f32", operation: "add", span } as const;
  for (let k = 0; k < 50_000; k++) sum = { ...add, operands: [sum, cell] };
  expect(tellsItsType({ local: () => undefined }, sum)).toBe(true);
});
