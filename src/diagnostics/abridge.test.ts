// The parts of a long line that stay visible.

import { describe, expect, test } from "vitest";
import { abridge } from "./abridge.ts";

const shown = (line: string, points: readonly number[], room: number) =>
  abridge(line, points, room)
    .cells.map(({ text }) => text)
    .join("");

const alphabet = "abcdefghijklmnopqrstuvwxyz";

describe("abridge", () => {
  test("leaves a line alone that fits exactly", () => {
    expect(shown(alphabet, [], 26)).toBe(alphabet);
    expect(shown(alphabet, [0], 25)).not.toBe(alphabet);
  });

  test.each([
    [[0], "abcdefghijk…"],
    [[25], "…pqrstuvwxyz"],
    [[13], "…jklmnopqr…"],
    [[], "abcdefghijk…"],
  ])("keeps what stands around %j", (points, expected) => {
    expect(shown(alphabet, points, 12)).toBe(expected);
  });

  test("keeps a little around every point, even where that is too much", () => {
    expect(shown(alphabet, [13], 1)).toBe("…jklmnopqr…");
    expect(shown(alphabet, [0, 25], 1)).toBe("abcde…vwxyz");
  });

  test("never replaces a single character", () => {
    // Four characters around 5 and around 15 would leave out only the character at 10.
    expect(shown(alphabet, [5, 15], 1)).toBe("abcdefghijklmnopqrst…");
    expect(shown(alphabet, [20], 1)).toBe("…qrstuvwxyz");
  });

  test("knows the columns of offsets, those left out being at the dots", () => {
    const line = abridge(alphabet, [0, 25], 12);
    expect(line.cells.map(({ text }) => text).join("")).toBe("abcde…vwxyz");
    expect([0, 4, 5, 13, 20, 21, 25, 26].map((offset) => line.columnOf(offset))).toEqual([
      0, 4, 5, 5, 5, 6, 10, 11,
    ]);
    expect([0, 1, 13, 26, 99].map((offset) => line.columnAfter(offset))).toEqual([0, 1, 6, 11, 11]);
  });

  test("counts columns and not characters", () => {
    const line = abridge("漢".repeat(20), [10], 25);
    expect(line.cells.reduce((sum, { width }) => sum + width, 0)).toBeLessThanOrEqual(25);
    expect(line.columnOf(11) - line.columnOf(10)).toBe(2);
  });
});
