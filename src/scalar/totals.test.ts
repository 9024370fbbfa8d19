import { describe, expect, test } from "vitest";
import { addAt, joinedTotals, sumsByPlace, putAt, shifted, totalAt } from "./totals.ts";
import type { Data } from "./types.ts";

describe("totals by place", () => {
  test("are what is at each place, however it came there", () => {
    const total = addAt(addAt(addAt([], 3, 1.5), 0, 2), 3, 0.25);
    addAt(total, 7, 1);
    expect(sumsByPlace(total)).toEqual([
      [0, 2],
      [3, 1.75],
    ]);
    expect(sumsByPlace(joinedTotals(addAt([], 0, 2), addAt([], 3, 1.75)))).toEqual(
      sumsByPlace(total),
    );
    expect(sumsByPlace([1, 2])).toBeUndefined();
  });

  test("what is added comes together at its place, and nothing is anywhere else", () => {
    const total = addAt(addAt(addAt([], 3, 1.5), 0, 2), 3, 0.25);
    expect([0, 1, 3].map((place) => totalAt(total, place))).toEqual([2, 0, 1.75]);
    expect(totalAt([], 0)).toBe(0);
  });

  test("earlier totals keep their numbers, and can be added to in another way", () => {
    const first = addAt(addAt([], 1, 1), 2, 5);
    const one = addAt(first, 1, 10);
    const other = addAt(first, 1, 100);
    const further = addAt(one, 2, 1);
    expect(
      [first, one, other, further].map((total) => [totalAt(total, 1), totalAt(total, 2)]),
    ).toEqual([
      [1, 5],
      [11, 5],
      [101, 5],
      [11, 6],
    ]);
  });

  test("two of them together, whichever has more, leave both as they are", () => {
    const long = [1, 2, 3, 4].reduce<Data>((total, place) => addAt(total, place, place), []);
    const short = addAt([], 2, 0.5);
    for (const sum of [joinedTotals(long, short), joinedTotals(short, long)])
      expect([1, 2, 3].map((place) => totalAt(sum, place))).toEqual([1, 2.5, 3]);
    expect([totalAt(long, 2), totalAt(short, 2)]).toEqual([2, 0.5]);
    expect([joinedTotals([], short), joinedTotals(short, [])]).toEqual([short, short]);
  });

  test("the second so many times, with all that it has inside", () => {
    const first = addAt(addAt([], 1, 1), 2, 5);
    const second = shifted(addAt(addAt([], 0, 4), 0, 2), 2);
    const sum = joinedTotals(first, second, 0.5);
    expect([0, 1, 2].map((place) => totalAt(sum, place))).toEqual([0, 1, 8]);
    expect([
      totalAt(first, 2),
      totalAt(second, 2),
      totalAt(joinedTotals([], second, 2), 2),
    ]).toEqual([5, 6, 12]);
    const parts = joinedTotals(putAt([], [0, 1]), putAt([], [0, 3, 1, [addAt([], 4, 7)]]), 2);
    const [inside] = parts[1] as Data;
    expect([parts[0], totalAt(inside as Data, 4)]).toEqual([7, 14]);
    expect(joinedTotals(first, addAt([], 1, Infinity), 0)).toBe(first);
  });

  test("of what lies further on: a part of an array has its own places", () => {
    const part = addAt(addAt([], 0, 1), 2, 3);
    const whole = addAt(shifted(part, 5), 0, 7);
    expect([0, 5, 7, 2].map((place) => totalAt(whole, place))).toEqual([7, 1, 3, 0]);
    expect(totalAt(joinedTotals(whole, addAt([], 7, 1)), 7)).toBe(4);
    expect(totalAt(joinedTotals(addAt([], 7, 1), whole), 7)).toBe(4);
    expect(shifted([], 5)).toEqual([]);
  });

  test("of an array of data: what comes together at a place has parts of its own", () => {
    const first = addAt(addAt([], 2, putAt([], [1, 0.5])), 2, putAt([], [0, 3, 1, 1]));
    const further = addAt(first, 2, putAt([], [1, 10]));
    expect([totalAt(first, 2), totalAt(further, 2), totalAt(first, 0)]).toEqual([
      [3, 1.5],
      [3, 11.5],
      0,
    ]);
    expect(totalAt(joinedTotals(first, addAt([], 2, putAt([], [0, 1]))), 2)).toEqual([4, 1.5]);
  });

  test("of what has parts: each part by itself, those inside too", () => {
    const parts = putAt(putAt([], [1, 2]), [1, 3, 2, [addAt([], 0, 1)]]);
    const more = putAt([], [2, [addAt([], 0, 5), 4]]);
    const sum = joinedTotals(parts, more);
    expect([sum[0], sum[1]]).toEqual([0, 5]);
    const [inside, last] = sum[2] as Data;
    expect([totalAt(inside as Data, 0), last]).toEqual([6, 4]);
  });
});
