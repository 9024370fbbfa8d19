// Measures how the time of `ein check`, `ein grad` and `ein explain` grows with the length of a
// program: a chain of functions, or a chain of statements.
//
// The measure is the processor time of all threads of the command, minus the time for a program of
// a few lines, so that other processes on the machine have little effect. The best of several runs
// counts.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./load-ts.mjs";

const [few, many] = [100, 1000];
/** Time may grow as this power of the length. A quadratic pass would have 2. */
export const exponentAllowed = 1.2;

const chains = {
  "chain of functions": (n) =>
    [
      "fn f1(a: f32) -> f32 { a * 0.5 }",
      ...links(n, (k) => `fn f${k + 1}(a: f32) -> f32 { f${k}(a * 0.9) + a }`),
      `input x: f32; let loss = f${n + 1}(x); let g = @loss / @x;`,
    ].join("\n"),
  "chain of statements": (n) =>
    [
      "input x: [f32; n]; let v0[i] = x[i];",
      ...links(n, (k) => `let v${k}[i] = sin(v${k - 1}[i] * 0.9) + x[i];`),
      `let loss = sum[i](v${n}[i]); let g = @loss / @x;`,
    ].join("\n"),
};

const commands = {
  check: ["check"],
  grad: ["grad", "--of", "loss", "--wrt", "x"],
  explain: ["explain", "--of", "loss", "--wrt", "x"],
};

function links(count, link) {
  return Array.from({ length: count }, (_, k) => link(k + 1));
}

/** Prints the growth of each command and returns the greatest exponent. */
export function growthOfCommands(only = "", runs = 3) {
  const folder = mkdtempSync(join(tmpdir(), "ein-growth-"));
  let worst = 0;
  try {
    for (const [chain, text] of Object.entries(chains))
      for (const [command, words] of Object.entries(commands)) {
        const name = `ein ${command}, ${chain}`;
        if (!name.includes(only)) continue;
        const best = [0, few, many].map(() => Infinity);
        for (let run = 0; run < runs; run++)
          for (const [k, n] of [0, few, many].entries()) {
            const ms = cpuOf(folder, words, text(n));
            best[k] = Math.min(best[k], ms);
          }
        const [start, ...times] = best;
        const [first, last] = times.map((ms) => ms - start);
        const exponent = Math.log(last / first) / Math.log(many / few);
        worst = Math.max(worst, exponent);
        const each = `(${few}: ${first.toFixed(0)} ms, ${many}: ${last.toFixed(0)} ms)`;
        console.log(`${name.padEnd(46)} ${exponent.toFixed(2)}   ${each}`);
      }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return worst;
}

/**
 * The milliseconds of processor time of a command. The process itself writes them to a file when it
 * ends.
 */
function cpuOf(folder, words, text) {
  const program = join(folder, "program.ein");
  const hook = join(folder, "hook.cjs");
  const said = join(folder, "cpu.txt");
  writeFileSync(program, text);
  writeFileSync(
    hook,
    `if (require("node:worker_threads").isMainThread) process.on("exit", () => {
      const { user, system } = process.cpuUsage();
      require("node:fs").writeFileSync(${JSON.stringify(said)}, String((user + system) / 1000));
    });`,
  );
  const [command, ...flags] = words;
  const line = ["--require", hook, `${root}dist/ein.js`, command, program, ...flags];
  const options = { encoding: "utf8", maxBuffer: 1 << 28 };
  const { status, stderr } = spawnSync(process.execPath, line, options);
  if (status !== 0)
    throw new Error(`${command} of a chain failed:\n${String(stderr).slice(0, 2000)}`);
  return Number(readFileSync(said, "utf8"));
}
