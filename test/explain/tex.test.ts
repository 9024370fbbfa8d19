// The errors that `texProblem` finds. `test/suite` applies it to explanations.

import { describe, expect, test } from "vitest";
import { texProblem } from "./tex-problems.ts";

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
