// Every request of every example and case: against differences, forward mode against reverse mode, and its printed backward program
// against its numbers.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile, type CompiledProgram } from "../../src/compile.ts";
import { failed } from "../../src/host/failure.ts";
import { fromJson } from "../../src/host/json.ts";
import type { TensorValue } from "../../src/host/value.ts";
import { readCase, type Case } from "../cases/case.ts";
import { collectCases } from "../cases/collect.ts";

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A rule that is wrong on purpose, to show that it is the rule that counts. */
const wrongOnPurpose = ["09-derivatives/tangent-rule"];

const examples = readdirSync(folder("../../examples"))
  .filter((file) => file.endsWith(".ein"))
  .map((file) => {
    const text = readFileSync(folder(`../../examples/${file}`), "utf8");
    return readCase(`examples/${file}`, `${text}\n//# 9 Derivatives\n//> nothing is expected here`);
  });
const asking = [...examples, ...collectCases(folder("../cases"))].filter(
  ({ text, messages }) =>
    /@[\w(]/.test(text.replace(/\/\/.*/g, "")) && !messages.some(({ code }) => code.startsWith("E")),
);

function inputsOf({ inputs }: Case, program: CompiledProgram): ReadonlyMap<string, TensorValue> {
  return new Map(
    inputs.map(({ name, json }) => {
      const { dtype } = program.inputs.find((input) => input.name === name)!;
      const value = fromJson(JSON.parse(json), dtype);
      if (failed(value)) throw new Error(value.error);
      return [name, value] as const;
    }),
  );
}

describe("every request of the suite", () => {
  test("there are enough of them", () => expect(asking.length).toBeGreaterThan(30));

  for (const one of asking) {
    test(`${one.name}: agrees with differences, forward mode with reverse mode`, { timeout: 60_000 }, () => {
      const { program, diagnostics } = compile({ name: one.name, text: one.text });
      if (!program) throw new Error(diagnostics.map(({ title }) => title).join("\n"));
      const reports = program.checkGradients(inputsOf(one, program));
      const wrong = reports.filter(({ ok }) => !ok);
      expect(wrong.length > 0).toBe(wrongOnPurpose.includes(one.name));
      if (wrong.length === 0) expect(wrong).toEqual([]);
    });
  }
});
