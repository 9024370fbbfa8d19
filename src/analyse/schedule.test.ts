// The loops of recurrences in which data decides the position of a read.

import { describe, expect, it } from "vitest";
import type { Schedule } from "./schedule.ts";
import { lowered } from "../../test/support/ir.ts";

/** The axes of a definition that are loops, outermost first. */
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
    const text =
      `${places} let h[n in 0..3, t in 0..4] = 1; ` +
      "let h[n in 0..3, t in 1..4] = h[p[n], t - 1] + 1;";
    expect(loopsOf(text, "h")).toEqual(["t"]);
  });

  it("leave the axes in their order where that needs no trust either", () => {
    const text =
      `${places} let h[t in 0..4, n in 0..3] = 1; ` +
      "let h[t in 1..4, n in 1..3] = h[t - 1, p[n]] + h[t, n - 1];";
    expect(loopsOf(text, "h")).toEqual(["t", "n"]);
  });

  it("are carried by the loop that is proved, before others that only carry what is left", () => {
    const text =
      `${places} let h[n in 0..3, t in 0..4] = 1; ` +
      "let h[n in 1..3, t in 1..4] = h[p[n], t - 1] + h[n - 1, t];";
    expect(loopsOf(text, "h")).toEqual(["t", "n"]);
  });

  it("along all axes go back in the order of the loops", () => {
    const text =
      `${places} let h[n in 0..3, t in 0..3] = 1; ` +
      "let h[n in 1..3, t in 1..3] = h[q[n], p[t]] + 1;";
    expect(loopsOf(text, "h")).toEqual(["n", "t"]);
  });

  it("are of steps before where nothing within a step can carry them", () => {
    const text =
      `${places} let h[n in 0..3, t in 0..4] = 1; ` +
      "let h[n in 1..3, t in 0..3] = h[q[n], t + 1] + 1;";
    expect(loopsOf(text, "h")).toEqual(["n"]);
  });

  it("that a guard keeps back need no trust", () => {
    const text =
      `${places} let h[n in 0..3, t in 0..3] = 1; ` +
      "let h[n in 1..3, t in 1..3] = h[n - q[n], p[t]] + 1 where q[n] > 0;";
    expect(loopsOf(text, "h")).toEqual(["n"]);
  });
});

describe("lookups beside an index that is not known to be earlier", () => {
  const row = "let p = [0, 0, 1]; let c = [0, 1, 1]; let h[0, j in 0..3] = 1;";

  it("may be of the same step, whose cells have an order", () => {
    const text = `${row} let h[i in 1..3, j in 0..3] = if c[j] > 0 { h[p[i], 2 - j] } else { 1 };`;
    expect(loopsOf(text, "h")).toEqual(["i", "j"]);
  });

  it("may be so along any axis that data decides", () => {
    const text = `${row} let h[i in 1..3, j in 0..3] = if c[i] > 0 { h[2 - i, p[j]] } else { 1 };`;
    expect(loopsOf(text, "h")).toEqual(["j", "i"]);
  });

  it("find the order that `rev` says", () => {
    const text =
      row + " let h[i in 1..3, j in rev(0..3)] = if c[j] > 0 { 1 } else { h[p[i], 2 - j] };";
    expect(loopsOf(text, "h")).toEqual(["i", "j downward"]);
  });

  it("leave a definition its order where the members of a recurrence have none together", () => {
    const text =
      `${row} let h[i in 1..3, j in 0..3] = q[i] + if c[j] > 0 { h[p[i], 2 - j] } else { 1 }; ` +
      "let q[i in 0..3] = if c[i] > 0 { h[p[i], 0] } else { 1 };";
    expect(loopsOf(text, "h")).toEqual(["i", "j"]);
    expect(loopsOf(text, "q")).toEqual(["i"]);
  });

  it("are of another step where the cell would be read for itself", () => {
    const own = `${row} let h[i in 1..3, j in 0..3] = if c[j] > 0 { h[p[i], j] } else { 1 };`;
    expect(loopsOf(own, "h")).toEqual(["i"]);
    const sum =
      row + " let h[i in 1..3, j in 0..3] = 1 + sum[k](c[k] * h[p[i], k] where c[i] > 0);";
    expect(loopsOf(sum, "h")).toEqual(["i"]);
  });

  it("are of another step where members read one another in a ring", () => {
    const text =
      "let p = [0, 0, 1]; let w = [[1, 2, 1], [0, 1, 1], [1, 1, 0]]; " +
      "let h[0, j in 0..3] = 1; let s[0, j in 0..3] = 1; let t[0, j in 0..3] = 1; " +
      "let s[i in 1..3, j in 0..3] = 1 + sum[k](w[j, k] * h[p[i], k]); " +
      "let t[i in 1..3, j in 0..3] = 2 * s[i, j]; " +
      "let h[i in 1..3, j in 0..3] = sum[k](w[j, k] * t[i, k]);";
    expect(loopsOf(text, "h")).toEqual(["i"]);
  });

  it("may be of the same step where not every cell of it is read", () => {
    const text = `${row} let h[i in 1..3, j in 0..3] = 1 + sum[k](h[p[i], k] where c[k] < c[j]);`;
    expect(loopsOf(text, "h")).toEqual(["i", "j"]);
    const chosen =
      `${row} let h[i in 1..3, j in 0..3] = 1 + ` +
      "sum[k](if c[k] < c[j] { h[p[i], k] } else { 0 });";
    expect(loopsOf(chosen, "h")).toEqual(["i", "j"]);
  });
});

describe("a guard with `||`", () => {
  it("is proved on each side", () => {
    const text =
      "let r[i in 0..2, j in 0..3] = 1 + sum[p in 0..2, " +
      "q in 0..3](r[p, q] where p < i || p == i && q < j);";
    expect(loopsOf(text, "r")).toEqual(["i", "j"]);
  });

  it("is no proof where one side is none", () => {
    const text =
      "let r[i in 0..2, j in 0..3] = 1 + sum[p in 0..2, q in 0..3](r[p, q] where p < i || q < j);";
    expect(() => loopsOf(text, "r")).toThrow("E0603");
  });
});
