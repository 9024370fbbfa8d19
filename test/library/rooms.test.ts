// Rooms of the compiler that only some programs need: what a text needs is known before it is
// checked.

import { describe, expect, test } from "vitest";
import { fileURLToPath } from "node:url";
import { compileCore } from "../../src/driver/core.ts";
import { needsDerivatives } from "../../src/driver/rooms.ts";
import { isTaken } from "../depth.ts";
import { suitePrograms } from "../suite/programs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const sourceOf = (text: string) => ({ name: "test.ein", text });

describe("derivatives are needed", () => {
  test.each([
    ["where a text asks for some", "let x = 2.0; let g = @(x * x) / @x;"],
    ["where a text prints some", 'let x = 2.0; let y = x * x; print("{@y / @x}");'],
    ["where it gives a rule", "fn f(x: f32) { x } @fn f(x: f32) { @x }"],
    ["where the library may have a rule", "use std::math::hypot; print(hypot(3.0, 4.0));"],
    ["where a module may ask for some", "mod m; print(m::f(1.0));"],
  ])("%s", (_, text) => expect(needsDerivatives(sourceOf(text))).toBe(true));

  test.each([
    ["by plain tensors", "let x = [1.0, 2.0]; let y[i] = 2.0 * x[i];"],
    ["for a comment", "let x = 1.0; // @x stands for the tangent of x"],
  ])("not %s", (_, text) => expect(needsDerivatives(sourceOf(text))).toBe(false));
});

describe("programs that need no derivatives compile in the front end alone", () => {
  const plain = suitePrograms(root).filter(({ text }) => !needsDerivatives(sourceOf(text)));

  test("there are many", () => expect(plain.length).toBeGreaterThan(300));

  test("each has an outcome", () => {
    for (const { name, text } of plain)
      if (isTaken(name)) expect(() => compileCore(sourceOf(text), {})).not.toThrow();
  });
});
