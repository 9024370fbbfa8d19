// A literate case gives the expected values, prints and messages on the oracle.

import { expect } from "vitest";
import type { Compiled } from "../../../src/driver/compile.ts";
import type { Diagnostic } from "../../../src/diagnostics/diagnostic.ts";
import { showTensor } from "../../../src/scalar/values/show.ts";
import { positionOf } from "../../../src/base/source.ts";
import type { Inputs } from "../../backends/compare.ts";
import type { Case, ExpectedMessage } from "../../cases/case.ts";
import type { Look } from "./look.ts";

export const asExpected: Look = {
  name: "its values, prints and messages are those expected",
  applies: ({ kind }) => kind === "case",
  look: ({ expected, compiled, inputs }) => holds(expected!, compiled, inputs),
};

export function holds(one: Case, { diagnostics, program }: Compiled, inputs: Inputs): void {
  const printed: string[] = [];
  const result = program?.run({
    backend: "interpret",
    inputs,
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

/** The expected summary, with the found wording if that contains the expected part. */
function likeness({ code, at, part }: ExpectedMessage, found: Diagnostic | undefined): string {
  const said = found ? wording(found) : "";
  return `${code} ${at} ${said.includes(part) ? said : part}`;
}
