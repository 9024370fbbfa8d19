// What the commands show: diagnostics, values, progress and pictures. What a command does is in
// `commands`.
//
// How a command reports diagnostics: text with code frames on standard error, or one JSON object.

import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { toJson } from "../../diagnostics/render-json.ts";
import { renderAllText, renderText } from "../../diagnostics/render-text.ts";
import { wantsColour, type ExitCode, type Io } from "../io.ts";
import { isError } from "../../diagnostics/diagnostic.ts";

/** Reports a failure and gives back the exit code. */
export function fail(
  diagnostics: readonly Diagnostic[],
  exit: ExitCode,
  json: boolean,
  io: Io,
  printed: readonly string[] = [],
): ExitCode {
  if (json) io.out.write(`${JSON.stringify({ ...byLevel(diagnostics), printed })}\n`);
  else show(diagnostics, io);
  return exit;
}

/** Writes diagnostics as text. With several, a last line counts them. */
export function show(diagnostics: readonly Diagnostic[], io: Io): void {
  if (diagnostics.length === 0) return;
  const options = {
    color: wantsColour(io.err, io.env),
    ...(io.err.isTerminal ? { width: io.err.columns } : {}),
  };
  const [first] = diagnostics;
  const text =
    diagnostics.length === 1 && first
      ? renderText(first, options)
      : renderAllText(diagnostics, options);
  io.err.write(`${text}\n`);
}

export function byLevel(diagnostics: readonly Diagnostic[]) {
  return {
    errors: diagnostics.filter(isError).map(toJson),
    warnings: diagnostics.filter((diagnostic) => !isError(diagnostic)).map(toJson),
  };
}

/** The property `warnings` of a JSON object, or nothing if there are none. */
export function warningsIn(diagnostics: readonly Diagnostic[]): object {
  const { warnings } = byLevel(diagnostics);
  return warnings.length > 0 ? { warnings } : {};
}
