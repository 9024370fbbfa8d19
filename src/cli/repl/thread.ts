// The terminal's side of the computing thread: submits tasks and shows what they write. After a
// stop it starts a new thread with all bindings.

import { Worker } from "node:worker_threads";
import { changed } from "../../repl/changes.ts";
import type { Vocabulary } from "../../repl/vocabulary.ts";
import { error } from "../../diagnostics/diagnostic.ts";
import type { Io } from "../io.ts";
import { stackSizeMb } from "../larger-stack.ts";
import { show } from "../show/report.ts";
import type { Report, Start, Task } from "./worker.ts";

interface Thread {
  /** The words that completion knows after the last task. */
  readonly vocabulary: () => Vocabulary;
  readonly submit: (text: string, columns: number) => void;
  /** Ends the computation. The bindings stay. */
  readonly stop: () => void;
  readonly close: () => Promise<void>;
}

interface Listener {
  /** Called at the end of a task. */
  readonly done: (leaves: boolean) => void;
  /** Called if no thread can go on. */
  readonly lost: () => void;
}

export function newThread(start: Start, io: Io, listener: Listener): Thread {
  let { state } = start;
  /**
   * Whether a task is running. If a thread ends while idle, a new one would end too, so the session
   * is lost.
   */
  let isBusy = false;
  let worker = begin();

  function begin(): Worker {
    const thread = new Worker(workerFile(), {
      workerData: { ...start, state } satisfies Start,
      resourceLimits: { stackSizeMb },
    });
    thread.on("message", (report: Report) => {
      if (thread === worker) hear(report);
    });
    // The thread is out of memory, or has ended in another way. The session goes on in a new
    // thread.
    thread.on("error", (problem) => {
      if (thread === worker) perished(problem.message);
    });
    return thread;
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
      // The rule is meant for windows, which have origins. Threads have none.
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

/** The file of the worker, which the build puts beside the command. */
function workerFile(): URL {
  return new URL("./repl-worker.js", entryPoint());
}

/**
 * The file of the command. The parts of the build that are loaded on demand lie in a folder below
 * it.
 */
function entryPoint(): URL {
  const own = new URL(import.meta.url);
  return /\/ein\/[^/]*$/.test(own.pathname) ? new URL("../", own) : own;
}
