// Every derivative of a program is explained: the source of the explanation compiles and gives the
// gradient, the contributions add up to the cell, and TeX can set it.

import { expect } from "vitest";
import { holdsIn } from "../../explain/holds.ts";
import type { SuiteProgram } from "../programs.ts";
import type { Look } from "./look.ts";

const asks = ({ kind, text }: SuiteProgram): boolean => kind !== "found" && /@\w|@\(/.test(text);

export const explained: Look = {
  name: "its derivatives are explained",
  applies: asks,
  writes: true,
  look({ text, parts, inputs }) {
    if (!parts) return;
    const { problems, slowest } = holdsIn(parts, text, inputs);
    expect(problems).toEqual([]);
    expect(slowest).toBeLessThan(2000);
  },
};
