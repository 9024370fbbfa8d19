// Values by reference: shown and compared part by part, however long they are.

import { expect, it } from "vitest";
import { sameData, showData, type Layout } from "./data.ts";
import type { Data, ElementType } from "./types.ts";

const i32: Layout = { kind: "scalar", type: "i32" };
const list: Layout = {
  kind: "enum",
  name: "List",
  variants: [
    { name: "Nil", payload: [] },
    {
      name: "Cons",
      payload: [
        { kind: "tuple", members: [i32, { kind: "scalar", type: "f32" }] },
        { kind: "boxed", inside: () => list },
      ],
    },
  ],
};
const pair: Layout = {
  kind: "struct",
  name: "Pair",
  fields: [
    { name: "a", layout: list },
    { name: "b", layout: i32 },
  ],
};
const same = (type: ElementType): ElementType => type;

const nil: Data = [0, 0, 0, []];
const cons = (a: number, x: number, rest: Data): Data => [1, a, x, rest];

function listOf(length: number): Data {
  let made = nil;
  for (let k = 1; k <= length; k++) made = cons(k, k / 2, made);
  return made;
}

it("shows values as a program writes them", () => {
  expect(showData(list, nil, same)).toBe("List::Nil");
  expect(showData(list, listOf(2), same)).toBe(
    "List::Cons((2, 1.0), List::Cons((1, 0.5), List::Nil))",
  );
  expect(showData(pair, [...listOf(1), 7], same)).toBe(
    "Pair { a: List::Cons((1, 0.5), List::Nil), b: 7 }",
  );
});

it("compares the parts that a variant has, and no others", () => {
  expect(sameData(list, listOf(3), listOf(3))).toBe(true);
  expect(sameData(list, listOf(3), listOf(4))).toBe(false);
  expect(sameData(list, nil, [0, 5, 5, nil])).toBe(true);
  expect(sameData(pair, [...listOf(1), 7], [...listOf(1), 8])).toBe(false);
});

it("goes as deep as a value does", () => {
  expect(sameData(list, listOf(50_000), listOf(50_000))).toBe(true);
  expect(showData(list, listOf(50_000), same).length).toBeGreaterThan(500_000);
});

it("finds the parts behind one that is a struct", () => {
  const two: Layout = { kind: "tuple", members: [pair, i32] };
  expect(showData(two, [...listOf(1), 7, 9], same)).toBe(
    "(Pair { a: List::Cons((1, 0.5), List::Nil), b: 7 }, 9)",
  );
  expect(sameData(two, [...nil, 7, 9], [...nil, 7, 8])).toBe(false);
});
