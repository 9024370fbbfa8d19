// The life of a worker in a pool: it waits for the bell, installs functions, and takes parts of
// jobs. The function is sent to the worker as text, so it uses nothing but its arguments.

import type { places, waits } from "./control.ts";
import type {
  call as Call,
  Move,
  ReadyCall,
  runPart,
  Span,
  takeParts,
  takeTogether,
} from "./part.ts";

interface Gifts {
  readonly memory: unknown;
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly mailbox: Uint8Array<SharedArrayBuffer>;
  readonly places: typeof places;
  readonly waits: typeof waits;
  readonly over: number;
  /** The number of this thread. */
  readonly thread: number;
}

interface Host {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (
      module: object,
      imports: object,
    ) => { readonly exports: Readonly<Record<string, unknown>> };
  };
}

export function work(
  { memory, words, mailbox, places: at, waits, over, thread }: Gifts,
  take: typeof takeParts,
  takeAll: typeof takeTogether,
  run: typeof runPart,
  call: typeof Call,
): never {
  const { Module, Instance } = (globalThis as unknown as Host).WebAssembly;
  const functions: ((...args: readonly number[]) => void)[] = [];
  const load = (place: number): number => Atomics.load(words, place);

  const install = (): void => {
    try {
      const instance = new Instance(new Module(mailbox.slice(0, load(at.moduleBytes))), {
        host: { memory },
      });
      for (let k = 0; k < load(at.functionCount); k++)
        functions[load(at.firstFunction) + k] = instance.exports[String(k)] as never;
    } catch {
      Atomics.store(words, at.failed, 1);
    }
    Atomics.add(words, at.installed, 1);
    Atomics.notify(words, at.installed);
  };

  const readMoves = (first: number, count: number): readonly Move[] => {
    const moves: Move[] = [];
    for (let word = first; word < first + at.moveWords * count; word += at.moveWords) {
      const [argument, by, steps] = [words[word]!, words[word + 1]!, words[word + 2]!];
      const window = {
        steps,
        first: words[word + 3]!,
        direction: words[word + 4]!,
        bytes: words[word + 5]!,
      };
      moves.push(steps > 0 ? { argument, by, window } : { argument, by });
    }
    return moves;
  };

  /** The calls of a job, with all arguments but the two ends of a part. */
  const readCalls = (): readonly ReadyCall[] => {
    const found: ReadyCall[] = [];
    for (let left = load(at.calls), word = at.firstCall; left > 0; left--) {
      const kernel = functions[words[word]!]!;
      const rowsEach = words[word + 1]!;
      const [from, to] = [words[word + 2]!, words[word + 3]!];
      const endOfArgs = word + at.headWords + words[word + 4]!;
      const endOfSlides = endOfArgs + words[word + 5]!;
      const moving = words[word + 6]!;
      const args: number[] = [];
      const slides: number[] = [];
      for (word += at.headWords; word < endOfArgs; word++) args.push(words[word]!);
      for (; word < endOfSlides; word++) slides.push(words[word]!);
      const ready = { call: kernel, rowsEach, args, own: [...args, 0, 0], slides };
      found.push(
        moving === 0 ? ready : { ...ready, stepping: { from, to, moves: readMoves(word, moving) } },
      );
      word += at.moveWords * moving;
    }
    return found;
  };

  let job = load(at.job) - 1;
  let calls: readonly ReadyCall[] = [];
  let singly: readonly (readonly ReadyCall[])[] = [];

  const takeJobParts = (): void => {
    if (load(at.job) !== job) {
      job = load(at.job);
      calls = readCalls();
      singly = calls.map((each) => [each]);
    }
    const [by, start, end] = [load(at.by), load(at.from), load(at.to)];
    const steps = { from: load(at.firstStep), to: load(at.endStep) };
    const sharer = { thread, threads: load(at.threads), parts: load(at.parts) };
    const runSteps = (selected: readonly ReadyCall[], part: number, span: Span): void => {
      const from = start + part * by;
      run(selected, { thread, from, to: Math.min(end, from + by), by, steps: span }, call);
    };
    if (load(at.together) === 0)
      return take(words, at, sharer, (part) => runSteps(calls, part, steps));
    takeAll(words, at, sharer, { calls: calls.length, steps }, waits, (part, number, step) =>
      runSteps(singly[number]!, part, { from: step, to: step + 1 }),
    );
  };

  let installs = 0;
  let heard = load(at.bell);
  Atomics.add(words, at.started, 1);
  for (;;) {
    for (let look = 0; look < waits.patience && load(at.bell) === heard; look++);
    if (load(at.bell) === heard) {
      Atomics.add(words, at.asleep, 1);
      while (load(at.bell) === heard) Atomics.wait(words, at.bell, heard);
      Atomics.sub(words, at.asleep, 1);
    }
    heard = load(at.bell);
    if (load(at.installs) !== installs) {
      installs++;
      install();
      continue;
    }
    Atomics.add(words, at.inside, 1);
    try {
      if (load(at.door) !== 0) takeJobParts();
    } catch {
      Atomics.store(words, at.failed, 1);
      Atomics.store(words, at.done, over);
      for (let k = 0; k < load(at.threads); k++) Atomics.store(words, at.firstShare + k, over);
    }
    if (Atomics.sub(words, at.inside, 1) === 1) Atomics.notify(words, at.inside);
  }
}
