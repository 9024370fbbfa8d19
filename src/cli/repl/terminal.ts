// A session at a terminal, with prompts, history, completion and Ctrl-C. The computation runs in
// another thread.

import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { complete } from "../../repl/complete.ts";
import { emptyReader, isOpen, readLine, type Reader } from "../../repl/reader.ts";
import type { Vocabulary } from "../../repl/vocabulary.ts";
import { exitCode, type ExitCode, type Io } from "../io.ts";
import { packageVersion } from "../package.ts";
import { addToHistory, historyPath, historySize, oneLine, readHistory } from "./history.ts";
import { fromHome, newState, type SessionSettings } from "./interpreter.ts";
import { newThread } from "./thread.ts";

const prompt = "ein> ";
const continuation = "...> ";

export function atTerminal(
  begin: readonly string[],
  settings: SessionSettings,
  io: Io,
): Promise<ExitCode> {
  const history = historyPath(io.env);
  let reader: Reader = emptyReader;
  /** Lines that came during a computation. */
  let waiting: string[] = [...begin];
  /** How many of the waiting lines come from the command line and not from the keyboard. */
  let untyped = begin.length;
  let isBusy = false;
  let isClosed = false;
  /** The array from which the line editor recalls entries. */
  let recalled: string[] = [];

  io.out.write(`Einlang ${packageVersion()}. \`:help\` lists the commands, Ctrl-D leaves.\n`);
  return new Promise((resolve) => {
    const leave = (code: ExitCode = exitCode.fine): void => {
      isClosed = true;
      void thread.close();
      process.removeListener("SIGINT", interrupt);
      lines.close();
      resolve(code);
    };
    const thread = newThread({ settings, env: { ...io.env }, state: newState(settings) }, io, {
      done: (leaves) => {
        isBusy = false;
        if (leaves) leave();
        else goOn();
      },
      lost: () => leave(exitCode.programWrong),
    });

    const lines = createInterface({
      input: process.stdin,
      output: process.stdout,
      terminal: true,
      history: readHistory(history),
      historySize,
      removeHistoryDuplicates: true,
      prompt,
      completer: (before: string) => completions(thread.vocabulary(), before, reader, io.env),
    });

    const ask = (): void => {
      lines.setPrompt(isOpen(reader) ? continuation : prompt);
      lines.prompt();
    };
    /** Takes the waiting lines, then shows the prompt. */
    const goOn = (): void => {
      for (
        let line = waiting.shift();
        line !== undefined;
        line = isBusy ? undefined : waiting.shift()
      )
        take(line);
      if (isBusy) return;
      if (isClosed) leave();
      else ask();
    };
    const take = (line: string): void => {
      const before = reader;
      const { text, reader: after } = readLine(before, line);
      reader = after;
      if (text === undefined) return;
      remember(before, line);
      isBusy = true;
      thread.submit(text, io.out.columns);
    };
    /** Adds an entry to the history. An entry of several lines becomes one line. */
    const remember = (before: Reader, line: string): void => {
      if (untyped-- > 0) return;
      const all = [...before.lines, line];
      const joined = before.isBlock ? undefined : oneLine(all);
      if (joined !== undefined && all.length > 1) recalled.splice(0, all.length, joined);
      for (const each of joined === undefined ? all : [joined]) addToHistory(history, each);
    };
    const interrupt = (): void => {
      if (isBusy) {
        waiting = [];
        io.out.write("^C\n");
        thread.stop();
        isBusy = false;
      } else {
        reader = emptyReader;
        dropLine(lines);
      }
      goOn();
    };

    lines.on("history", (entries: string[]) => (recalled = entries));
    lines.on("line", (line) => {
      waiting.push(line);
      if (!isBusy) goOn();
    });
    lines.on("SIGINT", interrupt);
    process.on("SIGINT", interrupt);
    lines.on("close", () => {
      if (isClosed) return;
      isClosed = true;
      // Ctrl-D leaves the cursor after the prompt.
      if (!isBusy) io.out.write("\n");
      goOn();
    });
    goOn();
  });
}

/**
 * Clears the typed line but leaves it readable above the new prompt. The editor has this method,
 * although its types do not mention it.
 */
function dropLine(lines: object): void {
  (lines as { clearLine: () => void }).clearLine();
}

function completions(
  vocabulary: Vocabulary,
  before: string,
  { lines }: Reader,
  env: Io["env"],
): [string[], string] {
  const found = complete(vocabulary, before, lines.join("\n"));
  if ("words" in found) return [[...found.words], found.replaced];
  const path = fromHome(found.path, env);
  return [paths(path), basename(`${path}_`).slice(0, -1)];
}

/** The names in the folder of the path that begin like its last part. */
function paths(path: string): string[] {
  const start = basename(`${path}_`).slice(0, -1);
  const folder = path.endsWith("/") ? path : dirname(path || ".");
  try {
    return readdirSync(path === start ? "." : folder, { withFileTypes: true })
      .filter(
        ({ name }) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")),
      )
      .map((each) => (each.isDirectory() ? join(each.name, "/") : each.name))
      .sort();
  } catch {
    return [];
  }
}
