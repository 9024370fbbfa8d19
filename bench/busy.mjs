// `npm run bench:busy [-- gemm-512 heat]`: some rows on two threads, with and without another
// process that holds a core. Losing one of two cores may cost a factor of 2; a thread that waits
// for one that the machine has no time for would cost more.

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
 * What losing one of two cores costs, and a quarter for threads that are taken away while another
 * waits for them.
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

/** A row that is compiled, has its inputs where kernels read them, and has been run. */
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
  // Workers and compilers get the time that they need.
  await sleep(50);
  const from = performance.now();
  let runs = 0;
  for (; performance.now() < from + roundMs; runs++) run();
  return (performance.now() - from) / runs;
}

/** Does something beside a process that holds a core. */
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
