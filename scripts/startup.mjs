// Measures the start of the smallest program against `node -e 0`, in turns. Fails if the ratio is
// over the limit.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const rounds = 20;
const limit = 3;
const ein = fileURLToPath(new URL("../dist/ein.js", import.meta.url));
if (!existsSync(ein)) {
  console.error("dist/ein.js is missing: run `npm run build` first");
  process.exit(1);
}

const empty = [];
const hello = [];
for (let round = 0; round < rounds; round++) {
  empty.push(timed("-e", "0"));
  hello.push(timed(ein, "-e", "print(1);"));
}

const ratio = median(hello) / median(empty);
console.log(`node -e 0             ${median(empty).toFixed(1)} ms (median of ${rounds})`);
console.log(`ein -e 'print(1);'    ${median(hello).toFixed(1)} ms (median of ${rounds})`);
console.log(`ratio                 ${ratio.toFixed(2)} (limit ${limit})`);
process.exitCode = ratio <= limit ? 0 : 1;

function timed(...words) {
  const from = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const took = performance.now() - from;
  if (status !== 0) {
    console.error(`${words.join(" ")} failed:\n${stderr.toString()}`);
    process.exit(1);
  }
  return took;
}

function median(times) {
  const ordered = [...times].sort((a, b) => a - b);
  return (ordered[(ordered.length - 1) >> 1] + ordered[ordered.length >> 1]) / 2;
}
