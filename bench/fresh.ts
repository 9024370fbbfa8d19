// Measures the time from the start of a process to the first result of a program of twenty lines. A
// command, or the worker of a page, that compiles a program once needs this time. Each measurement
// has a process of its own, without optimised code.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Line } from "./contest.ts";
import type { Place } from "./contenders.ts";

/** The first process is cold. The best of the others is the warm time. */
const processes = 6;

/**
 * Loads the library, compiles a program and runs it once. The numbers of the inputs do not matter.
 */
const script = `
  import { readFileSync } from "node:fs";
  const [index, program] = process.argv.slice(2);
  const { compile } = await import(index);
  const tensor = (...shape) => {
    const data = new Float32Array(shape.reduce((a, b) => a * b, 1)).map((_, k) => Math.sin(k));
    return { dtype: "f32", shape, data };
  };
  const inputs = { x: tensor(8, 6), W: tensor(6, 6), b: tensor(6) };
  const get = ["loss", "d_W", "d_b"];
  const { loss } = (await compile(readFileSync(program, "utf8"))).run(inputs, { get });
  if (!Number.isFinite(loss.data[0])) process.exit(1);
`;

/** A cold and a warm line, in milliseconds of a whole process. */
export function freshProcess({ root, peers }: Place): readonly Line[] {
  const cache = join(peers, ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "fresh-"));
  try {
    // The copy holds files that no process has loaded, like those of a new build.
    cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
    const main = join(folder, "main.mjs");
    writeFileSync(main, script);
    const index = pathToFileURL(join(folder, "dist/index.js")).href;
    const words = [main, index, join(root, "bench/programs/compile-latency.ein")];
    // From version 22 on, Node has a cache of compiled code. The first process fills it.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "code") };
    const times = Array.from({ length: processes }, () => {
      const from = performance.now();
      const { status, stderr } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
      if (status !== 0) throw new Error(`a fresh process failed: ${stderr}`);
      return performance.now() - from;
    });
    const [cold, ...others] = times as [number, ...number[]];
    return [lineOf("cold", cold), lineOf("warm", Math.min(...others))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function lineOf(state: "cold" | "warm", ms: number): Line {
  const title = `20 lines in a fresh process, ${state}`;
  const row = { id: `fresh-${state}`, title, flops: 0, bytes: 0 };
  const ours = { kind: "timed", ms, checksums: [], apart: 0, agrees: true } as const;
  return { row, threads: 1, outcomes: new Map([["ours", ours]]) };
}
