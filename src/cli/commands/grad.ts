// `ein grad`: prints the derived backward program, as Einlang source that runs.

import { compile } from "../../driver/compile.ts";
import { error } from "../../diagnostics/diagnostic.ts";
import { exitCode, type ExitCode } from "../io.ts";
import type { Task } from "../main.ts";
import { fail, show, warningsIn } from "../show/report.ts";
import { denominators } from "../settings.ts";

export function grad({ source, flags, json, io }: Task): ExitCode {
  const of = flags.value("of");
  const wrt = denominators(flags);
  if (of === undefined || wrt.length === 0) {
    const help = "write `ein grad FILE --of loss --wrt W,b`";
    return fail(
      [error("E0880", "`ein grad` needs `--of` and `--wrt`", undefined, { help })],
      exitCode.commandWrong,
      json,
      io,
    );
  }
  const { diagnostics, program } = compile(source);
  if (!program) return fail(diagnostics, exitCode.programWrong, json, io);
  const derived = program.grad(of, wrt);
  if ("diagnostics" in derived)
    return fail([...derived.diagnostics, ...diagnostics], exitCode.programWrong, json, io);
  if (json)
    io.out.write(`${JSON.stringify({ source: derived.source, ...warningsIn(diagnostics) })}\n`);
  else {
    show(diagnostics, io);
    io.out.write(derived.source);
  }
  return exitCode.fine;
}
