// The shape of the source may only improve: every count of `npm run house` stays within its limit.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { measure } from "../scripts/house/measure.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const limits = JSON.parse(readFileSync(`${root}scripts/house/limits.json`, "utf8")) as Record<
  string,
  number
>;
const { shape } = measure(root);

test.each(Object.entries(limits))("%s: at most %i", (name, limit) => {
  expect(shape[name], "see `npm run house`").toBeLessThanOrEqual(limit);
});

test("every count has a limit", () => {
  expect(Object.keys(limits)).toEqual(Object.keys(shape));
});
