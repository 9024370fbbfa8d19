// `ein check`: everything that is wrong with a program, without running it.

import { compile } from "../compile.ts";
import { error } from "../diagnostics/diagnostic.ts";
import { modulesBeside } from "../host/node/modules.ts";
import { dumpPass } from "./dump.ts";
import { exitCode, type ExitCode } from "./io.ts";
import type { Task } from "./main.ts";
import { byLevel, fail, show } from "./report.ts";
import { FlagProblem } from "./settings.ts";

export function check({ source, flags, json, io }: Task): ExitCode {
  if (flags.has("grad")) {
    const title = "the numerical check of derivatives, `--grad`, is not built yet";
    return fail([error("E0190", title, undefined)], exitCode.programWrong, json, io);
  }
  const { diagnostics, program } = compile(source, { readModule: modulesBeside(source) });
  if (!program) return fail(diagnostics, exitCode.programWrong, json, io);
  const pass = flags.value("dump");
  try {
    if (pass !== undefined) dumpPass(program, pass, io);
  } catch (problem) {
    if (!(problem instanceof FlagProblem)) throw problem;
    return fail([problem.diagnostic, ...diagnostics], problem.exit, json, io);
  }
  if (json) io.out.write(`${JSON.stringify(byLevel(diagnostics))}\n`);
  else show(diagnostics, io);
  return exitCode.fine;
}
