// The gradients of programs with choices agree with differences, and their printed programs
// compile.

import { expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { choices } from "./cost-choices.ts";

const errorsIn = (diagnostics: readonly Diagnostic[]): readonly string[] =>
  diagnostics
    .filter(({ level }) => level === "error")
    .map(({ code, title }) => `${code}: ${title}`);

test.each(Object.entries(choices))("%s", (_, text) => {
  const { program, diagnostics } = compile({ name: "choices.ein", text });
  expect(errorsIn(diagnostics)).toEqual([]);
  const reports = program!.checkGradients(new Map());
  expect(reports.length).toBeGreaterThan(0);
  expect(reports.filter(({ ok }) => !ok)).toEqual([]);
  const derived = program!.grad(
    reports[0]!.of,
    reports.map(({ wrt }) => wrt),
  );
  expect(derived).toHaveProperty("source");
  if ("source" in derived)
    expect(errorsIn(compile({ name: "derived.ein", text: derived.source }).diagnostics)).toEqual(
      [],
    );
});
