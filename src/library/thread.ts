// Runs on other threads: a few workers, each with one run at a time.

import type { Recipe } from "./compile.ts";
import { EinError } from "./error.ts";
import { consoleOf, isNode } from "./host.ts";
import type { AsyncOptions, Values } from "./program.ts";
import type { Value } from "./value.ts";
import type { Order, Report } from "./worker.ts";

/** The parts of a worker that Node and browsers share. */
interface Worker {
  postMessage(order: Order, transfer: readonly unknown[]): void;
  terminate(): unknown;
}

interface Listener {
  readonly hear: (report: Report) => void;
  /** Called if the thread ends by itself: out of memory, or it could not be loaded. */
  readonly lost: (why: string) => void;
}

/** A worker, and the listener of its current run. */
interface Thread {
  readonly worker: Worker;
  listener: Listener | undefined;
  /** Sets whether the process waits for the thread. */
  readonly hold: (isHeld: boolean) => void;
}

const idle: Thread[] = [];
const waiting: (() => void)[] = [];
let running = 0;
/** Further runs wait for a free thread. */
const mostThreads = 4;

/** Runs a program on another thread. The cells of the inputs are transferred to it. */
export function runInThread(
  recipe: Recipe,
  inputs: Readonly<Record<string, Value>>,
  { signal, onPrint, onProgress, get, f64, maxMemory, trap }: AsyncOptions,
): Promise<Values> {
  const order: Order = {
    recipe,
    inputs,
    options: {
      ...(get ? { get } : {}),
      ...(f64 === undefined ? {} : { f64 }),
      ...(maxMemory === undefined ? {} : { maxMemory }),
      ...(trap ? { trap } : {}),
    },
    tellsProgress: onProgress !== undefined,
  };
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    let thread: Thread | undefined;
    let isOver = false;
    const finish = (settle: () => void): void => {
      isOver = true;
      signal?.removeEventListener("abort", stop);
      if (thread) leave(thread);
      settle();
    };
    const giveUp = (why: unknown): void => {
      // A listener may have ended the run before it throws.
      if (isOver) return;
      isOver = true;
      signal?.removeEventListener("abort", stop);
      if (thread) end(thread);
      else waiting.splice(waiting.indexOf(begin), 1);
      reject(why);
    };
    const stop = (): void => giveUp(signal!.reason);
    /** Calls a listener. If the listener throws, the run ends with its error. */
    const tell = (listener: () => void): void => {
      try {
        listener();
      } catch (problem) {
        giveUp(problem);
      }
    };
    const hear = (report: Report): void => {
      switch (report.kind) {
        case "printed":
          return tell(() =>
            onPrint ? onPrint(report.printed) : consoleOf()?.log(report.printed.text),
          );
        case "progress":
          return tell(() => onProgress?.(report.progress));
        case "done":
          return finish(() => resolve(report.values));
        case "refused":
          return finish(() => reject(new EinError(report.diagnostics)));
        case "failed":
          return finish(() => reject(new Error(report.message)));
        default:
          return report satisfies never;
      }
    };
    const lost = (why: string): void =>
      giveUp(new Error(`the thread of the run has ended: ${why}`));
    const begin = (): void => {
      running++;
      thread = idle.pop() ?? newThread();
      thread.listener = { hear, lost };
      thread.hold(true);
      const cells = Object.values(inputs).flatMap(({ data }) =>
        ArrayBuffer.isView(data) ? [data.buffer] : [],
      );
      try {
        thread.worker.postMessage(order, cells);
      } catch (problem) {
        giveUp(problem);
      }
    };
    signal?.addEventListener("abort", stop);
    if (running < mostThreads) begin();
    else waiting.push(begin);
  });
}

/** Ends a run and makes its thread free. */
function leave(thread: Thread): void {
  thread.listener = undefined;
  thread.hold(false);
  idle.push(thread);
  running--;
  waiting.shift()?.();
}

/** Stops a thread, whatever it is doing. */
function end(thread: Thread): void {
  thread.listener = undefined;
  void thread.worker.terminate();
  running--;
  waiting.shift()?.();
}

interface NodeWorker extends Worker {
  on(event: "message", listener: (report: Report) => void): void;
  on(event: "error", listener: (problem: Error) => void): void;
  ref(): void;
  unref(): void;
}

interface WebWorker extends Worker {
  addEventListener(type: "message", listener: (event: { readonly data: Report }) => void): void;
  addEventListener(type: "error", listener: (event: { readonly message?: string }) => void): void;
}

interface URL {
  readonly href: string;
}

declare const Worker: new (url: URL, options: { readonly type: "module" }) => WebWorker;
declare const URL: new (path: string, base: string) => URL;

function newThread(): Thread {
  return isNode() ? nodeThread() : webThread();
}

function nodeThread(): Thread {
  const { process } = globalThis as unknown as {
    process: {
      getBuiltinModule(name: string): {
        Worker: new (url: URL, options: { execArgv: string[] }) => NodeWorker;
      };
    };
  };
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  // Flags of the process, such as `--input-type`, are not meant for the thread.
  const worker = new Worker(new URL("./worker.ts", (import.meta as Meta).url), { execArgv: [] });
  const thread: Thread = {
    worker,
    listener: undefined,
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
  };
  worker.on("message", (report) => thread.listener?.hear(report));
  worker.on("error", ({ message }) => thread.listener?.lost(message));
  return thread;
}

function webThread(): Thread {
  // Bundlers recognise a worker by exactly this form.
  const worker = new Worker(new URL("./worker.ts", (import.meta as Meta).url), { type: "module" });
  const thread: Thread = { worker, listener: undefined, hold: () => undefined };
  worker.addEventListener("message", ({ data }) => thread.listener?.hear(data));
  worker.addEventListener("error", ({ message }) =>
    thread.listener?.lost(message ?? "it could not be loaded"),
  );
  return thread;
}

interface Meta {
  readonly url: string;
}
