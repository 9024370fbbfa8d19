// `--dump PASS`: the program after one of the compiler's passes, on standard error.

import type { CompiledProgram } from "../../driver/compile.ts";
import { error } from "../../diagnostics/diagnostic.ts";
import { didYouMean } from "../../diagnostics/suggest.ts";
import { optimiserPasses } from "../../plan/print.ts";
import { ruleNames } from "../../plan/rules.ts";
import { exitCode, type Io } from "../io.ts";
import { commandProblem, FlagProblem } from "../settings.ts";

/** Writes the dump. Throws a `FlagProblem` if there is nothing to dump. */
export function dumpPass(
  program: CompiledProgram,
  pass: string,
  io: Io,
  asked?: readonly string[],
): void {
  if (isOptimisers(pass)) {
    const title =
      `\`${pass}\` can only be dumped by a run: ` +
      "the optimiser rewrites programs once sizes are numbers";
    throw commandProblem(title, `\`ein run --dump ${pass}\``);
  }
  const unranked = program.inputs.find(({ shape }) => !shape);
  if (unranked && "diagnostics" in program.partsFor(new Map())) {
    const title = `nothing can be dumped: the rank of the input \`${unranked.name}\` is not known`;
    const help =
      "run the program with its value, or declare its axes: " +
      `\`input ${unranked.name}: [${unranked.dtype}; …];\``;
    throw new FlagProblem(error("E0801", title, undefined, { help }), exitCode.programWrong);
  }
  if (!program.passes.includes(pass)) {
    const names = [...program.passes, "optimise"].map((name) => `\`${name}\``).join(", ");
    const list =
      `the passes are ${names}, and the optimiser's ` +
      `rules ${ruleNames.map((name) => `\`${name}\``).join(", ")}`;
    throw commandProblem(
      `there is no pass named \`${pass}\` to dump`,
      didYouMean(pass, [...program.passes, ...optimiserPasses]) ?? list,
    );
  }
  // A run that computes nothing has no plan. The dump then shows the plan of the whole program.
  const text = program.dump(pass, asked) || program.dump(pass);
  writeDump(text, io);
}

/** Writes a dump that is not empty. */
export function writeDump(text: string, io: Io): void {
  if (text !== "") io.err.write(text.endsWith("\n") ? text : `${text}\n`);
}

/**
 * Whether a pass belongs to the optimiser. The optimiser works on numeric sizes, so only a run can
 * show its passes.
 */
export function isOptimisers(pass: string): boolean {
  return optimiserPasses.includes(pass);
}
