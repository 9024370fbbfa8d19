// `npm run bench:busy [-- gemm-512 heat]`: runs some rows on two threads, with and without another
// process that occupies a core. The loss of one of two cores may double the time. A thread that
// waits for another thread without a core would take longer.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadTs, root } from "../scripts/load-ts.mjs";
import { compile, useRelaxedSimd, useThreads } from "../dist/index.js";

const { rowsAt } = await loadTs("bench/rows.ts");
const chosen = process.argv.slice(2);
const wanted = chosen.length > 0 ? chosen : ["gemm-512", "norm-both", "mlp-step", "heat"];
const rows = rowsAt("full").filter(({ id }) => wanted.includes(id));
const missing = wanted.find((id) => !rows.some((row) => row.id === id));
if (missing !== undefined) {
  console.error(
    `there is no row \`${missing}\`: ${rowsAt("full")
      .map(({ id }) => id)
      .join(", ")}`,
  );
  process.exit(2);
}

const rounds = 5;
const roundMs = 1200;
/**
 * A factor of 2 for the lost core, and a quarter more for threads that lose their core while
 * another thread waits for them.
 */
const mostTimes = 2.5;

useRelaxedSimd();
const threads = useThreads(2);
console.log(
  `${threads} threads on ${availableParallelism()} cores; ` +
    `mean milliseconds a run, median of ${rounds} rounds`,
);
let worst = 0;
for (const row of rows) {
  const run = await prepared(row);
  const [quiet, busy] = [[], []];
  for (let round = 0; round < rounds; round++) {
    quiet.push(await meanMs(run));
    busy.push(await beside(() => meanMs(run)));
  }
  const [alone, crowded] = [median(quiet), median(busy)];
  worst = Math.max(worst, crowded / alone);
  console.log(
    `${row.id.padEnd(12)} ${alone.toFixed(2).padStart(9)} alone ` +
      `${crowded.toFixed(2).padStart(9)} beside a busy process ` +
      `${(crowded / alone).toFixed(2).padStart(6)} ×`,
  );
}
console.log(worst <= mostTimes ? "no collapse" : `COLLAPSE: more than ${mostTimes} times as long`);
process.exit(worst <= mostTimes ? 0 : 1);

/**
 * A compiled row whose inputs lie in the memory of the kernels, and which has run several times.
 */
async function prepared({ program: file, inputs: data, outputs, feedback }) {
  const program = await compile(readFileSync(join(root, "bench/programs", `${file}.ein`), "utf8"));
  const inputs = {};
  for (const [name, { shape, cells }] of Object.entries(data)) {
    inputs[name] = program.alloc(name, shape);
    inputs[name].data.set(cells());
  }
  const run = () => {
    const values = program.run(inputs, { get: outputs, view: true });
    for (const [output, input] of Object.entries(feedback)) inputs[input] = values[output];
  };
  for (let k = 0; k < 5; k++) run();
  return run;
}

async function meanMs(run) {
  // Workers and compilers get time to finish their work.
  await sleep(50);
  const from = performance.now();
  let runs = 0;
  for (; performance.now() < from + roundMs; runs++) run();
  return (performance.now() - from) / runs;
}

/** Runs an action while another process occupies a core. */
async function beside(action) {
  const other = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
  try {
    await sleep(300);
    return await action();
  } finally {
    other.kill("SIGKILL");
  }
}

function median(times) {
  return times.toSorted((a, b) => a - b)[times.length >> 1];
}
