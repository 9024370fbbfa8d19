// The harness of the benchmarks without any peer: checksums, times, verdicts and the report.

import { describe, expect, test } from "vitest";
import { judge } from "../../bench/bars.ts";
import { checksum, distance } from "../../bench/checksum.ts";
import { bestOf, type Contest, type Line, type Outcome } from "../../bench/contest.ts";
import { highest, leastMs } from "../../bench/limits.ts";
import { best } from "../../bench/measure.ts";
import { report } from "../../bench/report.ts";

describe("checksums", () => {
  test("see a wrong cell, a permutation and what is not a number", () => {
    const right = [checksum([1, 2, 3])];
    expect(distance(right, [checksum([1, 2, 3])])).toBe(0);
    expect(distance(right, [checksum([1, 2, 3.01])])).toBeGreaterThan(1e-3);
    expect(distance(right, [checksum([2, 1, 3])])).toBeGreaterThan(1e-3);
    expect(distance(right, [checksum([1, Number.NaN, 3])])).toBe(Infinity);
    expect(distance([checksum([Number.NaN])], [checksum([Number.NaN])])).toBe(Infinity);
  });

  test("of nothing, or of something else, are infinitely far apart", () => {
    expect(distance([], [])).toBe(Infinity);
    expect(distance([checksum([1])], [])).toBe(Infinity);
  });

  test("of zeros agree", () => {
    expect(distance([checksum([0, 0])], [checksum([0, 0])])).toBe(0);
  });
});

describe("the time of a run", () => {
  /**
   * Work that takes these milliseconds in turn, on a clock that only this work moves. The last time
   * is repeated.
   */
  function scripted(...times: readonly number[]) {
    const state = { clock: 0, runs: 0 };
    const work = (): void => {
      state.clock += times[Math.min(state.runs, times.length - 1)]!;
      state.runs++;
    };
    return { state, work, now: (): number => state.clock };
  }

  test("is the best of what fits into the budget", async () => {
    const { state, work, now } = scripted(9, 5, 7, 3, 8);
    expect(await best(work, 30, now)).toBe(3);
    expect(state.runs).toBe(7);
  });

  test("is that of five turns at least, unless they take four budgets", async () => {
    const slow = scripted(9, 9, 9, 9, 9, 9, 5);
    expect(await best(slow.work, 20, slow.now)).toBe(5);
    expect(slow.state.runs).toBe(7);
    const slower = scripted(9, 30);
    expect(await best(slower.work, 20, slower.now)).toBe(9);
    expect(slower.state.runs).toBe(5);
  });

  test("of a promise ends when it is kept", async () => {
    const { work, now } = scripted(9, 4);
    const later = async (): Promise<void> => {
      await new Promise(setImmediate);
      work();
    };
    expect(await best(later, 20, now)).toBe(4);
  });

  test("is that of the first run if the budget is spent then", async () => {
    const { state, work, now } = scripted(30);
    expect(await best(work, 5, now)).toBe(30);
    expect(state.runs).toBe(1);
  });

  test("is an average over many where one is too short to be timed", async () => {
    const { state, work, now } = scripted(1, 0.01);
    expect(await best(work, 1, now)).toBeCloseTo(0.01);
    expect(state.runs).toBeGreaterThan(200);
  });
});

const timed = (ms: number, agrees = true): Outcome => ({
  kind: "timed",
  ms,
  checksums: [],
  apart: agrees ? 0 : 1,
  agrees,
});

function line(id: string, threads: number, outcomes: Readonly<Record<string, Outcome>>): Line {
  return {
    row: { id, title: id, flops: 2e6, bytes: 4e6 },
    threads,
    outcomes: new Map(Object.entries(outcomes)),
  };
}

function contest(...lines: readonly Line[]): Contest {
  const present = [
    { name: "ours", family: "ours" },
    { name: "tfjs-wasm", family: "web" },
    { name: "numpy", family: "native" },
  ] as const;
  return { lines, versions: { node: "20" }, absent: new Map([["jax", "not installed"]]), present };
}

test(
  "the best of two rounds is everybody's own, " +
    "and nobody's who failed or disagreed in one of them",
  () => {
    const failed: Outcome = { kind: "failed", why: "no" };
    const first = {
      ours: timed(2),
      numpy: timed(3),
      jax: timed(1, false),
      torch: timed(1),
      "ort-web": failed,
    };
    const second = {
      ours: timed(4),
      numpy: timed(1),
      jax: timed(2),
      torch: failed,
      "ort-web": timed(1),
    };
    expect(
      Object.fromEntries(bestOf(line("sum", 1, first), line("sum", 1, second)).outcomes),
    ).toEqual({
      ours: timed(2),
      numpy: timed(1),
      jax: timed(1, false),
      torch: failed,
      "ort-web": failed,
    });
  },
);

