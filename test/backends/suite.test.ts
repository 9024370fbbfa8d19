// Every case and every example on kernels, held to the oracle: faults alike, prints alike, every cell satisfying its equation.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { JsonTensor } from "../../src/host/json.ts";
import { collectCases } from "../cases/collect.ts";
import { runProgram } from "../../src/backends/interpret/run.ts";
import { leftToOracle } from "../../src/backends/wasm/state.ts";
import { compareBackends, subjectOf, type Subject } from "./compare.ts";
import { inputsOf, type Given } from "./inputs.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** How many schedules of the suite the oracle computed, by the reason. */
const left = new Map<string, number>();

function holds(subject: Subject, given: Given): number {
  const inputs = inputsOf(subject.program, given);
  const { problems, compared, skipped } = compareBackends(subject, [inputs]);
  runProgram(subject.program, subject.analysis, { inputs, backend: "wasm", leastWork: 0 });
  for (const why of leftToOracle(subject.program).values()) left.set(why, (left.get(why) ?? 0) + 1);
  expect(problems).toEqual([]);
  expect(skipped).toBeLessThanOrEqual(compared);
  return compared;
}

/** Written for the language, and written down by `npm run fuzz -- backends`. */
const cases = [...collectCases(here("../cases/")), ...collectCases(here("./found/"))];

describe("cases on kernels", () => {
  for (const one of cases) {
    const subject = subjectOf(`${one.name}.ein`, one.text);
    if ("errors" in subject) continue;
    test(one.name, { timeout: 60_000 }, () => {
      holds(
        subject,
        one.inputs.map(({ name, json }) => [name, JSON.parse(json) as unknown] as const),
      );
    });
  }
});

describe("examples on kernels", () => {
  const expected = JSON.parse(readFileSync(here("../examples/expected.json"), "utf8")) as Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, JsonTensor>> }>
  >;
  for (const file of readdirSync(here("../../examples")).filter((name) => name.endsWith(".ein"))) {
    test(file, { timeout: 60_000 }, () => {
      const subject = subjectOf(file, readFileSync(here(`../../examples/${file}`), "utf8"));
      if ("errors" in subject) throw new Error(subject.errors.map(({ title }) => title).join("\n"));
      expect(
        holds(subject, Object.entries(expected[file.slice(0, -".ein".length)]!.inputs)),
      ).toBeGreaterThan(0);
    });
  }
});

test("what the suite leaves to the oracle has a reason that kernels do not remove", () => {
  const allowed = new Set([
    "a literal",
    "strings",
    "data",
    "ragged rows",
    "a call of a function",
    "a fault",
    "a running reduction",
    "a scatter whose totals need more than a cell",
    "steps looked up by data",
    "cells of a reduction inside another step",
    "division of an index by the constant 0",
    "history that a window does not keep",
    "memory",
  ]);
  const others = [...left.keys()].filter(
    (why) => !allowed.has(why) && !/ of (f16|bf16|i8|i64|bool)$/.test(why),
  );
  expect(others, JSON.stringify([...left])).toEqual([]);
});
