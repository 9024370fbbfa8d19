// Verifies the program after each pass: in tests, and on the command line with `EIN_VERIFY=1`. A
// complaint is a mistake of the pass, whatever the source says.

import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Program } from "./program.ts";

/**
 * Gives a sentence for each rule that a program breaks. The verifier is handed in, so that the
 * compiler does not import it where nobody verifies.
 */
export type Verifier = (program: Program) => readonly string[];

/** One verifier for the whole process, because all programs of a process are verified alike. */
let verifier: Verifier | undefined;

export function watchPasses(by: Verifier | undefined): void {
  verifier = by;
}

/** The rules that a program breaks after a pass, as mistakes of the compiler. */
export function brokenBy(pass: string, program: Program): readonly Diagnostic[] {
  if (!verifier) return [];
  const help = "this is a mistake of the compiler: please report it with the program";
  return verifier(program).map((complaint) =>
    error("E0999", `${pass}: ${complaint}`, undefined, { help }),
  );
}
