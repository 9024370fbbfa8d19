// Every derivative that a program asks for is explained: the source of the explanation compiles and
// gives the gradient, contributions add up to the cell, and TeX can be set.

import { expect } from "vitest";
import { explanationTex } from "../../../src/explain/explanation-tex.ts";
import { holdsIn } from "../../explain/holds.ts";
import { texProblem } from "../../explain/tex-problems.ts";
import type { SuiteProgram } from "../programs.ts";
import type { Look } from "./look.ts";

const asks = ({ kind, text }: SuiteProgram): boolean => kind !== "found" && /@\w|@\(/.test(text);

export const explained: Look = {
  name: "its derivatives are explained",
  applies: asks,
  look({ text, parts, inputs }) {
    if (!parts) return;
    const { problems, slowest } = holdsIn(parts, text, inputs);
    expect(problems).toEqual([]);
    expect(slowest).toBeLessThan(2000);
  },
};

export const inTex: Look = {
  name: "its explanations are TeX that closes what it opens",
  applies: (one) => asks(one) && (one.kind === "example" || one.name.startsWith("09-")),
  look({ program }) {
    for (const explanation of program?.explain(undefined, {}) ?? []) {
      if ("diagnostics" in explanation) continue;
      expect(texProblem(explanationTex(explanation))).toBeUndefined();
    }
  },
};
