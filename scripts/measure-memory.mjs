// Compares the planned peak of memory with the measured one: `node scripts/measure-memory.mjs`.
// Each program runs in a process of its own, and the memory of a process with a tiny program is
// subtracted. Fails if the two differ by more than 5 %.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { loadTs } from "./load-ts.mjs";

const random = (count) => Float32Array.from({ length: count }, (_, k) => Math.sin(k));

/** The programs, with their inputs and the values to compute. Each holds some hundred megabytes. */
const programs = {
  tiny: { text: "let x[i in 0..2000] = sin(i as f32); let s = sum[i](x[i] * x[i]);", get: ["s"] },
  maps: {
    text: `input x: [f32; i]; let a[i] = sin(x[i]); let s = sum[i](a[i]);
      let b[i] = a[i] * s + tanh(a[i]); let m = max[i](b[i]);
      let c[i] = exp(b[i] - m); let z = sum[i](c[i]); let d[i] = c[i] / z;`,
    inputs: { x: [40_000_000] },
    get: ["d"],
  },
  layers: {
    text: `input x: [f32; b, i]; input w: [f32; i, j];
      let h[b, j] = tanh(sum[i](x[b, i] * w[i, j]));
      let g[b, k] = sum[j](h[b, j] * w[k, j]); let loss = sum[b, k](g[b, k] ** 2);
      let d_w = @loss / @w;`,
    inputs: { x: [400_000, 64], w: [64, 64] },
    get: ["d_w"],
  },
  recurrence: {
    text: `const n = 100000; const steps = 1000; let k = 0.2; let start[x in 0..n] = sin(x as f32);
      let u[0, x in 0..n] = start[x];
      let u[t in 1..steps, x in 0..n] = if x == 0 || x == n - 1 { u[t - 1, x] }
        else { u[t - 1, x] + k * (u[t - 1, x - 1] - 2.0 * u[t - 1, x] + u[t - 1, x + 1]) };
      let misfit = sum[x](u[steps - 1, x] ** 2); let d_k = @misfit / @k;`,
    get: ["d_k"],
  },
};

const [name] = process.argv.slice(2);
if (name) {
  const { compile } = await loadTs("src/driver/compile.ts");
  const { text, inputs = {}, get } = programs[name];
  const { program } = compile({ name, text });
  const given = Object.entries(inputs).map(([input, shape]) => {
    const data = random(shape.reduce((a, b) => a * b, 1));
    return [input, { dtype: "f32", shape, data }];
  });
  const before = process.memoryUsage().rss;
  const { peakBytes, fault } = program.run({ inputs: new Map(given), get });
  if (fault) throw new Error(fault.title);
  console.log(
    JSON.stringify({
      planned: peakBytes,
      measured: process.resourceUsage().maxRSS * 1024 - before,
    }),
  );
} else {
  const measure = (each) =>
    JSON.parse(
      execFileSync(process.execPath, [fileURLToPath(import.meta.url), each], { encoding: "utf8" }),
    );
  const own = measure("tiny").measured;
  for (const each of Object.keys(programs).filter((key) => key !== "tiny")) {
    const { planned, measured } = measure(each);
    const ratio = (measured - own) / planned;
    console.log(
      `${each}: planned ${planned}, measured ${measured - own}, ratio ${ratio.toFixed(3)}`,
    );
    if (Math.abs(ratio - 1) > 0.05) process.exitCode = 1;
  }
}
