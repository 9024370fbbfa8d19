// Measures `ein check`: 5,000 declarations with symbolic extents must take less than three seconds,
// and time must grow in proportion to their number.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./load-ts.mjs";

const sizes = [1_250, 2_500, 5_000];
const secondsAllowed = 3;
/**
 * The greatest ratio of the time per declaration between the longest and the shortest program. A
 * quadratic checker would have 4.
 */
const growthAllowed = 2;

const folder = mkdtempSync(join(tmpdir(), "ein-bench-"));
const times = sizes.map((size) => measure(program(size)));
rmSync(folder, { recursive: true });

sizes.forEach((size, at) => {
  const each = (times[at] / size) * 1e3;
  console.log(
    `${String(size).padStart(5)} declarations  ${times[at].toFixed(2)} s  ${each.toFixed(3)} ` +
      "ms a declaration",
  );
});
const growth = times.at(-1) / sizes.at(-1) / (times[0] / sizes[0]);
console.log(
  `${sizes.at(-1)} declarations in ${times.at(-1).toFixed(2)} s (limit ${secondsAllowed}), ` +
    `growth ${growth.toFixed(2)} (limit ${growthAllowed})`,
);
process.exitCode = times.at(-1) < secondsAllowed && growth < growthAllowed ? 0 : 1;

/** A program with the usual kinds of declarations, in chains as long as those of a deep network. */
function program(count) {
  const lines = [
    "input x: [f32; batch, feature];",
    "input w: [f32; feature, feature];",
    "input bias: [f32; feature];",
    "input start: [f32; feature];",
    "fn scale(v: [f32; n, m], by: f32) -> [f32; n, m] { by * v[n, m] }",
    "fn centred[j](v: [f32; ..left, j]) -> [f32; " +
      "..left, j] { v[..left, j] - mean[j](v[..left, j]) }",
    "let h0[b, i] = x[b, i];",
  ];
  const kinds = [
    (n, last) => `let h${n}[b, j] = sum[i](h${last}[b, i] * w[i, j]) + bias[j];`,
    (n, last) =>
      `let h${n}[b, i] = if h${last}[b, i] > 0 { h${last}[b, i] } else { 0.1 * h${last}[b, i] };`,
    (n, last) => `let h${n}[b, i] = h${last}[b, i] - mean[k](h${last}[b, k] where k <= i);`,
    (n, last) => `let h${n} = scale(h${last}, 0.${(n % 9) + 1});`,
    (n, last) => `let h${n}[b, i] = centred[i](h${last}[b, i]);`,
    (n, last) =>
      `let h${n}[b, i] = if i > 0 { h${last}[b, i] - h${last}[b, i - 1] } else { h${last}[b, i] };`,
    (n, last) =>
      `let h${n}[b, i] = exp(h${last}[b, i] - max[k](h${last}[b, k])) where i + ` +
      "1 < extent(feature);",
    (n, last) => `let h${n}[b, i] = 0.5 * h${last}[b, i] + max(x[b, i], start[i]);`,
  ];
  const chain = 100;
  for (let n = 1; lines.length < count; n++)
    lines.push(kinds[n % kinds.length](n, n % chain === 1 ? 0 : n - 1));
  return `${lines.join("\n")}\n`;
}

/**
 * The seconds that the command takes, including the start of the process. The better of two runs.
 */
function measure(text) {
  const path = join(folder, "program.ein");
  writeFileSync(path, text);
  const once = () => {
    const from = performance.now();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [`${root}dist/ein.js`, "check", path],
      {
        encoding: "utf8",
      },
    );
    if (status !== 0 || stderr !== "") {
      console.error(`the generated program is not fine:\n${stdout}${stderr}`.slice(0, 4000));
      process.exit(1);
    }
    return (performance.now() - from) / 1000;
  };
  return Math.min(once(), once());
}
