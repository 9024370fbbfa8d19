// The loops of recurrences in which data decides where something is read.

import { describe, expect, it } from "vitest";
import type { Schedule } from "./schedule.ts";
import { lowered } from "./testing.ts";

/** Which axes of a definition are loops, outermost first. */
function loopsOf(text: string, name: string): readonly string[] {
  const { analysis } = lowered(text);
  const found: string[] = [];
  const descend = ({ steps }: Schedule): void => {
    for (const step of steps) {
      if (step.kind === "cells") continue;
      for (const [{ axes, name: of }, axis] of step.axes)
        if (of === name) found.push(`${axes[axis]!.name}${step.reversed ? " downward" : ""}`);
      descend(step.body);
    }
  };
  analysis.schedules.forEach(descend);
  return found;
}

const places = "let p = [1, 0, 2]; let q = [0, 0, 1];";

describe("lookups", () => {
  it("need no trust where another axis is strictly backward", () => {
    const text = `${places} let h[n in 0..3, t in 0..4] = 1; let h[n in 0..3, t in 1..4] = h[p[n], t - 1] + 1;`;
    expect(loopsOf(text, "h")).toEqual(["t"]);
  });

  it("leave the axes in their order where that needs no trust either", () => {
    const text = `${places} let h[t in 0..4, n in 0..3] = 1; let h[t in 1..4, n in 1..3] = h[t - 1, p[n]] + h[t, n - 1];`;
    expect(loopsOf(text, "h")).toEqual(["t", "n"]);
  });

  it("are carried by the loop that is proved, before others that only carry what is left", () => {
    const text = `${places} let h[n in 0..3, t in 0..4] = 1; let h[n in 1..3, t in 1..4] = h[p[n], t - 1] + h[n - 1, t];`;
    expect(loopsOf(text, "h")).toEqual(["t", "n"]);
  });

  it("along all axes go back in the order of the loops", () => {
    const text = `${places} let h[n in 0..3, t in 0..3] = 1; let h[n in 1..3, t in 1..3] = h[q[n], p[t]] + 1;`;
    expect(loopsOf(text, "h")).toEqual(["n", "t"]);
  });

  it("are of steps before where nothing within a step can carry them", () => {
    const text = `${places} let h[n in 0..3, t in 0..4] = 1; let h[n in 1..3, t in 0..3] = h[q[n], t + 1] + 1;`;
    expect(loopsOf(text, "h")).toEqual(["n"]);
  });

  it("that a guard keeps back need no trust", () => {
    const text = `${places} let h[n in 0..3, t in 0..3] = 1; let h[n in 1..3, t in 1..3] = h[n - q[n], p[t]] + 1 where q[n] > 0;`;
    expect(loopsOf(text, "h")).toEqual(["n"]);
  });
});

describe("a guard with `||`", () => {
  it("is proved on each side", () => {
    const text = "let r[i in 0..2, j in 0..3] = 1 + sum[p in 0..2, q in 0..3](r[p, q] where p < i || p == i && q < j);";
    expect(loopsOf(text, "r")).toEqual(["i", "j"]);
  });

  it("is no proof where one side is none", () => {
    const text = "let r[i in 0..2, j in 0..3] = 1 + sum[p in 0..2, q in 0..3](r[p, q] where p < i || q < j);";
    expect(() => loopsOf(text, "r")).toThrow("E0603");
  });
});
