// Which way terms go when a variable grows.

import { expect, test } from "vitest";
import { direction } from "./direction.ts";
import { constant, floorDiv, minimum, negate, ofVariable, plus, scale, variable } from "./term.ts";

test("the direction of a term", () => {
  const [i, j] = [variable("i"), variable("j")];
  expect(direction(plus(ofVariable(i), 3), i)).toBe(1);
  expect(direction(negate(ofVariable(i)), i)).toBe(-1);
  expect(direction(ofVariable(j), i)).toBe(0);
  expect(direction(floorDiv(scale(ofVariable(i), -3), constant(2)), i)).toBe(-1);
  expect(direction(minimum(ofVariable(i), constant(4)), i)).toBe(1);
  expect(direction(minimum(ofVariable(i), negate(ofVariable(i))), i)).toBeUndefined();
});
