// Every derivative of the repository and of random programs, explained.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { failed } from "../../src/host/failure.ts";
import { fromJson } from "../../src/host/json.ts";
import type { TensorValue } from "../../src/host/value.ts";
import { gradientProgram } from "../generate/programs.ts";
import { holdsFor } from "./holds.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const programs = ["examples/", "test/cases/", "bench/programs/"].flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ein"))
    .sort()
    .map((path) => ({ path: folder + path, text: readFileSync(root + folder + path, "utf8") }))
    .filter(({ text }) => /@\w|@\(/.test(text)),
);

/** Values that a case gives its inputs. */
function inputsOf(text: string): ReadonlyMap<string, TensorValue> {
  return new Map(
    [...text.matchAll(/^\/\/< (\w+) = (.*)$/gm)].flatMap(
      ([, name, json]): [string, TensorValue][] => {
        const element = new RegExp(`input ${name!}: \\[?(\\w+)`).exec(text)?.[1];
        const value = fromJson(JSON.parse(json!), element as TensorValue["dtype"]);
        return failed(value) ? [] : [[name!, value]];
      },
    ),
  );
}

describe("every request of the repository", () => {
  test.each(programs)("$path", { timeout: 60_000 }, ({ text }) => {
    const { problems, slowest } = holdsFor(text, inputsOf(text));
    expect(problems).toEqual([]);
    expect(slowest).toBeLessThan(2000);
  });
});

describe("random programs", () => {
  // The last one has ranges that are empty for some of the coordinates around them.
  test.each([...Array.from({ length: 20 }, (_, k) => k), 299])(
    "number %i",
    { timeout: 60_000 },
    (seed) => {
      const { problems, slowest } = holdsFor(gradientProgram(seed));
      expect(problems).toEqual([]);
      expect(slowest).toBeLessThan(2000);
    },
  );
});
