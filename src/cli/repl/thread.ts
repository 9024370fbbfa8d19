// The other side of the computing thread: hands it tasks, shows what it writes, and when it is
// stopped starts another that knows all that was bound.

import { Worker } from "node:worker_threads";
import { changed } from "../../repl/changes.ts";
import type { Vocabulary } from "../../repl/vocabulary.ts";
import { error } from "../../diagnostics/diagnostic.ts";
import type { Io } from "../io.ts";
import { stackSizeMb } from "../larger-stack.ts";
import { show } from "../show/report.ts";
import type { Report, Start, Task } from "./worker.ts";

export interface Thread {
  /** The words that mean something after the last task. */
  readonly vocabulary: () => Vocabulary;
  readonly submit: (text: string, columns: number) => void;
  /** Ends what is being computed; the bindings stay. */
  readonly stop: () => void;
  readonly close: () => Promise<void>;
}

export interface Listener {
  /** A task is over. */
  readonly done: (leaves: boolean) => void;
  /** There is no thread to go on with. */
  readonly lost: () => void;
}

export function newThread(start: Start, io: Io, listener: Listener): Thread {
  let { state } = start;
  /** A thread that ends by itself while it has nothing to do would do so again. */
  let isBusy = false;
  let worker = begin();

  function begin(): Worker {
    const made = new Worker(workerFile(), {
      workerData: { ...start, state } satisfies Start,
      resourceLimits: { stackSizeMb },
    });
    made.on("message", (report: Report) => {
      if (made === worker) hear(report);
    });
    // Out of memory, or something else that no thread survives: the session does.
    made.on("error", (problem) => {
      if (made === worker) perished(problem.message);
    });
    return made;
  }

  function hear(report: Report): void {
    switch (report.kind) {
      case "write":
        return io[report.stream].write(report.text);
      case "done":
        isBusy = false;
        state = { ...report.state, session: changed(state.session, report.changes) };
        return listener.done(report.leaves);
      case "failed":
        isBusy = false;
        internalError(report.message, io);
        return listener.done(false);
      default:
        report satisfies never;
    }
  }

  function perished(message: string): void {
    if (!isBusy) {
      internalError(message, io);
      return listener.lost();
    }
    isBusy = false;
    worker = begin();
    if (/memory/i.test(message))
      show([error("E0805", "the computation needs more memory than there is", undefined)], io);
    else internalError(message, io);
    listener.done(false);
  }

  return {
    vocabulary: () => state.vocabulary,
    submit: (text, columns) => {
      isBusy = true;
      const task: Task = { text, columns };
      // The rule is about windows, which have origins; threads have none.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage(task);
    },
    stop: () => {
      isBusy = false;
      const old = worker;
      worker = begin();
      void old.terminate();
    },
    close: async () => {
      await worker.terminate();
    },
  };
}

function internalError(message: string, io: Io): void {
  const help =
    "this is a mistake in Einlang, not in your program: " +
    "please report it with the entry that shows it";
  show([error("E0999", `internal error: ${message}`, undefined, { help })], io);
}

/** Built beside the command. */
function workerFile(): URL {
  return new URL("./repl-worker.js", entryPoint());
}

/** The parts of the build that are loaded on demand lie in a folder below it. */
function entryPoint(): URL {
  const own = new URL(import.meta.url);
  return /\/ein\/[^/]*$/.test(own.pathname) ? new URL("../", own) : own;
}
