// Generated JavaScript has the same bits, prints and faults as the oracle's closures: as the
// backend `js`, and in the oracle, which generates JavaScript for long definitions.

import { expect } from "vitest";
import { runProgram } from "../../../src/run/run.ts";
import type { Parts } from "../../../src/driver/core.ts";
import { showTensor } from "../../../src/scalar/values/show.ts";
import { compareForms, type Inputs } from "../../backends/compare.ts";
import { canRun } from "../programs.ts";
import type { Look } from "./look.ts";

export const asJavaScript: Look = {
  name: "computes the same as JavaScript",
  isDeep: true,
  applies: canRun,
  look({ parts, inputs }) {
    if (!parts) return;
    expect(compareForms(parts, inputs)).toEqual([]);
    expect(outcome(parts, inputs, 0)).toEqual(outcome(parts, inputs, Infinity));
  },
};

/** Runs with JavaScript for every definition of at least this many cells. */
function outcome(
  { program, analysis }: Parts,
  inputs: Inputs,
  written: number,
): Record<string, string> {
  const lines: string[] = [];
  const onPrint = ({ text }: { readonly text: string }): void => void lines.push(text);
  const { values, fault } = runProgram(program, analysis, { inputs, onPrint }, written);
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
