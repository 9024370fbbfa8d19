// One thread of the measurement of the machine's limits: how fast 128-bit vectors multiply and add,
// and how fast memory is copied.

import { parentPort, workerData } from "node:worker_threads";

export interface Limits {
  readonly flopsPerMs: number;
  readonly bytesPerMs: number;
}

/** The part of WebAssembly that this file uses. The types of Node do not describe it. */
interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => {
    readonly exports: { readonly spin: (repeat: number) => void };
  };
}
const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: Wasm };

const { budgetMs } = workerData as { readonly budgetMs: number };
parentPort!.postMessage({ flopsPerMs: arithmetic(), bytesPerMs: copying() } satisfies Limits);

/**
 * Measures independent chains of multiplications and additions: enough to fill the pipelines, and
 * few enough to stay in registers.
 */
function arithmetic(): number {
  const chains = 6;
  const repeat = 20_000;
  const { exports } = new wasm.Instance(new wasm.Module(chainsModule(chains)));
  const { spin } = exports;
  // Many short calls let the optimising compiler take over. One long call would stay in the
  // baseline compiler.
  return bestRate(() => spin(repeat), repeat * chains * 2 * 4);
}

function copying(): number {
  const from = new Float32Array(2 ** 24).fill(1);
  const to = new Float32Array(2 ** 24).fill(2);
  return bestRate(() => to.set(from), 2 * from.byteLength);
}

function bestRate(work: () => void, amount: number): number {
  const end = performance.now() + budgetMs;
  let best = 0;
  while (performance.now() < end) {
    const start = performance.now();
    let runs = 0;
    do {
      work();
      runs++;
    } while (performance.now() - start < 5);
    best = Math.max(best, (runs * amount) / (performance.now() - start));
  }
  return best;
}

/**
 * The module of `spin(n)`: n times, every chain of the first half is multiplied, and every chain of
 * the second half is added to.
 */
function chainsModule(chains: number): Uint8Array<ArrayBuffer> {
  const vector = 0x7b;
  const get = (local: number): number[] => [0x20, local];
  const set = (local: number): number[] => [0x21, local];
  const mul = [0xfd, 0xe6, 0x01];
  const add = [0xfd, 0xe4, 0x01];
  const constant = 1;
  const chain = (at: number): number => 2 + at;
  const step = (at: number): number[] => [
    ...get(chain(at)),
    ...get(constant),
    ...(at < chains ? mul : add),
    ...set(chain(at)),
  ];
  // 1.0 in each lane. Products of 1.0 keep the chains unchanged.
  const one = [0x43, 0x00, 0x00, 0x80, 0x3f, 0xfd, 0x13];
  const loop = [0x03, 0x40];
  const again = [...get(0), 0x41, 0x01, 0x6b, 0x22, 0x00, 0x0d, 0x00, 0x0b];
  const preamble = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
  const body = [
    ...one,
    ...set(constant),
    ...loop,
    ...Array.from({ length: 2 * chains }, (_, at) => step(at)).flat(),
    ...again,
    // The chains are stored, so that no compiler removes them.
    ...Array.from({ length: 2 * chains }, (_, at) => [
      0x41,
      0x00,
      ...get(chain(at)),
      0xfd,
      0x0b,
      0x04,
      0x00,
    ]).flat(),
    0x0b,
  ];
  const code = [0x01, 1 + 2 * chains, vector, ...body];
  const section = (id: number, bytes: readonly number[]): number[] => [
    id,
    ...leb(bytes.length),
    ...bytes,
  ];
  return Uint8Array.from([
    ...preamble,
    ...section(1, [1, 0x60, 1, 0x7f, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [1, 4, ...Buffer.from("spin"), 0, 0]),
    ...section(10, [1, ...leb(code.length), ...code]),
  ]);
}

function leb(n: number): number[] {
  return n < 128 ? [n] : [(n & 127) | 128, ...leb(n >>> 7)];
}
