// The bars that the benchmarks must meet: how many times as fast as the best peer of a family a row
// must be, and how long it may take.

import type { Contest, Line } from "./contest.ts";
import type { Family } from "./contenders.ts";

export type Bar =
  /** At least `times` as fast as the best of the named peers. */
  | {
      readonly kind: "ratio";
      readonly rows: readonly string[];
      readonly threads: number;
      readonly against: readonly string[];
      readonly times: number;
      /** Compiled programs, or eager tensors. */
      readonly who: "ours" | "eager";
    }
  /** At most `times` as long as another row. */
  | { readonly kind: "growth"; readonly row: string; readonly of: string; readonly times: number }
  /** Under this many milliseconds. */
  | { readonly kind: "limit"; readonly row: string; readonly ms: number };

export interface Verdict {
  readonly text: string;
  readonly wanted: string;
  readonly got: string;
  readonly met: boolean | undefined;
}

const web = ["jax-js", "tfjs-wasm", "ort-web"];
const native = ["numpy", "torch"];
const gemms = ["gemm-256", "gemm-512", "gemm-1024"];

const ratio = (
  threads: number,
  against: readonly string[],
  times: number,
  ...rows: readonly string[]
): Bar => {
  return { kind: "ratio", rows, threads, against, times, who: "ours" };
};

const eager = (times: number, ...rows: readonly string[]): Bar => {
  return { kind: "ratio", rows, threads: 1, against: ["tfjs-wasm"], times, who: "eager" };
};

export const bars: readonly Bar[] = [
  ratio(1, ["jax-js", "tfjs-wasm"], 8, "tanh-chain"),
  ratio(1, ["jax-js", "tfjs-wasm"], 6, "sum"),
  ratio(1, ["jax-js", "tfjs-wasm"], 5, "norm-both"),
  ratio(1, ["jax-js", "tfjs-wasm"], 12, "heat"),
  ratio(1, ["jax-js", "tfjs-wasm"], 8, "rnn-both"),
  ratio(1, ["numpy"], 1, "prefix-sums"),
  // From text to first result: at most 1.3 times as long.
  ratio(1, ["jax-js"], 0.77, "compile"),
  ratio(2, ["jax-js"], 0.77, "compile"),
  { kind: "growth", row: "mlp-step", of: "mlp-forward", times: 3.5 },
  { kind: "growth", row: "conv-both", of: "conv-forward", times: 3.5 },
  { kind: "growth", row: "norm-both", of: "norm-forward", times: 3.5 },
  { kind: "growth", row: "rnn-both", of: "rnn-forward", times: 3.5 },
  { kind: "growth", row: "attention-both", of: "attention-forward", times: 3.5 },
  { kind: "growth", row: "transformer-step", of: "transformer-forward", times: 4 },
  { kind: "growth", row: "embedding", of: "embedding-forward", times: 4 },
  { kind: "growth", row: "tiny-both", of: "tiny-forward", times: 4 },
  { kind: "limit", row: "tiny", ms: 0.005 },
  { kind: "limit", row: "compile", ms: 40 },
  { kind: "limit", row: "compile-transformer", ms: 250 },
  eager(1, "tiny", "tiny-both"),
  eager(4, "mlp-step", "transformer-step"),
  ...pair(1.6, 0.45, ...gemms),
  ...pair(3, 0.5, "gemm-64"),
  ...pair(2.2, 0.55, "mlp-step"),
  ...pair(3.5, 0.45, "conv-weight"),
  ...pair(8, 1, "norm-both"),
  ...pair(20, 0.9, "rnn-both"),
  ...pair(25, 2.5, "heat"),
  ...pair(10, 1.8, "tanh-chain"),
  ...pair(10, 0.7, "sum"),
  ...pair(1.5, 0.3, "mlp-forward", "conv-forward", "conv-both", "norm-forward", "rnn-forward"),
  ...pair(1.5, 0.3, "attention-forward", "attention-both", "transformer-step", "batched-matmul"),
  ...pair(1.5, 0.3, "embedding", "cholesky", "prefix-sums"),
];

/**
 * The two bars of a row on two threads: against peers in JavaScript and WebAssembly, and against
 * native peers.
 */
