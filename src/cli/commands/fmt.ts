// `ein fmt`: writes a program in the standard layout, to its file or to standard output.

import { error, isError } from "../../diagnostics/diagnostic.ts";
import { writeAtomically } from "../../host/node/files.ts";
import { format } from "../../syntax/format/format.ts";
import { parse } from "../../syntax/parse/parser.ts";
import { exitCode, type ExitCode } from "../io.ts";
import type { Task } from "../main.ts";
import { fail } from "../show/report.ts";

export function fmt({ source, place, flags, io }: Task): ExitCode {
  const { module, diagnostics } = parse(source);
  if (diagnostics.some(isError)) return fail(diagnostics, exitCode.programWrong, false, io);
  const formatted = format(module);
  const changed = formatted !== source.text;
  if (flags.has("check")) {
    if (changed) io.err.write(`${source.name} is not in the standard layout\n`);
    return changed ? exitCode.programWrong : exitCode.fine;
  }
  if (place.kind !== "file") {
    io.out.write(formatted);
    return exitCode.fine;
  }
  if (!changed) return exitCode.fine;
  const written = writeAtomically(place.path, formatted);
  if (written.ok) return exitCode.fine;
  const problem = error("E0882", `cannot write \`${place.path}\`: ${written.why}`, undefined);
  return fail([problem], exitCode.commandWrong, false, io);
}
