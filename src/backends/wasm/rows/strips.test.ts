// Tests units that run strip by strip: cells that exist for one strip only, sums over the rows, and
// equal bits on several threads.

import { afterAll, describe, expect, test } from "vitest";
import { compile } from "../../../driver/compile.ts";
import type { EngineOptions } from "../../results.ts";
import { newHeard, type Heard } from "../../../plan/print.ts";
import { rowsOfStrip, type PartialRunner } from "./strips.ts";
import { useThreads } from "../threads/threads.ts";

/** The values of some outputs, on kernels or by the oracle; no other cells are kept. */
function values(
  text: string,
  get: readonly string[],
  backend: "wasm" | "interpret",
): readonly number[] {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  if (!program) throw new Error(diagnostics[0]!.title);
  let result = program.run({ get, backend });
  // Later runs repeat the steps of an earlier run.
  if (backend === "wasm")
    for (let again = 0; again < 5; again++) result = program.run({ get, backend });
  if (result.fault) throw new Error(result.fault.title);
  return get.flatMap((name) => Array.from(result.values.get(name)!.value.data as Float32Array));
}

function isNear(text: string, get: readonly string[]): void {
  const [own, expected] = [values(text, get, "wasm"), values(text, get, "interpret")];
  expect(own.length).toBe(expected.length);
  own.forEach((value, k) => {
    if (Number.isFinite(expected[k]!))
      expect(Math.abs(value - expected[k]!), `${get.join()} at ${k}`).toBeLessThanOrEqual(
        2e-5 * (1 + Math.abs(expected[k]!)),
      );
    else expect(value).toBe(expected[k]!);
  });
}

/** Tells which definitions were merged into the kernel of another. */
function toldOf(text: string, get: readonly string[]): string {
  let heard: Heard | undefined;
  const hearing: EngineOptions["hearing"] = (of, schedules) => (heard = newHeard(of, schedules));
  compile({ name: "test.ein", text }).program!.run({ get, hearing });
  return heard!.text("rows");
}

const rows = (count: number, columns = 41): string => `
  let x[i in 0..${count}, j in 0..${columns}] = sin((i * 7 + j * j) as f32);
  let m[i] = mean[j](x[i, j]);
  let c[i, j] = tanh(x[i, j] - m[i]);
  let q[i, j] = c[i, j] * c[i, j] + x[i, j];
  let y[i, j] = exp(q[i, j] * 0.1) + c[i, j];
  let column[j] = sum[i](c[i, j] * y[i, j]);
  let greatest[j] = max[i](q[i, j]);
  let total = sum[i, j](y[i, j] * q[i, j]);
  let after[j] = column[j] + greatest[j] * total;`;

describe("units of equal rows", () => {
  test("hand their strips on, with sums over the rows among them", () => {
    for (const count of [64, 331])
      for (const get of [
        ["y"],
        ["column", "greatest"],
        ["y", "column", "total"],
        ["after"],
        ["q", "after"],
      ])
        isNear(rows(count), get);
  });

  test("read other rows only when all of them are there", () => {
    isNear(
      `${rows(200)} let shifted[i in 0..199, j] = y[i + 1, j] - q[i, j]; ` +
        "let s[j] = sum[i](shifted[i, j]);",
      ["s"],
    );
    isNear(`${rows(200)} let twice[i, j] = y[i, j] * column[j]; let s[j] = sum[i](twice[i, j]);`, [
      "s",
    ]);
  });

  test("add sums over many rows up in the kernel of the rows, a block of them at a time", () => {
    for (const [count, columns] of [
      [2048, 41],
      [2085, 40],
      [1030, 67],
      [4100, 16],
    ] as const) {
      const text = rows(count, columns);
      isNear(text, ["column", "greatest"]);
      isNear(text, ["y", "column", "total"]);
      expect(toldOf(text, ["y", "column"])).toMatch(/with .*column_blocks/);
    }
  });

  test("take what the next row begins with in this one, whatever rows there are", () => {
    const text = (count: number, odd: string): string => `
      let x[i in 0..${count}, j in 0..70] =
        if i % 5 == 3 && j == 7 { ${odd} } else { sin((i * 7 + j * j) as f32) };
      let l[i] = logsumexp[j](x[i, j]); let p[i, j] = exp(x[i, j] - l[i]);
      let d[i] = sum[j](p[i, j] * x[i, j]); let y[i, j] = p[i, j] * (1.0 - d[i]);
      let s[j] = sum[i](y[i, j] + p[i, j]);`;
    for (const count of [2, 16, 17, 1000, 1500]) isNear(text(count, "3.0"), ["l", "y", "s"]);
    // Sums of another width have a pass of their own.
    isNear(
      `let x[i in 0..300, j in 0..80] = sin((i * 3 + j) as f64); let z[i, j] = x[i, j] as f32;
      let m[i] = sum[j](x[i, j]); let s[i] = sum[j](z[i, j]);
      let p[i, j] = exp(z[i, j] - 0.01 * s[i]); let q[i, j] = tanh(x[i, j] - 0.01 * m[i]);
      let t[i] = sum[j](p[i, j] * z[i, j]) + m[i] as f32;`,
      ["m", "s", "p", "q", "t"],
    );
    for (const odd of ["3e38 * 10.0", "-3e38 * 10.0", "0.0 / 0.0"])
      isNear(text(40, odd), ["l", "y"]);
  });

  test("give equal rows equal bits, wherever strips begin", () => {
    for (const columns of [90, 127, 256]) {
      const text =
        `let x[i in 0..1000, j in 0..${columns}] = sin((j * j) as f32); ` +
        "let m[i] = mean[j](x[i, j]); let p[i, j] = exp(x[i, j] - m[i]); " +
        "let q[i] = sum[j](p[i, j]);";
      expect(new Set(values(text, ["m", "q"], "wasm")).size).toBe(2);
    }
  });

  test.each([
    [603, 41],
    [2085, 41],
    [3, 9000],
  ])("%i of %i cells have the same bits on several threads", async (count, columns) => {
    const get = ["y", "column", "greatest", "after"];
    const text = rows(count, columns);
    const alone = values(text, get, "wasm");
    for (const threads of [2, 4]) {
      useThreads(threads);
      values(text, get, "wasm");
      await new Promise((resume) => setTimeout(resume, 100));
      expect(values(text, get, "wasm")).toEqual(alone);
    }
    useThreads(1);
  });

  test("are several strips where they are few and long, so that threads can share them", () => {
    const runner = { rows: 4, rowsEach: 1, work: 1 << 20 } as PartialRunner;
    expect(rowsOfStrip([runner], 1 << 17)).toBe(1);
    expect(rowsOfStrip([{ ...runner, rows: 1000 }], 1 << 17)).toBe(16);
  });

  afterAll(() => void useThreads(1));
});
