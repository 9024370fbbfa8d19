// The IR of a program, printed as source, compiles and gives the same values.

import { expect } from "vitest";
import { compile, type CompiledProgram } from "../../../src/driver/compile.ts";
import { usesData } from "../../../src/explain/source/derived-source.ts";
import { showTensor } from "../../../src/scalar/values/show.ts";
import { complete, printProgram } from "../../../src/print/print.ts";
import type { HostAction, HostPart, Program } from "../../../src/ir/program.ts";
import { rootsOf } from "../../../src/ir/roots.ts";
import { reachable } from "../../../src/analyse/schedule.ts";
import type { Look } from "./look.ts";

export const printedWhole: Look = {
  name: "is the same program when it is printed and read again",
  isDeep: true,
  // What a shown derivative says depends on the very text that it is derived from.
  applies: ({ kind, text }) => kind === "case" && !text.includes("print(@"),
  look({ program, parts }) {
    if (!program || !parts || hasNoNotation(parts.program)) return;
    const text = printProgram(parts.program, parts.analysis.schedules, complete);
    const { program: again, diagnostics } = compile({ name: "printed.ein", text });
    const problems = diagnostics.map(({ code, title }) => `${code}: ${title}`).join("\n");
    if (!again) throw new Error(`${problems}\nin\n${text}`);
    // The inputs of the host are not at hand here: that the text compiles has to do.
    if (program.inputs.length === 0) expect(outcome(again)).toMatchObject(outcome(program));
  },
};

/**
 * Data by reference, arrays of data that are shown, and effects of functions are printed for
 * reading only.
 */
function hasNoNotation(program: Program): boolean {
  const isOfData = ({ kind }: HostPart): boolean => kind === "each";
  const hasNone = (action: HostAction): boolean =>
    action.kind === "call" ||
    (action.kind === "print" && action.parts.some((parts) => parts.some(isOfData)));
  return program.actions.some(hasNone) || reachable(rootsOf(program)).some(usesData);
}

/** Everything a program shows: its values with their types, and what it prints. */
function outcome(program: CompiledProgram): Record<string, string> {
  const lines: string[] = [];
  const { values, fault } = program.run({ onPrint: ({ text }) => lines.push(text) });
  const shown = [...values].map(([name, { value }]) => [
    name,
    `${value.dtype} ${value.shape.join("x")} ${showTensor(value)}`,
  ]);
  return {
    ...(Object.fromEntries(shown) as Record<string, string>),
    "(printed)": lines.join("\n"),
    "(fault)": fault?.title ?? "none",
  };
}