function pair(
  againstWeb: number,
  againstNative: number,
  ...rows: readonly string[]
): readonly Bar[] {
  return rows.flatMap((row) => [
    ratio(2, web, againstWeb, row),
    ratio(2, native, againstNative, row),
  ]);
}

/** Judges the bars whose rows were run. `met` is `undefined` if no peer can be compared with. */
export function judge(contest: Contest): readonly Verdict[] {
  const find = (id: string, threads: number): Line | undefined =>
    contest.lines.find(({ row, threads: of }) => row.id === id && of === threads);
  return bars.flatMap((bar): readonly Verdict[] => {
    switch (bar.kind) {
      case "ratio":
        return bar.rows.flatMap((id) => {
          const line = find(id, bar.threads);
          return line ? [judgeRatio(bar, line)] : [];
        });
      case "growth": {
        const [whole, part] = [find(bar.row, 1), find(bar.of, 1)];
        if (!whole || !part) return [];
        const text = `${bar.row} against ${bar.of}, 1 thread`;
        const got = (oursOf(whole) ?? Infinity) / (oursOf(part) ?? 0);
        const checked = counts(whole) && counts(part);
        return [
          verdict(text, `≤ ${bar.times} ×`, `${got.toFixed(2)} ×`, checked, got <= bar.times),
        ];
      }
      case "limit": {
        const line = find(bar.row, 1);
        if (!line) return [];
        const ms = oursOf(line) ?? Infinity;
        return [
          verdict(
            bar.row,
            `< ${bar.ms < 1 ? duration(bar.ms) : `${bar.ms} ms`}`,
            duration(ms),
            counts(line),
            ms < bar.ms,
          ),
        ];
      }
    }
  });
}

function duration(ms: number): string {
  return ms < 1 ? `${Number((ms * 1000).toPrecision(2))} µs` : `${ms.toFixed(1)} ms`;
}

/** A time of Einlang is a claim only if a peer computed the same. */
function verdict(
  text: string,
  wanted: string,
  got: string,
  checked: boolean,
  met: boolean,
): Verdict {
  return checked
    ? { text, wanted, got, met }
    : { text, wanted, got: `${got}, checked by nobody`, met: undefined };
}

/** Whether the checksums of some peer agree with those of Einlang. */
export function counts(line: Line): boolean {
  return [...line.outcomes].some(
    ([name, outcome]) =>
      name !== "ours" && name !== "eager" && outcome.kind === "timed" && outcome.agrees,
  );
}

function judgeRatio(bar: Extract<Bar, { kind: "ratio" }>, line: Line): Verdict {
  const whose = bar.who === "eager" ? ", eager" : "";
  const text = `${line.row.id}${whose}, ${plural(bar.threads)}, against ${bar.against.join(" / ")}`;
  const wanted = `≥ ${bar.times} ×`;
  const ours = timeOf(line, bar.who);
  const theirs = best(line, bar.against);
  if (ours === undefined) return { text, wanted, got: "no result of ours", met: false };
  if (!theirs) return { text, wanted, got: "nobody to compare with", met: undefined };
  const got = theirs.ms / ours;
  return { text, wanted, got: `${shown(got)} × (${theirs.name})`, met: got >= bar.times };
}

/** The fastest of the named peers whose checksums agree. */
export function best(
  line: Line,
  names: readonly string[],
): { readonly name: string; readonly ms: number } | undefined {
  const times = names.flatMap((name) => {
    const outcome = line.outcomes.get(name);
    return outcome?.kind === "timed" && outcome.agrees ? [{ name, ms: outcome.ms }] : [];
  });
  return times.sort((a, b) => a.ms - b.ms)[0];
}

export function namesOf(contest: Contest, family: Family): readonly string[] {
  return contest.present.filter((one) => one.family === family).map(({ name }) => name);
}

function oursOf(line: Line): number | undefined {
  return timeOf(line, "ours");
}

/** A time counts only if the checksums agree. */
function timeOf(line: Line, who: "ours" | "eager"): number | undefined {
  const outcome = line.outcomes.get(who);
  return outcome?.kind === "timed" && (who === "ours" || outcome.agrees) ? outcome.ms : undefined;
}

export function plural(threads: number): string {
  return threads === 1 ? "1 thread" : `${threads} threads`;
}

export function shown(ratio: number): string {
  return ratio >= 100 ? ratio.toFixed(0) : ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2);
}
