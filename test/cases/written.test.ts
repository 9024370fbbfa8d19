// Cells that are written out as JavaScript hold what the closures give, and fail where they fail.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runProgram } from "../../src/backends/interpret/run.ts";
import { failed } from "../../src/host/failure.ts";
import { fromJson } from "../../src/host/json.ts";
import { showTensor } from "../../src/host/show.ts";
import type { TensorValue } from "../../src/host/value.ts";
import { compile } from "../../src/compile.ts";
import { lowered } from "../../src/ir/testing.ts";
import type { Case } from "./case.ts";
import { collectCases } from "./collect.ts";

const cases = collectCases(fileURLToPath(new URL(".", import.meta.url)));

describe("written out as JavaScript", () => {
  for (const one of cases) {
    // Every definition of a long program is compiled as JavaScript here.
    test(one.name, { timeout: 60_000 }, () => {
      if (!compile({ name: `${one.name}.ein`, text: one.text }).program) return;
      const compiled = lowered(one.text);
      expect(outcome(one, compiled, 0)).toEqual(outcome(one, compiled, Infinity));
    });
  }
});

function outcome(
  one: Case,
  { program, analysis }: ReturnType<typeof lowered>,
  written: number,
): Record<string, string> {
  const inputs = new Map<string, TensorValue>();
  for (const input of program.inputs) {
    const given = one.inputs.find(({ name }) => name === input.name);
    const value = given && fromJson(JSON.parse(given.json) as unknown, input.element);
    if (value && !failed(value)) inputs.set(input.name, value);
  }
  const lines: string[] = [];
  const { values, fault } = runProgram(
    program,
    analysis,
    { inputs, onPrint: ({ text }) => lines.push(text) },
    written,
  );
  const shown = [...values].map(([name, { value }]) => [
    name,
    `${value.dtype} ${showTensor(value)}`,
  ]);
  const place = fault?.span ? `${fault.span.start} ${fault.span.end}` : "";
  return {
    ...(Object.fromEntries(shown) as Record<string, string>),
    "(printed)": lines.join("\n"),
    "(fault)": fault ? [fault.code, fault.title, fault.text, place].join(" | ") : "none",
  };
}
