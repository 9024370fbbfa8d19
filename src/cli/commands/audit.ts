// `ein audit`: lists every broadcast of a program with the sum in its backward program that answers
// it, and prints the lints about gradients.

import { compile } from "../../driver/compile.ts";
import { auditText } from "../../explain/audit/audit-text.ts";
import { modulesBeside } from "../../host/node/modules.ts";
import { exitCode, type ExitCode } from "../io.ts";
import type { Task } from "../main.ts";
import { byLevel, fail, show } from "../show/report.ts";
import { styleFor } from "../show/style.ts";

export function audit({ source, json, io }: Task): ExitCode {
  const { diagnostics, program } = compile(source, {
    open: true,
    readModule: modulesBeside(source),
  });
  if (!program) return fail(diagnostics, exitCode.programWrong, json, io);
  const found = program.audit();
  const all = [...diagnostics, ...found.lints];
  if (json) {
    const { broadcasts, shared } = found;
    io.out.write(`${JSON.stringify({ broadcasts, shared, warnings: byLevel(all).warnings })}\n`);
    return exitCode.fine;
  }
  show(all, io);
  io.out.write(auditText(found, styleFor(io)));
  return exitCode.fine;
}
