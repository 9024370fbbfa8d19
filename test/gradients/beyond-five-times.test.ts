// Derivatives that are right, and take more than five times the work of what they are taken of: where the steps of a recurrence call functions that move with the
// cells of several tensors, they are taken back cell by cell.

import { expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { failed } from "../../src/host/failure.ts";
import { fromJson } from "../../src/host/json.ts";
import type { TensorValue } from "../../src/host/value.ts";

type Given = Readonly<Record<string, unknown>>;

const programs: readonly (readonly [name: string, given: Given, text: string])[] = [
  [
    "rules of coordinate functions inside recursion",
    { n: 2, x: [0.75, 2.0, 0.5], m: [[0.5, 1.0, 0.25], [1.5, 0.75, 2.0]] },
    `input n: i32;
    input x: [f64; k];
    input m: [f64; p, q];
    fn norm[j](a: [f64; j]) -> f64 { sqrt(sum[j](a[j] * a[j])) }
    @fn norm[j](a: [f64; j]) { sum[j](a[j] * @a[j]) / norm[j](a) }
    fn share[j](a: [f64; j]) -> [f64; j] { let s = sum[j](a[j] ** 2); a[j] ** 2 / s }
    @fn share[j](a: [f64; j]) {
      let s = sum[j](a[j] ** 2);
      let d = sum[j](2 * a[j] * @a[j]);
      2 * a[j] * @a[j] / s - a[j] ** 2 * d / s ** 2
    }
    fn run(a: [f64; k], left: i32) -> f64 {
      if left == 0 {
        a[0] * a[1]
      } else {
        let s = norm[k](a);
        run([v * s + 0.5 | v in share[k](a)], left - 1)
      }
    }
    let y = run(x, n);
    let dy = @y / @x;
    fn around(v: f64, left: i32) -> f64 { if left == 0 { v } else { around(v * norm[i](x[i]) / 4, left - 1) } }
    let z = around(0.5, n);
    let dz = @z / @x;
    fn guarded(a: [f64; k], left: i32) -> f64 {
      if left == 0 {
        sum[i](a[i])
      } else {
        let s = norm[k](a[k]) where a[k] > 0.6;
        let p[k] = share[k](a[k]) where a[k] > 0.6 else 0.75;
        guarded([v * s | v in p], left - 1)
      }
    }
    let g = guarded(x, n);
    let dg = @g / @x;
    fn total[j, ..a, ..b](m: [f64; ..a, j, ..b]) -> [f64; ..a, ..b] { sum[j](m[..a, j, ..b] ** 2) }
    @fn total[j, ..a, ..b](m: [f64; ..a, j, ..b]) { sum[j](2 * m[..a, j, ..b] * @m[..a, j, ..b]) }
    fn sums(m: [f64; p, q], left: i32) -> f64 {
      if left == 0 {
        m[0, 0] + m[1, 2]
      } else {
        let u = total[p](m);
        let v = total[q](m);
        sums([[m[i, j] * u[j] - v[i] | j in 0..len(u)] | i in 0..len(v)], left - 1)
      }
    }
    let t = sums(m, n);
    let dt = @t / @m;`,
  ],
  [
    "products and extremes that their own recurrence bounds",
    {},
    `let a: [f64; 5] = [1.25, 0.5, 0.75, 0.5, 0.25];
    let h[0] = a[0];
    let h[t in 1..5] = a[t] + 0.25 * prod[k in 0..clamp((h[t - 1] * 2) as i32, 0, 5)](a[k % 3] + h[t - 1] * k as f64);
    let y = h[4];
    let dy = @y / @a;
    let along = sum[i](dy[i] * a[i]);
    let second = @along / @a;
    let n[0, i in 0..4] = i;
    let n[t in 1..4, i in 0..4] = if g[t - 1, i] > 1.0 { n[t - 1, i] - 1 } else { n[t - 1, i] + 1 };
    let g[0, i in 0..4] = a[i];
    let g[t in 1..4, i in 0..4] = a[i] + 0.5 * prod[k in 0..n[t, i]](0.5 * k as f64 - 0.75 + g[t - 1, (i + k) % 4]);
    let z = sum[i](g[3, i]);
    let dz = @z / @a;
    let m[0] = a[0];
    let m[t in 1..5] =
      a[t] + 0.5 * max[k in 0..clamp((m[t - 1] * 2) as i32, 1, 5), l in 0..k + 1](a[k % 3] * a[(k + l) % 5] where k + l != 2);
    let least[0] = a[0];
    let least[t in 1..5] =
      a[t] + min[k in 0..clamp((least[t - 1] * 3) as i32, 1, 5), l in 0..2](a[k % 3] * least[t - 1] + a[l] * (k - 1) as f64);
    let w = m[4] + least[4];
    let dw = @w / @a;
    let J = @h / @a;
    let v[0] = 1.5;
    let loss[t in 0..3] = prod[k in 0..(v[t] * 2) as i32](v[t] - 0.5 * (k % 2) as f64);
    let v[t in 1..3] = v[t - 1] - 0.125 * @loss[t - 1] / @v[t - 1];
    let last = v[2];`,
  ],
  [
    "recursion on rows within steps",
    { n: 2 },
    `input n: i32;
    let a: [f64; 3] = [0.5, 0.25, 0.125];
    fn bowl(p: [f64; m], k: i32) -> f64 {
      if k == 0 { sum[i]((p[i] - 1.0) ** 2) } else { bowl([v * 0.5 + p[0] * 0.25 | v in p], k - 1) }
    }
    let p[0, i] = a[i];
    let loss[t in 0..3] = bowl(p[t], n);
    let p[t in 1..3, i] = p[t - 1, i] - 0.5 * @loss[t - 1] / @p[t - 1, i];
    let last = loss[2];
    let dlast = @last / @a;
    fn pair(p: [f64; m], q: [f64; m], k: i32) -> f64 {
      if k == 0 { sum[i](p[i] ** 2 * q[i]) } else { pair([v * 0.5 + p[0] * 0.25 | v in p], q, k - 1) }
    }
    let r[0, i] = a[i];
    let both[t in 0..3] = if t == 0 { pair(r[t], r[t], n) } else { pair(r[t], r[t - 1], n) };
    let r[t in 1..3, i] = r[t - 1, i] - 0.5 * @both[t - 1] / @r[t - 1, i];
    let y = both[2];
    let dy = @y / @a;
    let u[0, i] = a[i];
    let h[t in 0..3] = if t == 0 { pair(u[t], u[t], n) } else { pair(u[t], u[t - 1], n) };
    let u[t in 1..3, i] = u[t - 1, i] - 0.5 * h[t - 1];
    let z = h[2];
    let dz = @z / @a;`,
  ],
]; // prettier-ignore

test.each(programs)("%s", { timeout: 60_000 }, (_, given, text) => {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  expect(diagnostics.filter(({ level }) => level === "error")).toEqual([]);
  const inputs = new Map(Object.entries(given).map(([name, json]) => [name, valueOf(json, dtypeOf(name))]));
  const reports = program!.checkGradients(inputs);
  expect(reports.filter(({ ok }) => !ok)).toEqual([]);
  expect(reports.length).toBeGreaterThan(2);
  const get = [...text.matchAll(/^\s*let (\w+) = @/gm)].map(([, name]) => name!);
  const [oracle, ...others] = (["interpret", "js", "wasm"] as const).map((backend) => {
    const { values } = program!.run({ backend, inputs, get, onPrint: () => {} });
    return get.flatMap((name) => [...(values.get(name)!.value.data as Float64Array)]);
  });
  for (const cells of others) for (const [k, cell] of cells.entries()) expect(cell).toBeCloseTo(oracle![k]!, 9);

  function dtypeOf(name: string) {
    return program!.inputs.find((input) => input.name === name)!.dtype;
  }
});

function valueOf(json: unknown, dtype: TensorValue["dtype"]): TensorValue {
  const value = fromJson(json, dtype);
  if (failed(value)) throw new Error(value.error);
  return value;
}
