// Starts a worker from the text of a function and its argument: with `worker_threads` in Node, with
// a page's workers in a browser.

export type Stop = () => void;

interface NodeWorker {
  unref(): void;
  terminate(): unknown;
}

interface NodeProcess {
  getBuiltinModule?(name: "node:worker_threads"): {
    readonly Worker: new (text: string, options: { eval: true; workerData: unknown }) => NodeWorker;
  };
}

interface PageWorker {
  postMessage(message: unknown): void;
  terminate(): void;
}

interface Host {
  readonly process?: NodeProcess;
  readonly Worker?: new (url: string) => PageWorker;
  readonly Blob?: new (parts: readonly string[], options: { type: string }) => object;
  readonly URL?: { createObjectURL(blob: object): string };
  readonly crossOriginIsolated?: boolean;
  readonly SharedArrayBuffer?: unknown;
}

const host = globalThis as unknown as Host;

/** Whether this host lets threads share memory. */
export function canShareMemory(): boolean {
  if (host.SharedArrayBuffer === undefined) return false;
  return (
    host.process?.getBuiltinModule !== undefined ||
    (host.crossOriginIsolated === true && host.Worker !== undefined)
  );
}

export function startWorker(text: string, gifts: unknown): Stop | undefined {
  const threads = host.process?.getBuiltinModule?.("node:worker_threads");
  if (threads) {
    const start =
      `const { workerData } = process.getBuiltinModule("node:worker_threads"); ` +
      `${text}(workerData);`;
    const worker = new threads.Worker(start, { eval: true, workerData: gifts });
    // A waiting pool must not keep the process alive.
    worker.unref();
    return () => void worker.terminate();
  }
  const { Worker, Blob, URL } = host;
  if (!Worker || !Blob || !URL) return undefined;
  const source = new Blob([`onmessage = ({ data }) => ${text}(data);`], {
    type: "text/javascript",
  });
  const worker = new Worker(URL.createObjectURL(source));
  worker.postMessage(gifts);
  return () => worker.terminate();
}
