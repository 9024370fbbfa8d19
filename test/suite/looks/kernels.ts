// Kernels compute what the oracle computes: the same faults and prints, and every cell satisfies
// its equation. A schedule that is left to the oracle has a reason that kernels cannot remove.

import { expect } from "vitest";
import { runProgram } from "../../../src/run/run.ts";
import { leftToOracle } from "../../../src/backends/wasm/state.ts";
import { compareBackends } from "../../backends/compare.ts";
import { canRun } from "../programs.ts";
import type { Look } from "./look.ts";

/** How many schedules of the shard the oracle computed, by reason. */
const left = new Map<string, number>();

const allowed = new Set([
  "a literal",
  "strings",
  "data",
  "ragged rows",
  "a call of a function",
  "a fault",
  "a running reduction",
  "a scatter whose totals need more than a cell",
  "steps looked up by data",
  "cells of a reduction inside another step",
  "division of an index by the constant 0",
  "history that a window does not keep",
  "memory",
]);

export const onKernels: Look = {
  name: "computes the same on kernels",
  isDeep: true,
  applies: canRun,
  look({ kind, parts, inputs }) {
    if (!parts) return;
    const { program, analysis } = parts;
    const { problems, compared, skipped } = compareBackends(parts, [inputs]);
    runProgram(program, analysis, { inputs, backend: "wasm", leastWork: 0 });
    for (const why of leftToOracle(program).values()) left.set(why, (left.get(why) ?? 0) + 1);
    expect(problems).toEqual([]);
    expect(skipped).toBeLessThanOrEqual(compared);
    if (kind === "example") expect(compared).toBeGreaterThan(0);
  },
  atTheEnd() {
    const others = [...left.keys()].filter(
      (why) => !allowed.has(why) && !/ of (f16|bf16|i8|i64|bool)$/.test(why),
    );
    expect(others, JSON.stringify([...left])).toEqual([]);
  },
};
