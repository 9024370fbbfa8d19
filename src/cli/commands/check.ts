// `ein check`: reports everything that is wrong with a program, without running it.

import { compile, type CompiledProgram } from "../../driver/compile.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { GradientReport } from "../../explain/check/check-gradients.ts";
import { gradientTable } from "../../explain/check/gradient-table.ts";
import { modulesBeside } from "../../host/node/modules.ts";
import { dumpPass } from "./dump.ts";
import { exitCode, type ExitCode } from "../io.ts";
import type { Task } from "../main.ts";
import { withPrintedRequests } from "../show/printed-requests.ts";
import { byLevel, fail, show } from "../show/report.ts";
import { readInputs } from "../inputs.ts";
import { checkFlags, FlagProblem, readSettings } from "../settings.ts";
import { styleFor } from "../show/style.ts";

export function check(task: Task): ExitCode {
  const { source, flags, json, io } = task;
  const { diagnostics, program } = compile(source, { readModule: modulesBeside(source) });
  if (!program) return fail(diagnostics, exitCode.programWrong, json, io);
  const pass = flags.value("dump");
  try {
    checkFlags(flags, [
      {
        when: !flags.has("grad"),
        idle: ["in", "set"],
        because: "without `--grad` nothing is computed",
      },
    ]);
    if (pass !== undefined) dumpPass(program, pass, io);
    if (flags.has("grad")) return checkDerivatives(task, program, diagnostics);
  } catch (problem) {
    if (!(problem instanceof FlagProblem)) throw problem;
    return fail([problem.diagnostic, ...diagnostics], problem.exit, json, io);
  }
  if (json) io.out.write(`${JSON.stringify(byLevel(diagnostics))}\n`);
  else show(diagnostics, io);
  return exitCode.fine;
}

/**
 * `--grad`: compares every derivative with differences. If one of them fails, the whole check
 * fails.
 */
function checkDerivatives(
  { source, flags, json, io }: Task,
  program: CompiledProgram,
  diagnostics: readonly Diagnostic[],
): ExitCode {
  const whole =
    compile(withPrintedRequests(source), { readModule: modulesBeside(source) }).program ?? program;
  const reports = whole.checkGradients(
    readInputs({ ...readSettings(flags), f64: true }, program.inputs),
  );
  const exit = reports.every((report) => report.ok) ? exitCode.fine : exitCode.programWrong;
  if (json) {
    io.out.write(
      `${JSON.stringify({ ...byLevel(diagnostics), gradients: reports.map(asJson) })}\n`,
    );
    return exit;
  }
  show(diagnostics, io);
  io.out.write(gradientTable(reports, styleFor(io)));
  return exit;
}

function asJson({
  of,
  wrt,
  line,
  shape,
  ok,
  error,
  adjoint,
  skipped,
  worst,
  term,
  why,
  help,
}: GradientReport): object {
  const size = error === null || Number.isFinite(error) ? error : String(error);
  const more = {
    ...(shape ? { shape } : {}),
    ...worst,
    ...(term === undefined ? {} : { term }),
    ...(why === undefined ? {} : { why }),
    ...(help === undefined ? {} : { help }),
  };
  return { of, wrt, line, ok, error: size, adjoint, skipped, ...more };
}
