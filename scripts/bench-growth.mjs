// Measures how costs grow. If the extents, the steps or the length of a program double, the time
// may grow at most 1.15 times as much as the number of operations.
//
// The operations are those that `ein explain --cost` counts. The best of many runs counts for each
// size. The sizes take turns, so that another process on the machine slows down all of them or
// none.

import { parseArgs } from "node:util";
import { exponentAllowed, growthOfCommands } from "./growth-of-commands.mjs";
import { loadTs } from "./load-ts.mjs";

const allowed = 1.15;
const { values } = parseArgs({
  options: { seconds: { type: "string", default: "3" }, only: { type: "string" } },
});
const seconds = Number(values.seconds);

const { compile } = await loadTs("src/driver/compile.ts");

/**
 * The programs, with their sizes, the number of operations for each size, and the values to
 * compute.
 */
const rows = [
  {
    name: "matrix product",
    text: "input a: [f32; i, k]; input b: [f32; k, j]; let c[i, j] = sum[k](a[i, k] * b[k, j]);",
    sizes: [64, 128, 256, 512],
    inputs: (n) => ({ a: [n, n], b: [n, n] }),
    operations: (n) => n ** 3,
    get: ["c"],
  },
  {
    name: "pointwise, in the cache",
    text: "input x: [f32; i]; let y[i] = tanh(0.5 * x[i] + 0.1) * 2.0; let s = max[i](y[i]);",
    sizes: [1 << 16, 1 << 17, 1 << 18],
    inputs: (n) => ({ x: [n] }),
    operations: (n) => n,
    get: ["s"],
  },
  {
    name: "pointwise, from memory",
    text: "input x: [f32; i]; let y[i] = tanh(0.5 * x[i] + 0.1) * 2.0; let s = max[i](y[i]);",
    sizes: [1 << 20, 1 << 21, 1 << 22],
    inputs: (n) => ({ x: [n] }),
    operations: (n) => n,
    get: ["s"],
  },
  {
    name: "convolution and its gradients",
    text: `input x: [f32; b, c, h, w]; input k: [f32; o, c, p, q]; input n: [i32; one];
      let y[b, o, i in 0..extent(h) - 2, j in 0..extent(w) - 2] =
        sum[c, p, q](x[b, c, i + p, j + q] * k[o, c, p, q]);
      let loss = sum[b, o, i, j](y[b, o, i, j] ** 2); let dx = @loss / @x; let dk = @loss / @k;`,
    sizes: [4, 8, 16],
    inputs: (n) => ({ x: [n, 16, 18, 18], k: [32, 16, 3, 3], n: [1] }),
    operations: (n) => n,
    get: ["dx", "dk"],
  },
  {
    name: "softmax and its gradient",
    text: `input x: [f32; i, j]; input g: [f32; i, j];
      let e[i, j] = exp(x[i, j] - max[k](x[i, k])); let p[i, j] = e[i, j] / sum[k](e[i, k]);
      let loss = sum[i, j](p[i, j] * g[i, j]); let dx = @loss / @x;`,
    sizes: [64, 128, 256],
    inputs: (n) => ({ x: [n, 256], g: [n, 256] }),
    operations: (n) => n,
    get: ["dx"],
  },
  {
    name: "steps of a recurrence, the last one observed",
    text: `input u0: [f32; x]; input steps: i32;
      let u[0, x] = u0[x];
      let u[t in 1..steps, x] = if x == 0 || x == extent(x) - 1 { u[t - 1, x] } else {
        u[t - 1, x] + 0.2 * (u[t - 1, x - 1] - 2.0 * u[t - 1, x] + u[t - 1, x + 1]) };
      let last[x] = u[steps - 1, x];`,
    sizes: [500, 1000, 2000],
    inputs: (n) => ({ u0: [4000], steps: n }),
    operations: (n) => n,
    get: ["last"],
  },
  {
    name: "steps of a recurrence and its adjoint",
    text: `input w: [f32; i, j]; input x: [f32; t, i];
      let h[0, i] = 0.0 * x[0, i];
      let h[t in 1..extent(t), i] = tanh(sum[j](w[i, j] * h[t - 1, j]) + x[t, i]);
      let loss = sum[t, i](h[t, i] ** 2); let dw = @loss / @w;`,
    sizes: [64, 128, 256],
    inputs: (n) => ({ w: [64, 64], x: [n, 64] }),
    operations: (n) => n,
    get: ["dw"],
  },
  {
    name: "declarations, compiled",
    sizes: [250, 500, 1000],
    compiled: (n) => chain(n),
    operations: (n) => n,
  },
  {
    name: "one long expression, compiled",
    sizes: [250, 500, 1000],
    compiled: (n) => `let y = ${Array.from({ length: n }, (_, k) => `${k}.0`).join(" + ")};`,
    operations: (n) => n,
  },
  {
    name: "gradients of a chain, compiled",
    sizes: [25, 50, 100],
    compiled: (n) => `${chain(n)}let loss = sum[b, i](h${n}[b, i]); let dw = @loss / @w;`,
    operations: (n) => n,
  },
];

