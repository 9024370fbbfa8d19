// `ein check`: everything that is wrong with a program, without running it.

import { compile, type CompiledProgram } from "../compile.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { GradientReport } from "../explain/check-gradients.ts";
import { modulesBeside } from "../host/node/modules.ts";
import { dumpPass } from "./dump.ts";
import { exitCode, type ExitCode } from "./io.ts";
import type { Task } from "./main.ts";
import { byLevel, fail, show } from "./report.ts";
import { readInputs } from "./inputs.ts";
import { FlagProblem, readSettings } from "./settings.ts";

export function check(task: Task): ExitCode {
  const { source, flags, json, io } = task;
  const { diagnostics, program } = compile(source, { readModule: modulesBeside(source) });
  if (!program) return fail(diagnostics, exitCode.programWrong, json, io);
  const pass = flags.value("dump");
  try {
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

/** `--grad`: every derivative against differences; any failure makes the whole check fail. */
function checkDerivatives(
  { flags, json, io }: Task,
  program: CompiledProgram,
  diagnostics: readonly Diagnostic[],
): ExitCode {
  const reports = program.checkGradients(readInputs({ ...readSettings(flags), f64: true }, program.inputs));
  const exit = reports.every((report) => report.ok) ? exitCode.fine : exitCode.programWrong;
  if (json) {
    io.out.write(`${JSON.stringify({ ...byLevel(diagnostics), gradients: reports.map(asJson) })}\n`);
    return exit;
  }
  show(diagnostics, io);
  for (const report of reports) io.out.write(`${line(report)}\n`);
  if (reports.length === 0) io.out.write("there are no derivatives to check\n");
  return exit;
}

function asJson({ of, wrt, line, ok, error, adjoint, skipped, worst, term }: GradientReport): object {
  const size = Number.isFinite(error) ? error : "Infinity";
  return { of, wrt, line, ok, error: size, adjoint, skipped, ...worst, ...(term === undefined ? {} : { term }) };
}

function line({ of, wrt, line, ok, error, adjoint, skipped, worst, term, why }: GradientReport): string {
  const name = `line ${line}: @${of} / @${wrt}`;
  const modes = adjoint === null ? "" : `, forward and reverse mode agree to ${adjoint.toExponential(1)}`;
  if (why !== undefined) return `${name}  ${ok ? "skipped" : "failed"}: ${why}${ok ? modes : ""}`;
  const cells = skipped > 0 ? `, ${skipped} cells skipped` : "";
  if (ok) return `${name}  agrees with differences to ${error.toExponential(1)}${modes}${cells}`;
  const at = worst && worst.cell.length > 0 ? ` at [${worst.cell.join(", ")}]` : "";
  const found = worst
    ? `DIFFERS${at}: derived ${worst.derived}, measured ${worst.measured}`
    : `DIFFERS: forward and reverse mode are ${adjoint?.toExponential(1)} apart`;
  return `${name}  ${found}${cells}${term === undefined ? "" : `; first wrong at ${term}`}`;
}
