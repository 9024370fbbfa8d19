// The program re-checked after each pass: in tests, and on the command line with `EIN_VERIFY=1`. A complaint is a mistake of the
// pass, whatever the source says, and is reported as one.

import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Program } from "./program.ts";
import { verify } from "./verify.ts";

/** One switch for the process, because every program that it compiles is meant. */
let watching = false;

export function watchPasses(on: boolean): void {
  watching = on;
}

/** What the pass has left malformed. */
export function brokenBy(pass: string, program: Program): readonly Diagnostic[] {
  if (!watching) return [];
  const help = "this is a mistake of the compiler: please report it with the program";
  return verify(program).map((complaint) => error("E0999", `${pass}: ${complaint}`, undefined, { help }));
}
