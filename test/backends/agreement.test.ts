// The comparison finds wrong cells and accepts right ones.

import { describe, expect, test } from "vitest";
import { computeEverything } from "../support/everything.ts";
import type { Scalar as Value } from "../../src/scalar/types.ts";
import { agreementOf } from "./agreement.ts";
import { subjectOf } from "./compare.ts";

function agreementWith(
  text: string,
  name: string,
  wrong: (cell: Value) => Value,
): readonly string[] {
  const subject = subjectOf("test.ein", text);
  if ("errors" in subject) throw new Error("the program is wrong");
  const machine = computeEverything(subject.program, subject.analysis, { leastWork: 0 });
  const definitions = subject.analysis.schedules.flatMap((schedule) => schedule.definitions);
  expect(agreementOf(machine, definitions).problems).toEqual([]);
  const store = machine.stores.get(subject.program.outputs.get(name)!.definition)!;
  store.set(1, wrong(store.get(1)));
  return agreementOf(machine, definitions).problems;
}

describe("agreement", () => {
  test("objects to one cell that is off by little", () => {
    const text = "let x = [1.0, 2.0, 3.0]; let y[i] = x[i] * 1.5; let z[i] = exp(y[i]);";
    expect(agreementWith(text, "z", (cell) => Number(cell) * (1 + 1e-6))).toHaveLength(1);
    expect(agreementWith(text, "z", (cell) => Number(cell) * (1 + 1e-7))).toEqual([]);
    // A wrong cell violates its own equation. The cells computed from the right value then violate
    // theirs.
    expect(agreementWith(text, "y", (cell) => Number(cell) + 1e-6)).toHaveLength(2);
  });

  test("objects to a step of a recurrence", () => {
    const text = "let h[0] = 1; let h[t in 1..6] = h[t - 1] * 2;";
    expect(agreementWith(text, "h", () => 3)[0]).toBe("h[1] is 3, and should be 2 (i32)");
  });

  test("objects to the wrong sign of zero, and to a NaN", () => {
    const text = "let x = [0.0, 0.0]; let y[i] = x[i] + 0.0;";
    expect(agreementWith(text, "y", () => -0)).toEqual(["y[1] is -0, and should be 0.0 (f32)"]);
    expect(agreementWith(text, "y", () => NaN)).toHaveLength(1);
  });
});
