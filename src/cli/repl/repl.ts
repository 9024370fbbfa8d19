// The prompt in a process: terminals, pipes, threads and files. What an entry means is in
// `src/repl`.
//
// `ein repl`: a session at a terminal, or one whose lines come from a pipe.

import { createInterface } from "node:readline";
import { isatty } from "node:tty";
import { emptyReader, readLine, rest } from "../../repl/reader.ts";
import type { Flags, ProgramPlace } from "../arguments.ts";
import { exitCode, type ExitCode, type Io } from "../io.ts";
import { fail } from "../show/report.ts";
import { commandProblem, FlagProblem, readSettings } from "../settings.ts";
import { newState, submit, type Interpreter, type SessionSettings } from "./interpreter.ts";

export async function repl(
  beginning: ProgramPlace | undefined,
  flags: Flags,
  io: Io,
): Promise<ExitCode> {
  try {
    const { files, scalars, f64, trap, maxMemory } = readSettings(flags);
    const settings: SessionSettings = { files, scalars, f64, trap, maxMemory };
    const begin = beginning === undefined ? [] : [firstEntry(beginning)];
    if (!isatty(0) || !io.out.isTerminal) return await piped(begin, settings, io);
    const { atTerminal } = await import("./terminal.ts");
    return await atTerminal(begin, settings, io);
  } catch (problem) {
    if (!(problem instanceof FlagProblem)) throw problem;
    return fail([problem.diagnostic], problem.exit, false, io);
  }
}

function firstEntry(beginning: ProgramPlace): string {
  switch (beginning.kind) {
    case "file":
      return `:load ${beginning.path}`;
    case "text":
      return beginning.text;
    case "standard input":
      throw commandProblem("a session reads standard input anyway", "leave out `-`");
    default:
      return beginning satisfies never;
  }
}

/** A session without prompt and colours. The exit code says whether every entry was right. */
async function piped(
  begin: readonly string[],
  settings: SessionSettings,
  io: Io,
): Promise<ExitCode> {
  const interpreter: Interpreter = { ...newState(settings), settings, io };
  let isRight = true;
  const does = (text: string): boolean => {
    const { ok, leaves } = submit(interpreter, text);
    isRight &&= ok;
    return !leaves;
  };
  const exit = (): ExitCode => (isRight ? exitCode.fine : exitCode.programWrong);
  for (const text of begin) if (!does(text)) return exit();
  const lines = createInterface({ input: process.stdin, terminal: false, crlfDelay: Infinity });
  let reader = emptyReader;
  for await (const line of lines) {
    const read = readLine(reader, line);
    reader = read.reader;
    if (read.text !== undefined && !does(read.text)) return exit();
    // Node delivers signals between turns of the event loop. Buffered lines would otherwise be read
    // in one turn.
    await new Promise(setImmediate);
  }
  const left = rest(reader);
  if (left !== undefined) does(left);
  return exit();
}
