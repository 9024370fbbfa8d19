// Every explanation of an example as TeX that closes what it opens.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { explanationTex } from "../../src/explain/explanation-tex.ts";
import { collectCases } from "../cases/collect.ts";
import { texProblem } from "./tex-problems.ts";

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const programs = [
  ...readdirSync(folder("../../examples"))
    .filter((file) => file.endsWith(".ein"))
    .map((file) => [file, readFileSync(folder(`../../examples/${file}`), "utf8")] as const),
  ...collectCases(folder("../cases"))
    .filter(({ name }) => name.startsWith("09-"))
    .map(({ name, text }) => [name, text] as const),
].filter(([, text]) => text.includes("@"));

describe("what TeX would refuse", () => {
  test.each([
    ["a {b", "{ is never closed"],
    ["$h^{(2)}_{i}^{2}$", "double superscript"],
    ["x_1", "_ outside of mathematics"],
    ["$\\left(a$", "\\left is never closed"],
    ["\\begin{center}a\\end{tabular}", "\\end{tabular} closes nothing"],
    ["50 # of it", "a bare #"],
  ])("%s", (text, problem) => {
    expect(texProblem(text)).toBe(problem);
  });
});

test.each(programs)("%s", (name, text) => {
  const { program } = compile({ name, text });
  for (const explanation of program?.explain(undefined, {}) ?? []) {
    if ("diagnostics" in explanation) continue;
    expect(texProblem(explanationTex(explanation))).toBeUndefined();
  }
});
