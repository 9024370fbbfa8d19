// Tests definitions over the same rows in one kernel: what they read of one another, rows of every
// length and type, and what `--dump rows` says about them.

import { describe, expect, test } from "vitest";
import { compile } from "../../../driver/compile.ts";
import { holds as agrees } from "../../../../test/support/kernels.ts";
import { newHeard, type Heard } from "../../../plan/print.ts";

type Number = "f32" | "f64" | "i32";

/** A table with cells of both signs and without a pattern. */
function table(type: Number, rows: number, columns: number): string {
  const value = type === "i32" ? "(i * 7 + j * j) % 11 - 5" : `sin((i * 7 + j * j) as ${type})`;
  return `let x[i in 0..${rows}, j in 0..${columns}] = ${value}; let w[i, j] = x[i, j] * x[i, j];`;
}

interface Ran {
  readonly values: readonly number[];
  /** The definitions that were merged into the kernel of another. */
  readonly said: string;
}

function run(text: string, get: readonly string[], backend: "wasm" | "interpret"): Ran {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  if (!program) throw new Error(diagnostics[0]!.title);
  let heard: Heard | undefined;
  const { values, fault } = program.run({
    get,
    backend,
    leastWork: 0,
    hearing: (of, schedules) => (heard = newHeard(of, schedules)),
  });
  if (fault) throw new Error(fault.title);
  return {
    values: get.flatMap((name) =>
      Array.from(values.get(name)!.value.data as ArrayLike<number>, Number),
    ),
    said: heard!.text("rows"),
  };
}

/**
 * Compares kernels with the oracle, with and without the cells that nobody asks for. Gives the
 * definitions that were merged.
 */
function holds(text: string, get: readonly string[]): string {
  agrees(text);
  return agreesWithOracle(text, get);
}

function agreesWithOracle(text: string, get: readonly string[]): string {
  const [own, right] = [run(text, get, "wasm"), run(text, get, "interpret")];
  const greatest = Math.max(...right.values.filter(Number.isFinite).map(Math.abs));
  own.values.forEach((value, k) => {
    const wanted = right.values[k]!;
    if (!Number.isFinite(wanted)) expect(value, `${get.join()} at ${k}`).toBe(wanted);
    else
      expect(Math.abs(value - wanted), `${get.join()} at ${k}`).toBeLessThanOrEqual(
        1e-5 * (1 + greatest),
      );
  });
  return own.said;
}

