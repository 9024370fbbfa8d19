// Element types: their sets, widths and stores.

import { expect, it } from "vitest";
import {
  allocate,
  belongsTo,
  bytesOf,
  elementTypes,
  isElementType,
  oneOf,
  zeroOf,
} from "./types.ts";

const stored = elementTypes.filter((type) => type !== "str");

it("sorts types into their sets", () => {
  const members = (set: "float" | "integer" | "numeric" | "bool" | "any"): readonly string[] =>
    elementTypes.filter((type) => belongsTo(type, set));
  expect(members("float")).toEqual(["f16", "bf16", "f32", "f64"]);
  expect(members("integer")).toEqual(["i8", "i32", "i64"]);
  expect(members("numeric").length).toBe(7);
  expect(members("bool")).toEqual(["bool"]);
  expect(members("any")).toEqual(elementTypes);
});

it("stores elements zero-filled, in their own width except for the half-width floats", () => {
  for (const type of stored) {
    const store = allocate(type, 3);
    expect(Array.from(store, Number)).toEqual([0, 0, 0]);
    expect(store.BYTES_PER_ELEMENT, type).toBe(
      type === "f16" || type === "bf16" ? 4 : bytesOf(type),
    );
  }
});

it("has zeros and ones of the right kind", () => {
  expect(elementTypes.map(zeroOf)).toEqual([0, 0, 0n, 0, 0, 0, 0, false, ""]);
  expect([oneOf("i64"), oneOf("i32"), oneOf("f32")]).toEqual([1n, 1, 1]);
});

it("tells its names from others", () => {
  expect(["f32", "str", "u8", "float"].map(isElementType)).toEqual([true, true, false, false]);
});
