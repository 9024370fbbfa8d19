// The program re-checked after each pass: in tests, and on the command line with `EIN_VERIFY=1`. A
// complaint is a mistake of the pass, whatever the source says, and is reported as one.

import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Program } from "./program.ts";

/**
 * What is malformed in a program, in words: `verify`, brought by whoever wants it, because programs
 * are compiled without it otherwise.
 */
export type Verifier = (program: Program) => readonly string[];

/** One for the process, because every program that it compiles is meant. */
let verifier: Verifier | undefined;

export function watchPasses(by: Verifier | undefined): void {
  verifier = by;
}

/** What the pass has left malformed. */
export function brokenBy(pass: string, program: Program): readonly Diagnostic[] {
  if (!verifier) return [];
  const help = "this is a mistake of the compiler: please report it with the program";
  return verifier(program).map((complaint) =>
    error("E0999", `${pass}: ${complaint}`, undefined, { help }),
  );
}