describe("bars", () => {
  test("are measured against the best peer that agrees", () => {
    const sum = line("sum", 1, {
      ours: timed(1),
      "tfjs-wasm": timed(7),
      "jax-js": timed(2, false),
    });
    expect(judge(contest(sum))).toMatchObject([{ got: "7.00 × (tfjs-wasm)", met: true }]);
    const slower = line("sum", 1, { ours: timed(1), "tfjs-wasm": timed(7), "jax-js": timed(2) });
    expect(judge(contest(slower))).toMatchObject([{ got: "2.00 × (jax-js)", met: false }]);
  });

  test(
    "claim nothing where nobody is there to be compared with, " +
      "and nothing of rows that were not run",
    () => {
      const alone = line("sum", 1, { ours: timed(1), "tfjs-wasm": { kind: "unable" } });
      expect(judge(contest(alone))).toMatchObject([{ met: undefined }]);
      expect(judge(contest())).toEqual([]);
    },
  );

  test("are missed when we failed", () => {
    const failed = line("sum", 1, {
      ours: { kind: "failed", why: "no" },
      "tfjs-wasm": timed(1, false),
    });
    expect(judge(contest(failed))).toMatchObject([{ met: false }]);
  });

  test("hold a gradient to what its forward pass costs", () => {
    const both = line("rnn-both", 1, { ours: timed(8), numpy: timed(1) });
    const rows = [line("rnn-forward", 1, { ours: timed(2), numpy: timed(1) }), both];
    const growth = judge(contest(...rows)).find(({ text }) => text.includes("rnn-forward"));
    expect(growth).toMatchObject({ got: "4.00 ×", met: false });
  });

  test("claim nothing from a result that no peer agrees with", () => {
    const right = line("compile-transformer", 1, { ours: timed(2), jax: timed(100) });
    expect(judge(contest(right))).toMatchObject([{ got: "2.0 ms", met: true }]);
    const wrong = line("compile-transformer", 1, { ours: timed(2), jax: timed(100, false) });
    expect(judge(contest(wrong))).toMatchObject([
      { got: "2.0 ms, checked by nobody", met: undefined },
    ]);
  });
});

describe("the page", () => {
  const limits = { flopsPerMs: 1e6, bytesPerMs: 1e6 };
  const circumstances = {
    date: "2026-11-15",
    machine: "a machine",
    load: 0,
    command: "npm run bench",
    notes: "## Notes",
  };
  const page = report(
    contest(line("sum", 1, { ours: timed(8), "tfjs-wasm": timed(4, false), numpy: timed(2) })),
    {
      ...circumstances,
      limits: new Map([[1, limits]]),
    },
  );

  test("shows ratios, limits, who is absent and who disagrees", () => {
    expect(page).toContain("jax is absent (not installed): nothing is claimed against it.");
    const [, row] = /\n(\| sum .*)\n/.exec(page)!;
    const cells = row!.split("|").map((cell) => cell.trim());
    expect(cells.slice(1, -1)).toEqual([
      "sum",
      "8.00",
      "0.500 GB/s",
      "4.00 (memory)",
      "50 %",
      "–",
      "0.25",
      "≠",
      "0.25",
    ]);
    expect(page).toContain(
      "- sum, 1 thread: tfjs-wasm computed something else: checksums 1.0e+0 apart.",
    );
  });

  test("has a section for a fresh process, which is no row of the table", () => {
    const lines = ["cold", "warm"].map((state): Line => {
      const ours = timed(state === "cold" ? 321 : 210);
      const row = { id: `fresh-${state}`, title: `20 lines, ${state}`, flops: 0, bytes: 0 };
      return { row, threads: 1, outcomes: new Map([["ours", ours]]) };
    });
    const fresh = report(contest(...lines), { ...circumstances, limits: new Map([[1, limits]]) });
    expect(fresh).not.toContain("## One thread");
    expect(fresh).toMatch(/## A fresh process\n[^|]*\| row +\| ours, ms \|/);
    expect(fresh).toMatch(/\| 20 lines, cold +\| 321 /);
    expect(fresh).toMatch(/\| 20 lines, warm +\| 210 /);
  });

  test("says how many times as long a program takes with its gradients", () => {
    const rows = [
      line("rnn-forward", 1, { ours: timed(2) }),
      line("rnn-both", 1, { ours: timed(5) }),
      line("norm-forward", 1, { ours: timed(2) }),
      line("norm-both", 1, { ours: timed(9) }),
    ];
    const gradients = report(contest(...rows), {
      ...circumstances,
      limits: new Map([[1, limits]]),
    });
    expect(gradients).toMatch(/\| norm-both +\| norm-forward +\| 4.50 +\| \*\*broken\*\* +\|/);
    expect(gradients).toMatch(/\| rnn-both +\| rnn-forward +\| 2.50 +\| kept +\|/);
  });

  test("ends with what people have to say", () => {
    expect(page).toMatch(/\n## Notes\n$/);
  });

  test("names what a row waits for", () => {
    expect(leastMs({ flops: 3e6, bytes: 1e6 }, limits)).toEqual({ ms: 3, by: "arithmetic" });
    const [slow, quick] = [
      { flopsPerMs: 1, bytesPerMs: 5 },
      { flopsPerMs: 3, bytesPerMs: 2 },
    ];
    expect(highest(slow, quick)).toEqual({ flopsPerMs: 3, bytesPerMs: 5 });
    expect(leastMs({ flops: 1e6, bytes: 3e6 }, limits)).toEqual({ ms: 3, by: "memory" });
  });
});
