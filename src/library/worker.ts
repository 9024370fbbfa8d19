// The thread in which programs run. It compiles a program for its first run and keeps it for later
// ones.

import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Printed } from "../backends/results.ts";
import type { Progress } from "../backends/progress.ts";
import { isInMemory } from "../backends/wasm/memory/arena.ts";
import type { Prepared, Recipe } from "./compile.ts";
import { loaded } from "./compile-async.ts";
import { EinError } from "./error.ts";
import { isNode } from "./host.ts";
import { runPrepared, type Inputs, type RunOptions, type Values } from "./program.ts";
import type { Value } from "./value.ts";

/** The task of the thread: one run. */
export interface Order {
  readonly recipe: Recipe;
  readonly inputs: Inputs;
  readonly options: Pick<RunOptions, "get" | "f64" | "maxMemory" | "trap">;
  readonly tellsProgress: boolean;
}

export type Report =
  | { readonly kind: "printed"; readonly printed: Printed }
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "done"; readonly values: Values }
  | { readonly kind: "refused"; readonly diagnostics: readonly Diagnostic[] }
  /** A defect of the compiler. */
  | { readonly kind: "failed"; readonly message: string };

interface Port {
  postMessage(report: Report, transfer?: readonly unknown[]): void;
}

/** Compiled programs by their recipes. Only the most recent ones are kept. */
const programs = new Map<string, Prepared>();
const mostPrograms = 32;

async function preparedFor(recipe: Recipe): Promise<Prepared> {
  const { source, declarations, open, backend, finite, modules } = recipe;
  const key = JSON.stringify([source, declarations, open, backend, finite, [...modules]]);
  let prepared = programs.get(key);
  programs.delete(key);
  prepared ??= await loaded(recipe, { derivatives: false });
  programs.set(key, prepared);
  if (programs.size > mostPrograms) programs.delete(programs.keys().next().value!);
  return prepared;
}

/** The least time between two reports of progress, in milliseconds. */
const pause = 30;

async function obey(port: Port, { recipe, inputs, options, tellsProgress }: Order): Promise<void> {
  let last = -Infinity;
  const onProgress = (progress: Progress): void => {
    const now = performance.now();
    if (now - last < pause) return;
    last = now;
    port.postMessage({ kind: "progress", progress });
  };
  try {
    const { values } = runPrepared(await preparedFor(recipe), inputs, {
      ...options,
      onPrint: (printed) => port.postMessage({ kind: "printed", printed }),
      ...(tellsProgress ? { onProgress } : {}),
    });
    port.postMessage({ kind: "done", values }, buffersOf(values));
  } catch (problem) {
    if (problem instanceof EinError)
      port.postMessage({ kind: "refused", diagnostics: problem.diagnostics });
    else
      port.postMessage({
        kind: "failed",
        message: problem instanceof Error ? problem.message : String(problem),
      });
  }
}

/** The buffers of the results, which are transferred without a copy. */
function buffersOf(values: Values): readonly unknown[] {
  const arrays = Object.values(values).flatMap(({ data }: Value) =>
    ArrayBuffer.isView(data) ? [data] : [],
  );
  return [...new Set(arrays.filter((data) => !isInMemory(data)).map(({ buffer }) => buffer))];
}

declare const performance: { now(): number };

interface Scope extends Port {
  addEventListener(type: "message", listener: (event: { readonly data: Order }) => void): void;
}

interface NodePort extends Port {
  on(event: "message", listener: (order: Order) => void): void;
}

if (isNode()) {
  const { process } = globalThis as unknown as {
    process: { getBuiltinModule(name: string): { parentPort: NodePort | null } };
  };
  const { parentPort } = process.getBuiltinModule("node:worker_threads");
  parentPort?.on("message", (order) => void obey(parentPort, order));
} else {
  const scope = globalThis as unknown as Scope;
  scope.addEventListener("message", ({ data }) => void obey(scope, data));
}
