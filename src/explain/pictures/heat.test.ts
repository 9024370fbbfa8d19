import { expect, test } from "vitest";
import { fromNested, type TensorValue } from "../../scalar/values/value.ts";
import { heatPng, heatText } from "./heat.ts";

const options = { name: "t", axes: ["a", "b", "c"], colour: false, columns: 80 };
const map = (nested: Parameters<typeof fromNested>[1]): string =>
  heatText(fromNested("f32", nested) as TensorValue, options)
    .split("\n")
    .slice(1)
    .join("\n");

test("a scalar, a row, and slices with their positions", () => {
  expect(map(3)).toBe("  +@\n");
  expect(map([0, 1, 2])).toBe("   .+*+@\n");
  expect(map([[[1, 0]], [[0, 1]]])).toBe("\n  a = 0\n  +@ .\n\n  a = 1\n   .+@\n");
});

test("zeros have no sign, what is not finite is marked, and wide rows are cut", () => {
  expect(map([0, 0])).toBe("   . .\n");
  expect(map([1, NaN, -Infinity])).toBe("  +@ ?-?\n");
  const wide = heatText(
    fromNested(
      "f32",
      Array.from({ length: 200 }, () => 1),
    ) as TensorValue,
    { ...options, columns: 20 },
  );
  expect(wide.split("\n")[1]).toBe(`  ${"+@".repeat(8)} …`);
});

test("a picture is as large as its cells", () => {
  const png = heatPng(
    fromNested("f32", [
      [1, 2],
      [3, 4],
    ]) as TensorValue,
  );
  const view = new DataView(png.buffer);
  expect([view.getUint32(16), view.getUint32(20)]).toEqual([48, 48]);
});