describe("kernels along the same rows are one", () => {
  test.each(["f32", "f64", "i32"] as const)("whatever the length of a row of %s", (type) => {
    for (const columns of [16, 17, 19, 23, 40, 300]) {
      const said = holds(
        `${table(type, 12, columns)}
        let s[i] = sum[j](w[i, j]);
        let a[i, j] = w[i, j] * x[i, j] - s[i];
        let t[i] = sum[j](a[i, j] * x[i, j]) + max[j](a[i, j]);
        let y[i, j] = a[i, j] + t[i] * w[i, j];
        let z[i, j] = a[i, j] * y[i, j];`,
        ["t", "y", "z"],
      );
      expect(said).toContain("with");
    }
  });

  test("short rows stay apart", () => {
    const said = holds(
      `${table("f32", 40, 9)} let s[i] = sum[j](x[i, j]); let y[i, j] = x[i, j] / (s[i] + 9.0);`,
      ["y"],
    );
    expect(said).not.toContain("with");
  });

  test("neighbours in a row are read once they are there", () => {
    holds(
      `${table("f32", 20, 64)}
      let a[i, j] = w[i, j] + 1.0;
      let b[i, j in 0..64] = if j > 0 { a[i, j - 1] } else { 0.0 } + a[i, j];
      let c[i, j in 0..64] = a[i, 63 - j] * b[i, j];
      let d[i] = sum[j](c[i, j] * a[i, 63 - j]) + a[i, 3];
      let e[i, j in 0..64] = d[i] * c[i, (j + 5) % 64];`,
      ["b", "c", "d", "e"],
    );
  });

  test("another row is not", () => {
    holds(
      `${table("f32", 20, 64)}
      let a[i, j] = w[i, j] + 1.0;
      let b[i in 0..19, j in 0..64] = a[i + 1, j] - a[i, j];
      let s[i in 0..19] = sum[j](b[i, j]);`,
      ["a", "b", "s"],
    );
  });

  test("rows of several coordinates", () => {
    const said = holds(
      `let q[b in 0..5, i in 0..9, j in 0..33] = sin((b * 31 + i * 7 + j * j) as f32);
      let l[b, i] = logsumexp[j](q[b, i, j]);
      let p[b, i, j] = exp(q[b, i, j] - l[b, i]);
      let d[b, i] = sum[j](p[b, i, j] * q[b, i, j]);
      let y[b, i, j] = p[b, i, j] * (q[b, i, j] - d[b, i]);`,
      ["p", "d", "y"],
    );
    expect(said).toMatch(/l: with d, y|with .*y/);
  });

  test("rows of one coordinate among them, but in another order", () => {
    holds(
      `let q[b in 0..6, i in 0..6, j in 0..33] = sin((b * 31 + i * 7 + j * j) as f32);
      let s[b, i] = sum[j](q[b, i, j]);
      let y[b, i, j] = q[b, i, j] * s[i, b];`,
      ["y"],
    );
  });

  test("a softmax of rows without a finite greatest term", () => {
    holds(
      `let big = 1e38;
      let q[i in 0..8, j in 0..40] =
        if i == 1 { big * 10.0 }
        else if i == 2 { -big * 10.0 }
        else if i == 3 && j == 7 { big * 10.0 }
        else if i == 4 && j > 0 { -big * 10.0 }
        else { sin((i * 7 + j * j) as f32) };
      let l[i] = logsumexp[j](q[i, j]);
      let p[i, j] = exp(q[i, j] - l[i]);
      let m[i] = mean[j](p[i, j]);
      let y[i, j] = p[i, j] - m[i];`,
      ["l", "p", "y"],
    );
  });

  test("masks, choices and types side by side", () => {
    holds(
      `${table("f32", 30, 50)}
      let k[i, j] = (x[i, j] * 8.0) as i32;
      let m[i, j] = x[i, j] > 0.25;
      let n[i] = sum[j](k[i, j] where m[i, j]);
      let a[i] = any[j](m[i, j]);
      let y[i, j] = if m[i, j] { x[i, j] * (n[i] as f32) } else { w[i, j] };
      let z[i, j] = x[i, j] as f64 + (n[i] as f64);`,
      ["k", "m", "n", "a", "y", "z"],
    );
  });

  test("means, extremes and products of one pass", () => {
    holds(
      `${table("f32", 30, 50)}
      let a[i] = mean[j](x[i, j]); let b[i] = max[j](x[i, j]); let c[i] = min[j](w[i, j]);
      let d[i] = sum[j](w[i, j]);
      let e[i] = prod[j](1.0 + 0.01 * x[i, j]); let f[i] = sum[j](x[i, j] where x[i, j] > 0.0);
      let y[i, j] = (x[i, j] - a[i]) / (b[i] - c[i] + d[i] + e[i] + f[i]);`,
      ["a", "b", "c", "d", "e", "f", "y"],
    );
  });

  test("gradients of a norm", () => {
    const said = holds(
      `use std::ml::{layer_norm, softmax};
      ${table("f32", 33, 48)}
      let g[j in 0..48] = 1.0 + 0.01 * (j as f32); let h[j in 0..48] = 0.1 * (j as f32);
      let p[i, j] = softmax[j](x[i, j] * 3.0);
      let y[i, j] = layer_norm[j](p[i, j], g, h);
      let loss = sum[i, j](y[i, j] * w[i, j]);
      let dx = @loss / @x; let dg = @loss / @g; let dh = @loss / @h;`,
      ["loss", "dx", "dg", "dh"],
    );
    expect(said).toContain("with");
  });

  /** A sum of peaks at many points, and the gradients of its distance to given values. */
  const peaks = (points: number, count: number): string => `
    let x[n in 0..${points}] = sin((n * n) as f32); let y[n in 0..${points}] = cos((n * 3) as f32);
    let a[k in 0..${count}] = 1.0 + 0.1 * sin((k * 5) as f32);
    let c[k in 0..${count}] = cos((k * 7) as f32);
    let w[k in 0..${count}] = 1.5 + sin(k as f32); let scale = 0.75;
    let loss = mean[n]((sum[k](a[k] * exp(-scale * ((x[n] - c[k]) / w[k]) ** 2)) - y[n]) ** 2);
    let g_x = @loss / @x; let g_a = @loss / @a; let g_c = @loss / @c; let g_w = @loss / @w;
    let g_s = @loss / @scale;`;

  test(
    "gradients that go through the same points compute them once, " +
      "whichever coordinate they are by",
    () => {
      for (const [points, count] of [
        [4096, 16],
        [1700, 40],
        [130, 520],
      ] as const) {
        const said = agreesWithOracle(peaks(points, count), [
          "loss",
          "g_x",
          "g_a",
          "g_c",
          "g_w",
          "g_s",
        ]);
        expect(said, `${points} × ${count}`).toMatch(/blocks.*blocks/);
      }
    },
  );
});
