// The IR of a program, printed as source, compiles and gives the same values.

import { expect } from "vitest";
import { compile, type CompiledProgram } from "../../../src/driver/compile.ts";
import { showTensor } from "../../../src/scalar/values/show.ts";
import { complete, printProgram } from "../../../src/print/print.ts";
import { eachScalar, scalarsOf } from "../../../src/ir/parts.ts";
import type { Definition, HostAction, HostPart, Program, Scalar } from "../../../src/ir/program.ts";
import { functionsFrom } from "../../../src/ir/references.ts";
import { rootsOf } from "../../../src/ir/roots.ts";
import { reachable } from "../../../src/analyse/schedule.ts";
import type { Look } from "./look.ts";

export const printedWhole: Look = {
  name: "is the same program when it is printed and read again",
  isDeep: true,
  // The shown text of a derivative depends on the text of its program.
  applies: ({ kind, text }) => kind === "case" && !text.includes("print(@"),
  look({ program, parts }) {
    if (!program || !parts || hasNoNotation(parts.program)) return;
    const text = printProgram(parts.program, parts.analysis.schedules, complete);
    const { program: again, diagnostics } = compile({ name: "printed.ein", text });
    const problems = diagnostics.map(({ code, title }) => `${code}: ${title}`).join("\n");
    if (!again) throw new Error(`${problems}\nin\n${text}`);
    // The inputs of the host are absent here, so it is enough that the text compiles.
    if (program.inputs.length === 0) expect(outcome(again)).toMatchObject(outcome(program));
  },
};

/**
 * References to data, printed arrays of data, and effects of functions are printed for readers
 * only.
 */
function hasNoNotation(program: Program): boolean {
  const isOfData = ({ kind }: HostPart): boolean => kind === "each";
  const hasNone = (action: HostAction): boolean =>
    action.kind === "call" ||
    (action.kind === "print" && action.parts.some((parts) => parts.some(isOfData)));
  return program.actions.some(hasNone) || reachable(rootsOf(program)).some(usesData);
}

/** Structs and enums that a run passes by reference have no notation of their own. */
function usesData(definition: Definition): boolean {
  let isUsed = definition.element === "data";
  const look = (scalar: Scalar): void =>
    eachScalar(scalar, (part) => {
      isUsed ||= part.type === "data";
      if (part.kind !== "call") return;
      for (const { results } of functionsFrom(part.invocation.function))
        for (const result of results)
          eachScalar(result, ({ type }) => (isUsed ||= type === "data"));
    });
  definition.clauses.flatMap(scalarsOf).forEach(look);
  return isUsed;
}

/** All values of a program with their types, and its prints. */
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
