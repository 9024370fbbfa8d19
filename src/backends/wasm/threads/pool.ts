// A pool of workers over the kernels' memory, which outlives every run. The calling thread takes
// parts like the workers, so nothing waits for a worker that gets no time from the machine.

import { mailboxBytes, mostWords, over, places, waits } from "./control.ts";
import {
  call,
  everyStep,
  oneStep,
  readyCalls,
  runPart,
  takeParts,
  takeTogether,
  type PartCall,
  type ReadyCall,
  type Span,
  type Stepping,
  type Steps,
} from "./part.ts";
import { startWorker, type Stop } from "./start.ts";
import { WorkerFault } from "./worker-fault.ts";
import { work } from "./worker.ts";

export interface Pool {
  /**
   * Makes calls on every part of the rows, each part `by` rows long, on all threads, step by step.
   * `numbers` are the numbers of the calls' functions. The answer is false if the calls need more
   * words than there is room for.
   */
  run(
    calls: readonly PartCall[],
    numbers: readonly number[],
    rows: Span,
    by: number,
    steps?: Steps,
  ): boolean;
  /** Whether the pool can run functions already. */
  isReady(): boolean;
  /**
   * Gives the functions of a module to all workers. The result is the number of the first function.
   */
  install(bytes: Uint8Array, functions: number): number | undefined;
  stop(): void;
}

/** After so long, a worker that does not answer is taken for lost. */
const mostWaitMs = 60_000;

export function newPool(memory: unknown, workers: number): Pool | undefined {
  const words = new Int32Array(new SharedArrayBuffer(4 * (places.firstShare + workers + 1)));
  const mailbox = new Uint8Array(new SharedArrayBuffer(mailboxBytes));
  const gifts = { memory, words, mailbox, places, waits, over };
  const tools = [takeParts, takeTogether, runPart, call].map((tool) => tool.toString());
  const text = `((gifts) => (${work.toString()})(gifts, ${tools.join()}))`;
  const stops: Stop[] = [];
  for (let k = 0; k < workers; k++) {
    const stop = startWorker(text, { ...gifts, thread: k + 1 });
    if (stop) stops.push(stop);
  }
  if (stops.length === 0) return undefined;
  const load = (place: number): number => Atomics.load(words, place);
  const store = (place: number, value: number): void => void Atomics.store(words, place, value);
  const ring = (): void => {
    Atomics.add(words, places.bell, 1);
    if (load(places.asleep) > 0) Atomics.notify(words, places.bell);
  };
  /** Waits until a word has a value that `isDone` accepts. */
  const until = (place: number, isDone: (value: number) => boolean): void => {
    for (let look = 0; look < waits.patience; look++) if (isDone(load(place))) return;
    const limit = Date.now() + mostWaitMs;
    for (let value = load(place); !isDone(value); value = load(place)) {
      if (Date.now() > limit) throw new WorkerFault("a worker does not answer");
      waitFor(words, place, value);
    }
  };
  const threads = workers + 1;
  store(places.threads, threads);
  const handOut = (handedOut: number): void => {
    for (let k = 0; k < threads; k++) store(places.firstShare + k, handedOut);
  };
  /** Writes a word if it differs, and says how many words have changed. */
  const put = (word: number, value: number): number => {
    if (words[word] === value) return 0;
    words[word] = value;
    return 1;
  };
  /**
   * Writes the calls of a job, before the door is open. The answer is the number of words that have
   * changed, or `undefined` if there is no room for the calls.
   */
  const write = (calls: readonly PartCall[], numbers: readonly number[]): number | undefined => {
    let room = 0;
    for (const { args, slides, stepping = everyStepAlike } of calls)
      room +=
        places.headWords + args.length + slides.length + places.moveWords * stepping.moves.length;
    if (room > mostWords) return undefined;
    let word: number = places.firstCall;
    let changed = put(places.calls, calls.length);
    calls.forEach(({ rowsEach, args, slides, stepping = everyStepAlike }, k) => {
      changed += put(word++, numbers[k]!);
      changed += put(word++, rowsEach);
      changed += put(word++, stepping.from);
      changed += put(word++, stepping.to);
      changed += put(word++, args.length);
      changed += put(word++, slides.length);
      changed += put(word++, stepping.moves.length);
      for (const value of args) changed += put(word++, value);
      for (const value of slides) changed += put(word++, value);
      for (const { argument, by, window } of stepping.moves) {
        changed += put(word++, argument);
        changed += put(word++, by);
        changed += put(word++, window?.steps ?? 0);
        changed += put(word++, window?.first ?? 0);
        changed += put(word++, window?.direction ?? 0);
        changed += put(word++, window?.bytes ?? 0);
      }
    });
    return changed;
  };
  let ready: readonly ReadyCall[] = [];
  let functions = 0;
  return {
    isReady: () => load(places.started) === stops.length,
    install(bytes, count) {
      if (bytes.length > mailboxBytes) return undefined;
      mailbox.set(bytes);
      const first = functions;
      store(places.firstFunction, first);
      store(places.functionCount, count);
      store(places.moduleBytes, bytes.length);
      store(places.installed, 0);
      // From here on workers read these words. None of the words changes until all workers have
      // installed the module.
      Atomics.add(words, places.installs, 1);
      ring();
      until(places.installed, (done) => done === stops.length);
      if (load(places.failed) !== 0) throw new WorkerFault("a worker could not install a kernel");
      functions += count;
      return first;
    },
    run(calls, numbers, { from, to }, by, steps = oneStep) {
      const changed = write(calls, numbers);
      if (changed === undefined) return false;
      if (changed > 0) {
        words[places.job]!++;
        ready = readyCalls(calls);
      }
      const parts = Math.ceil((to - from) / by);
      if (steps.areTogether && parts * calls.length * (steps.to - steps.from) >= over) return false;
      put(places.firstStep, steps.from);
      put(places.endStep, steps.to);
      put(places.from, from);
      put(places.to, to);
      put(places.by, by);
      put(places.parts, parts);
      put(places.together, steps.areTogether ? 1 : 0);
      store(places.done, 0);
      store(places.alone, 0);
      handOut(0);
      store(places.door, 1);
      ring();
      let hasFailed = false;
      try {
        const sharer = { thread: 0, threads, parts };
        const runSteps = (selected: readonly ReadyCall[], part: number, span: Span): void => {
          const start = from + part * by;
          runPart(
            selected,
            { thread: 0, from: start, to: Math.min(to, start + by), by, steps: span },
            call,
          );
        };
        if (!steps.areTogether)
          takeParts(words, places, sharer, (part) => runSteps(ready, part, steps));
        else {
          const singly = ready.map((each) => [each]);
          takeTogether(
            words,
            places,
            sharer,
            { calls: calls.length, steps },
            waits,
            (part, number, step) => runSteps(singly[number]!, part, { from: step, to: step + 1 }),
          );
        }
      } finally {
        // Whatever happened, nobody may be left inside.
        handOut(over);
        store(places.done, over);
        store(places.door, 0);
        until(places.inside, (count) => count === 0);
        hasFailed = Atomics.exchange(words, places.failed, 0) !== 0;
      }
      if (hasFailed) throw new WorkerFault("a call failed in a worker");
      return true;
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** The stepping of a call that is made in every step in the same way. */
const everyStepAlike: Stepping = { ...everyStep, moves: [] };

/** Sleeps while a word has a value, if the host lets this thread sleep. */
function waitFor(words: Int32Array<SharedArrayBuffer>, place: number, value: number): void {
  try {
    Atomics.wait(words, place, value, 100);
  } catch {
    // A browser does not let the main thread sleep: it goes on looking.
  }
}
