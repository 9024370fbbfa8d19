// What a worker of a pool does all its life: waits for the bell, installs functions, takes parts of jobs. It is sent to the worker as text, so
// it uses nothing but its arguments.

import type { places } from "./control.ts";
import type { call as Call, ReadyCall, runPart, takeParts } from "./part.ts";

interface Gifts {
  readonly memory: unknown;
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly mailbox: Uint8Array<SharedArrayBuffer>;
  readonly places: typeof places;
  readonly patience: number;
  /** Which of the threads it is. */
  readonly thread: number;
}

interface Host {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
  };
}

export function work(
  { memory, words, mailbox, places: at, patience, thread }: Gifts,
  take: typeof takeParts,
  run: typeof runPart,
  call: typeof Call,
): never {
  const { Module, Instance } = (globalThis as unknown as Host).WebAssembly;
  const functions: ((...args: readonly number[]) => void)[] = [];
  const load = (place: number): number => Atomics.load(words, place);

  const install = (): void => {
    try {
      const instance = new Instance(new Module(mailbox.slice(0, load(at.moduleBytes))), { host: { memory } });
      for (let k = 0; k < load(at.functionCount); k++)
        functions[load(at.firstFunction) + k] = instance.exports[String(k)] as never;
    } catch {
      Atomics.store(words, at.failed, 1);
    }
    Atomics.add(words, at.installed, 1);
    Atomics.notify(words, at.installed);
  };

  /** The calls of a part, their arguments ready but for the two ends of the part. */
  const readCalls = (): readonly ReadyCall[] => {
    const calls: ReadyCall[] = [];
    for (let left = load(at.calls), word = at.firstCall; left > 0; left--) {
      const count = words[word + 2]!;
      const sliding = words[word + 3]!;
      const first = word + 4;
      const args: number[] = [];
      const slides: number[] = [];
      for (let k = 0; k < count; k++) args.push(words[first + k]!);
      for (let k = 0; k < sliding; k++) slides.push(words[first + count + k]!);
      calls.push({ call: functions[words[word]!]!, rowsEach: words[word + 1]!, args, own: [...args, 0, 0], slides });
      word = first + count + sliding;
    }
    return calls;
  };

  const takeOwn = (): void => {
    const [by, start, end] = [load(at.by), load(at.from), load(at.to)];
    const calls = readCalls();
    take(words, at, { thread, threads: load(at.threads), parts: load(at.parts) }, (part) => {
      const from = start + part * by;
      run(calls, { thread, from, to: Math.min(end, from + by), by }, call);
    });
  };

  let heard = load(at.bell);
  Atomics.add(words, at.started, 1);
  for (;;) {
    for (let look = 0; look < patience && load(at.bell) === heard; look++);
    if (load(at.bell) === heard) {
      Atomics.add(words, at.asleep, 1);
      while (load(at.bell) === heard) Atomics.wait(words, at.bell, heard);
      Atomics.sub(words, at.asleep, 1);
    }
    heard = load(at.bell);
    if (load(at.moduleBytes) > 0 && load(at.door) === 0) {
      if (functions[load(at.firstFunction)] === undefined) install();
      continue;
    }
    Atomics.add(words, at.inside, 1);
    try {
      if (load(at.door) !== 0) takeOwn();
    } catch {
      Atomics.store(words, at.failed, 1);
      for (let k = 0; k < load(at.threads); k++) Atomics.store(words, at.firstShare + k * at.shareWords, 0x3fffffff);
    }
    if (Atomics.sub(words, at.inside, 1) === 1) Atomics.notify(words, at.inside);
  }
}
