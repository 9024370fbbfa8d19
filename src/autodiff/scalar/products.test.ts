import { expect, test } from "vitest";
import type { Scalar } from "../../ir/program.ts";
import { gathered, one, type Conditioned } from "./products.ts";

function factor(value: number): Scalar {
  return { kind: "constant", type: "f32", value };
}

function product(...values: readonly number[]): Conditioned {
  return { product: { ...one, factors: values.map(factor) }, conditions: [] };
}

test("products with the same factors are one, in whatever order these stand", () => {
  const list = [product(2, 3), product(3, 2), product(2), product(2, 3)];
  expect(gathered(list, () => "").map((each) => each.product.constant)).toEqual([3, 1]);
});

test("products that go to different cells stay apart", () => {
  const list = [product(2), product(2)];
  expect(gathered(list, (each) => String(list.indexOf(each)))).toEqual(list);
});

test("each of many products is looked at once", () => {
  const list = Array.from({ length: 500 }, (_, k) => product(k + 2));
  let asked = 0;
  gathered(list, () => String(asked++));
  expect(asked).toBe(500);
});
