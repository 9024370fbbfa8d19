// The errors that the library throws: messages about a program or its inputs, in the same form as
// at a terminal.

import type { Code } from "../diagnostics/codes.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { renderText } from "../diagnostics/render-text.ts";

/**
 * A program that is wrong, a value that does not fit, or a run that failed. `message` shows the
 * code frames.
 */
export class EinError extends Error {
  /** All messages, ordered by place. */
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((diagnostic) => renderText(diagnostic, { color: false })).join("\n\n"));
    this.name = "EinError";
    this.diagnostics = diagnostics;
  }

  /** The code of the first message, such as `E0304`; `docs/errors` has a page on each. */
  get code(): Code {
    return this.diagnostics[0]!.code;
  }
}

/** The error for a program that is wrong, without its warnings. */
export function refused(diagnostics: readonly Diagnostic[]): EinError {
  return new EinError(diagnostics.filter(({ level }) => level === "error"));
}
