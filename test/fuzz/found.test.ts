// Programs that fuzzers found. Each of them was compiled wrongly once.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { problemOf } from "./grad.ts";

const folder = fileURLToPath(new URL("found/", import.meta.url));

test.each(readdirSync(folder))("%s", { timeout: 120_000 }, (file) => {
  expect(problemOf(readFileSync(`${folder}${file}`, "utf8"))).toBeUndefined();
});
