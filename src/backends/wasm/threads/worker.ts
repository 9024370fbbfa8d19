// What a worker of a pool does all its life: waits for the bell, installs functions, takes parts of jobs. It is sent to the worker as text, so
// it uses nothing but its arguments.

import type { places } from "./control.ts";

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

export function work({ memory, words, mailbox, places: at, patience, thread }: Gifts): never {
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

  const takeParts = (): void => {
    const parts = load(at.parts);
    const by = load(at.by);
    const calls: { run: (...args: readonly number[]) => void; rowsEach: number; args: number[]; slides: number[] }[] =
      [];
    for (let call = 0, word = at.firstCall; call < load(at.calls); call++) {
      const [number, rowsEach, count, sliding] = words.subarray(word, word + 4) as unknown as number[];
      const first = word + 4;
      const args = [...words.subarray(first, first + count!)];
      word = first + count! + sliding!;
      calls.push({
        run: functions[number!]!,
        rowsEach: rowsEach!,
        args,
        slides: [...words.subarray(first + count!, word)],
      });
    }
    for (let part = Atomics.add(words, at.next, 1); part < parts; part = Atomics.add(words, at.next, 1)) {
      const from = load(at.from) + part * by;
      const to = Math.min(load(at.to), from + by);
      for (const { run, rowsEach, args, slides } of calls) {
        const own =
          slides.length === 0 ? args : args.map((value, k) => value + (slides[k] ?? 0) * (thread * by - from));
        run(...own, from / rowsEach, Math.ceil(to / rowsEach));
      }
    }
  };

  let heard = load(at.bell);
  Atomics.add(words, at.started, 1);
  for (;;) {
    for (let look = 0; look < patience && load(at.bell) === heard; look++);
    while (load(at.bell) === heard) Atomics.wait(words, at.bell, heard);
    heard = load(at.bell);
    if (load(at.moduleBytes) > 0 && load(at.door) === 0) {
      if (functions[load(at.firstFunction)] === undefined) install();
      continue;
    }
    Atomics.add(words, at.inside, 1);
    try {
      if (load(at.door) !== 0) takeParts();
    } catch {
      Atomics.store(words, at.failed, 1);
      Atomics.store(words, at.next, 0x7fffff00);
    }
    if (Atomics.sub(words, at.inside, 1) === 1) Atomics.notify(words, at.inside);
  }
}
