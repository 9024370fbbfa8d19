// Every case and every example on kernels, held to the oracle: faults alike, prints alike, every cell satisfying its equation.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { failed } from "../../src/host/failure.ts";
import { fromJson, type JsonTensor } from "../../src/host/json.ts";
import type { Program } from "../../src/ir/program.ts";
import { collectCases } from "../cases/collect.ts";
import { compareBackends, subjectOf, type Inputs, type Subject } from "./compare.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

type Given = readonly (readonly [name: string, json: unknown])[];

function inputsOf(program: Program, given: Given): Inputs {
  return new Map(
    given.map(([name, json]) => {
      const value = fromJson(json as JsonTensor, program.inputs.find((input) => input.name === name)?.element);
      if (failed(value)) throw new Error(`input ${name}: ${value.error}`);
      return [name, value];
    }),
  );
}

function holds(subject: Subject, given: Given): number {
  const { problems, compared, skipped } = compareBackends(subject, [inputsOf(subject.program, given)]);
  expect(problems).toEqual([]);
  expect(skipped).toBeLessThanOrEqual(compared);
  return compared;
}

describe("cases on kernels", () => {
  for (const one of collectCases(here("../cases/"))) {
    const subject = subjectOf(`${one.name}.ein`, one.text);
    if ("errors" in subject) continue;
    test(one.name, { timeout: 60_000 }, () => {
      holds(subject, one.inputs.map(({ name, json }) => [name, JSON.parse(json) as unknown] as const)); // prettier-ignore
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
      expect(holds(subject, Object.entries(expected[file.slice(0, -".ein".length)]!.inputs))).toBeGreaterThan(0);
    });
  }
});
