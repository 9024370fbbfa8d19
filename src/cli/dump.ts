// `--dump PASS`: the program after one of the compiler's passes, on standard error.

import type { CompiledProgram } from "../compile.ts";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import type { Io } from "./io.ts";

/** Writes the dump, or says why there is none. */
export function dumpPass(program: CompiledProgram, pass: string, io: Io): Diagnostic | undefined {
  if (program.passes.includes(pass)) {
    const text = program.dump(pass);
    io.err.write(text.endsWith("\n") ? text : `${text}\n`);
    return undefined;
  }
  const names = program.passes.map((name) => `\`${name}\``).join(", ");
  const help = didYouMean(pass, program.passes) ?? `the passes are ${names}`;
  return error("E0880", `there is no pass named \`${pass}\` to dump`, undefined, { help });
}
