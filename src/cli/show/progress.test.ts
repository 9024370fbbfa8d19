import { describe, expect, test } from "vitest";
import type { Io } from "../io.ts";
import { progressLine } from "./progress.ts";

const over = "\r\u001b[K";

function told(isTerminal: boolean, env: Io["env"] = {}) {
  const written: string[] = [];
  let time = 0;
  const stream = { isTerminal, columns: 60, write: (text: string) => void written.push(text) };
  const line = progressLine({ out: stream, err: stream, env, now: () => time });
  const at = (milliseconds: number, done: number, name = "h"): void => {
    time = milliseconds;
    line?.tell({ fraction: done / 4000, name, steps: { done, of: 4000 } });
  };
  const clear = (): void => line?.clear();
  return { written, at, clear, plain: (fraction: number) => line?.tell({ fraction, name: "y" }) };
}

describe("the line that says how far a run has come", () => {
  test("comes after a second, ten times a second at most, and goes", () => {
    const { written, at, clear } = told(true);
    at(0, 0);
    at(900, 900);
    clear();
    expect(written).toEqual([]);
    at(1000, 1000);
    at(1050, 1050);
    at(1100, 1100);
    expect(written).toEqual([
      `${over}h · step 1,000 of 4,000 · 1,000 steps/s · 3 s left`,
      `${over}h · step 1,100 of 4,000 · 1,000 steps/s · 3 s left`,
    ]);
    clear();
    clear();
    expect(written.slice(2)).toEqual([over]);
  });

  test("counts the steps of the loop that is running", () => {
    const { written, at, plain } = told(true);
    at(0, 0);
    at(2000, 4000);
    at(3000, 0, "g");
    at(5000, 1, "g");
    expect(written.slice(1)).toEqual([
      `${over}g · step 0 of 4,000`,
      `${over}g · step 1 of 4,000 · 0.5 steps/s · 2 h 13 min left`,
    ]);
    at(6000, 100, "g");
    plain(0.256);
    expect(written.at(-1)).toBe(`${over}g · step 100 of 4,000 · 33 steps/s · 1 min 57 s left`);
  });

  test("has no speed and no steps to go behind the last step", () => {
    const { written, at } = told(true);
    at(0, 0);
    at(2000, 3999);
    at(3000, 4000);
    expect(written).toEqual([
      `${over}h · step 3,999 of 4,000 · 2,000 steps/s · 1 s left`,
      `${over}h · the last step is done`,
    ]);
  });

  test("is not longer than the terminal is wide", () => {
    const { written, at } = told(true);
    at(0, 0, "a_name_that_is_very_long_indeed_and_goes_on_and_on");
    at(2000, 5, "a_name_that_is_very_long_indeed_and_goes_on_and_on");
    expect(written[0]!.length).toBe(over.length + 59);
  });

  test("is not written where nobody watches", () => {
    for (const { written, at } of [told(false), told(true, { TERM: "dumb" })]) {
      at(0, 0);
      at(5000, 10);
      expect(written).toEqual([]);
    }
  });
});
