// Compares intervals with the values that terms take.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { box, sampleOver } from "../../../test/support/affine.ts";
import { ofVariable, variable } from "../../affine/term.ts";
import { operationRow } from "../../scalar/operations.ts";
import { decide, intervalOf } from "./intervals.ts";

const [i, j] = [variable("i"), variable("j")];
const [low, high] = [-2, 3];
const known = new Map([i, j].map((v) => [v, { least: low, most: high }]));
const samples = sampleOver([i, j]);

describe("intervals", () => {
  test("hold every value that a term takes", () => {
    fc.assert(
      fc.property(samples, ({ term, value }) => {
        const { least, most } = intervalOf(term, known);
        for (const at of box([i, j], low, high)) {
          expect(value(at)).toBeGreaterThanOrEqual(least);
          expect(value(at)).toBeLessThanOrEqual(most);
        }
      }),
    );
  });

  test("decide a comparison only where it has that outcome everywhere", () => {
    const comparisons = fc.constantFrom(
      "less",
      "lessEqual",
      "greater",
      "greaterEqual",
      "equal",
      "notEqual",
    );
    fc.assert(
      fc.property(samples, samples, comparisons, (a, b, operation) => {
        const outcome = decide(operation, a.term, b.term, known);
        if (outcome === undefined) return;
        for (const at of box([i, j], low, high))
          expect(operationRow(operation).evaluate("i32", a.value(at), b.value(at))).toBe(outcome);
      }),
    );
  });

  test("decide what they can", () => {
    const term = ofVariable(i);
    const at = (constant: number) => ({ constant, parts: [] });
    expect(decide("less", term, at(4), known)).toBe(true);
    expect(decide("less", term, at(3), known)).toBeUndefined();
    expect(decide("equal", term, at(4), known)).toBe(false);
    expect(decide("notEqual", term, at(-3), known)).toBe(true);
    expect(decide("greaterEqual", term, term, known)).toBe(true);
  });
});