function chain(count) {
  const lines = [
    "input x: [f32; batch, feature]; input w: [f32; feature, feature];",
    "let h0[b, i] = x[b, i];",
  ];
  for (let n = 1; n <= count; n++)
    lines.push(
      n % 2
        ? `let h${n}[b, j] = sum[i](h${n - 1}[b, i] * w[i, j]);`
        : `let h${n}[b, i] = tanh(h${n - 1}[b, i]);`,
    );
  return `${lines.join("\n")}\n`;
}

function tensor(shape) {
  if (typeof shape === "number") return { dtype: "i32", shape: [], data: Int32Array.of(shape) };
  const length = shape.reduce((a, b) => a * b, 1);
  if (length === 1) return { dtype: "i32", shape, data: new Int32Array(1) };
  return {
    dtype: "f32",
    shape,
    data: Float32Array.from({ length }, (_, k) => Math.sin(k * 12.9898) * 0.5),
  };
}

/** For each size, a function whose time is measured. */
function work({ text, sizes, inputs, get, compiled }) {
  if (compiled)
    return sizes.map((n) => {
      const source = { name: "growth.ein", text: compiled(n) };
      return () => {
        const { program, diagnostics } = compile(source);
        if (!program) throw new Error(diagnostics[0].title);
      };
    });
  const { program, diagnostics } = compile({ name: "growth.ein", text });
  if (!program) throw new Error(diagnostics[0].title);
  return sizes.map((n) => {
    const given = new Map(Object.entries(inputs(n)).map(([name, shape]) => [name, tensor(shape)]));
    return () => {
      const { fault } = program.run({ inputs: given, get });
      if (fault) throw new Error(fault.title);
    };
  });
}

let worst = 0;
for (const row of rows) {
  if (values.only && !row.name.includes(values.only)) continue;
  const each = work(row);
  const best = each.map(() => Infinity);
  const end = performance.now() + seconds * 1000;
  for (let round = 0; round < 5 || performance.now() < end; round++)
    each.forEach((run, k) => {
      const from = performance.now();
      run();
      best[k] = Math.min(best[k], performance.now() - from);
    });
  const ratios = row.sizes.slice(1).map((size, k) => {
    const operations = row.operations(size) / row.operations(row.sizes[k]);
    return best[k + 1] / best[k] / operations;
  });
  worst = Math.max(worst, ...ratios);
  const times = best.map((ms, k) => `${row.sizes[k]}: ${ms.toFixed(3)} ms`).join(", ");
  console.log(
    `${row.name.padEnd(46)} ${ratios.map((ratio) => ratio.toFixed(2)).join(" ")}   (${times})`,
  );
}
console.log(`worst ${worst.toFixed(2)} times the operations (limit ${allowed})`);
const exponent = growthOfCommands(values.only);
const power = `the power ${exponent.toFixed(2)} of a program's length`;
console.log(`commands grow with ${power} (limit ${exponentAllowed})`);
process.exitCode = worst <= allowed && exponent <= exponentAllowed ? 0 : 1;
