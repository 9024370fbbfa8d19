// `--dump PASS`: the program after one of the compiler's passes, on standard error.

import type { CompiledProgram } from "../../driver/compile.ts";
import { error } from "../../diagnostics/diagnostic.ts";
import { didYouMean } from "../../diagnostics/suggest.ts";
import { optimiserPasses } from "../../plan/print.ts";
import { ruleNames } from "../../plan/rules.ts";
import { exitCode, type Io } from "../io.ts";
import { commandProblem, FlagProblem } from "../settings.ts";

/** Writes the dump, or throws what is wrong with asking for it. */
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
      `the passes are ${names}, and the optimiser's rules ` +
      `${ruleNames.map((name) => `\`${name}\``).join(", ")}`;
    throw commandProblem(
      `there is no pass named \`${pass}\` to dump`,
      didYouMean(pass, [...program.passes, ...optimiserPasses]) ?? list,
    );
  }
  // A run that is asked for nothing would have no plan: then it is the plan of all there is.
  const text = program.dump(pass, asked) || program.dump(pass);
  writeDump(text, io);
}

/** What there is to show, and nothing where there is nothing: an empty list of checks is empty. */
export function writeDump(text: string, io: Io): void {
  if (text !== "") io.err.write(text.endsWith("\n") ? text : `${text}\n`);
}

/**
 * Whether a pass shows what the optimiser does, which only a run knows: it rewrites once sizes are
 * numbers.
 */
export function isOptimisers(pass: string): boolean {
  return optimiserPasses.includes(pass);
}
