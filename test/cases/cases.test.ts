// Runs every literate case and holds it to its own comments; also keeps the conformance page up to date.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile, type CompiledProgram } from "../../src/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { failed } from "../../src/host/failure.ts";
import { fromJson } from "../../src/host/json.ts";
import { showTensor } from "../../src/host/show.ts";
import type { TensorValue } from "../../src/host/value.ts";
import { positionOf } from "../../src/base/source.ts";
import { readCase, type Case, type ExpectedMessage } from "./case.ts";
import { collectCases } from "./collect.ts";
import { conformancePage } from "./conformance.ts";

const cases = collectCases(fileURLToPath(new URL(".", import.meta.url)));

describe("cases", () => {
  for (const one of cases) test(one.name, () => holds(one));

  test("docs/conformance.md is up to date (npm run conformance)", () => {
    const committed = readFileSync(
      fileURLToPath(new URL("../../docs/conformance.md", import.meta.url)),
      "utf8",
    );
    expect(committed).toBe(conformancePage(cases));
  });
});

describe("the harness", () => {
  const section = "//# 3 Statements\n";

  test("objects to a wrong value, print or message", () => {
    expect(() => holds(readCase("value", `${section}let x = 2;\n//= x = 3`))).toThrow(
      "expected '2' to be '3'",
    );
    expect(() => holds(readCase("print", `${section}print(1);\n//> 2`))).toThrow();
    expect(() => holds(readCase("print", `${section}print(1);\nprint(2);\n//> 1`))).toThrow();
    expect(() =>
      holds(readCase("missing", `${section}let x = 2;\n//! E0111 2:10 semicolon`)),
    ).toThrow();
    expect(() => holds(readCase("unexpected", `${section}let x = (2;\n//= x = 2`))).toThrow();
  });

  test("objects to a case that expects nothing or covers no section", () => {
    expect(() => readCase("nothing", `${section}let x = 2;`)).toThrow("expect something");
    expect(() => readCase("nowhere", "let x = 2;\n//= x = 2")).toThrow("section");
    expect(() => readCase("form", `${section}//= x`)).toThrow("form:2");
    expect(() => conformancePage([readCase("strange", "//# 99 Magic\n//> 1")])).toThrow("99 Magic");
  });
});

function holds(one: Case): void {
  const printed: string[] = [];
  const { diagnostics, program } = compile({ name: `${one.name}.ein`, text: one.text });
  const result = program?.run({
    backend: "interpret",
    inputs: inputsOf(one, program),
    get: one.values.map(({ name }) => name),
    onPrint: ({ text }) => printed.push(...text.split("\n")),
  });
  const messages = [...diagnostics, ...(result?.fault ? [result.fault] : [])];
  expect(messages.map(summary), "messages").toEqual(
    one.messages.map((expected, at) => likeness(expected, messages[at])),
  );
  for (const { name, shown } of one.values) {
    const found = result?.values.get(name);
    expect(found && showTensor(found.value), name).toBe(shown);
  }
  if (one.printed) expect(printed, "printed").toEqual(one.printed);
}

function inputsOf(one: Case, program: CompiledProgram): ReadonlyMap<string, TensorValue> {
  return new Map(
    one.inputs.map(({ name, json }) => {
      const value = fromJson(
        JSON.parse(json),
        program.inputs.find((input) => input.name === name)?.dtype,
      );
      if (failed(value)) throw new Error(`input ${name}: ${value.error}`);
      return [name, value];
    }),
  );
}

function summary({ code, span, ...rest }: Diagnostic): string {
  const { line, column } = span ? positionOf(span.source, span.start) : { line: 0, column: 0 };
  return `${code} ${span ? `${line}:${column}` : "-"} ${wording(rest)}`;
}

function wording({
  title,
  text,
  labels,
  help,
}: Pick<Diagnostic, "title" | "text" | "labels" | "help">): string {
  return [title, text, ...labels.map((label) => label.text), help].filter(Boolean).join(" | ");
}

/** The summary that satisfies the expectation: the found wording if it has the expected part, else the part itself. */
function likeness({ code, at, part }: ExpectedMessage, found: Diagnostic | undefined): string {
  const said = found ? wording(found) : "";
  return `${code} ${at} ${said.includes(part) ? said : part}`;
}
