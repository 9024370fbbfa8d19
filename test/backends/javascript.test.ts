// Every case and every example as generated JavaScript, against the closures of the oracle: the same bits, the same prints, the same faults.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { JsonTensor } from "../../src/host/json.ts";
import { collectCases } from "../cases/collect.ts";
import { compareForms, subjectOf, type Subject } from "./compare.ts";
import { inputsOf, type Given } from "./inputs.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

function agrees(subject: Subject, given: Given): void {
  expect(compareForms(subject, inputsOf(subject.program, given))).toEqual([]);
}

describe("cases as JavaScript", () => {
  for (const one of [...collectCases(here("../cases/")), ...collectCases(here("./found/"))]) {
    const subject = subjectOf(`${one.name}.ein`, one.text);
    if ("errors" in subject) continue;
    test(one.name, { timeout: 60_000 }, () =>
      agrees(
        subject,
        one.inputs.map(({ name, json }) => [name, JSON.parse(json) as unknown] as const),
      ),
    );
  }
});

describe("examples as JavaScript", () => {
  const expected = JSON.parse(readFileSync(here("../examples/expected.json"), "utf8")) as Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, JsonTensor>> }>
  >;
  for (const file of readdirSync(here("../../examples")).filter((name) => name.endsWith(".ein"))) {
    test(file, { timeout: 60_000 }, () => {
      const subject = subjectOf(file, readFileSync(here(`../../examples/${file}`), "utf8"));
      if ("errors" in subject) throw new Error(subject.errors.map(({ title }) => title).join("\n"));
      agrees(subject, Object.entries(expected[file.slice(0, -".ein".length)]!.inputs));
    });
  }
});
