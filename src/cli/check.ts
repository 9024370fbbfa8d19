// `ein check`: everything that is wrong with a program, without running it.

import { compile } from "../compile.ts";
import { error } from "../diagnostics/diagnostic.ts";
import { dumpPass } from "./dump.ts";
import { exitCode, type ExitCode } from "./io.ts";
import type { Task } from "./main.ts";
import { byLevel, fail, isError, show } from "./report.ts";

export function check({ source, flags, json, io }: Task): ExitCode {
  if (flags.has("grad")) {
    const title = "the numerical check of derivatives, `--grad`, is not built yet";
    return fail([error("E0190", title, undefined)], exitCode.programWrong, json, io);
  }
  const { diagnostics, program } = compile(source);
  if (!program || diagnostics.some(isError)) return fail(diagnostics, exitCode.programWrong, json, io);
  const pass = flags.value("dump");
  const problem = pass === undefined ? undefined : dumpPass(program, pass, io);
  if (problem) return fail([problem], exitCode.commandWrong, json, io);
  if (json) io.out.write(`${JSON.stringify(byLevel(diagnostics))}\n`);
  else show(diagnostics, io);
  return exitCode.fine;
}
