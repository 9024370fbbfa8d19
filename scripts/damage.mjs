// The long test: damages every program of the suite in every place and judges the messages. `npm
// run test:long -- --every 100 --seed 1` makes one damage in a hundred, and `--show 20` shows more
// of the worst messages.

import { parseArgs } from "node:util";
import { loadTs, root } from "./load-ts.mjs";

const { values } = parseArgs({
  options: {
    every: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    show: { type: "string", default: "10" },
  },
});
const from = performance.now();
const { judgeDamages, percentage, showOffence, rightPrograms, worstOf } =
  await loadTs("test/damage/damage.ts");
const report = judgeDamages(rightPrograms(root), {
  every: Number(values.every),
  seed: Number(values.seed),
});
for (const offence of worstOf(report, Number(values.show)))
  console.log(`${showOffence(offence)}\n`);

const { programs, damages, accepted, offences } = report;
const count = (reason) => offences.filter((offence) => offence.reason === reason).length;
const seconds = ((performance.now() - from) / 1000).toFixed(1);
console.log(
  `${damages} damages of ${programs} programs in ${seconds} s; ${accepted} leave a valid program`,
);
console.log(
  `${count("too many")} with more than 2 errors, ` +
    `${count("elsewhere")} with the first error elsewhere, ${count("threw")} that throw`,
);
console.log(`${percentage(report).toFixed(2)} % answered well`);
process.exitCode = percentage(report) >= 95 && count("threw") === 0 ? 0 : 1;
