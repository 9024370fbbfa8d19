// The state of a program after each pass, as text: its run-time checks, its indexed form, and its
// plan.

import { kernelAbilities } from "../backends/wasm/engine.ts";
import type { CoreProgram, Parts } from "./core.ts";
import { describePlan } from "../plan/plan.ts";
import { printProgram } from "../print/print.ts";

type PassText = (parts: Parts, asked: readonly string[] | undefined) => string;

const passTexts: Readonly<Record<string, PassText>> = {
  checks: ({ analysis }) => analysis.checks.map((check) => check.text).join("\n"),
  ir: ({ program }) => printProgram(program),
  plan: ({ program, analysis }, asked) =>
    describePlan(program, analysis.schedules, asked, kernelAbilities()),
};

export const passes: readonly string[] = Object.keys(passTexts);

export function passText(
  program: CoreProgram,
  pass: string,
  asked: readonly string[] | undefined,
): string {
  const texts = program.variants().map((parts) => passTexts[pass]!(parts, asked));
  // If ranks come with the inputs, a run may need the checks of any variant.
  return pass === "checks" && program.inputs.some(({ shape }) => !shape)
    ? [...new Set(texts.flatMap((text) => text.split("\n")))].join("\n").trim()
    : (texts[0] ?? "");
}
