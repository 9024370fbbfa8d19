// This folder compares the speed of Einlang with that of its peers; what the peers compute is
// written in `peers/`, and the Einlang of each row in `programs/`.
//
// `npm run bench` reads the flags, runs the contest, and writes the report if everything was
// measured.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { contenders, type Place } from "./contenders.ts";
import { hold, type Outcome } from "./contest.ts";
import { highest, measureLimits, type Limits } from "./limits.ts";
import { recording } from "./recording.ts";
import { report } from "./report.ts";
import { rowsAt } from "./rows.ts";

const usage = `usage: npm run bench -- [flags]
  --only gemm,rnn       rows whose names begin so (${rowsAt("small")
    .map(({ id }) => id)
    .join(" ")} startup fresh)
  --peers numpy,jax-js  against these peers only (${contenders
    .slice(1)
    .map(({ name }) => name)
    .join(" ")})
  --threads 1,2         a table for each of these numbers of threads
  --rounds 3            how often every contender has its turn in all rows
  --quick               one short round
  --small               tiny data and one run: does everybody compute the same? \
No times are reported
  --record              with --small: what the peers computed, for the tests, in bench/recorded.json
  --out FILE            where the report goes; without it, a full run writes bench/RESULTS.md`;

const { values } = flags();
const root = process.env["EIN_BENCH_ROOT"]!;
const place: Place = {
  root,
  peers: join(root, "bench/peers"),
  built: join(root, "bench/peers/.cache/built"),
};
const threads = list(values.threads).map(Number);
if (threads.some((count) => !Number.isSafeInteger(count) || count < 1))
  refuse("--threads wants whole numbers");
const hasty = values.quick || values.small;
const rounds = hasty ? 1 : Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) refuse("--rounds wants a whole number");
const unknown = list(values.peers).find(
  (name) => !contenders.some((contender) => contender.name === name),
);
if (unknown !== undefined) refuse(`there is no peer ${unknown}`);

const [load = 0] = loadavg();
if (!hasty && load > 0.5)
  console.log(`The machine is busy (load ${load.toFixed(1)}): these times will not mean much.`);
const limits = new Map<number, Limits>();
await measureAgain();
const contest = await hold({
  scale: values.small ? "small" : "full",
  only: list(values.only),
  peers: list(values.peers),
  threads,
  rounds,
  budgetMs: values.small ? 0 : values.quick ? 50 : 500,
  place,
  note: (line) => console.log(line),
});
// The machine has slow minutes, so its limits are measured again. The higher rates count.
await measureAgain();
if (values.small) checked();
else written();

async function measureAgain(): Promise<void> {
  for (const count of threads) {
    const now = await measureLimits(count, place.built, hasty ? 50 : 500);
    limits.set(count, highest(limits.get(count) ?? now, now));
  }
}

/**
 * With tiny data only the agreement of the results counts. The results of the peers can be recorded
 * for the tests.
 */
function checked(): never {
  const wrong = contest.lines.filter(({ outcomes }) => [...outcomes.values()].some(isWrong));
  console.log(
    `${contest.lines.length} rows, ${wrong.length} with somebody who failed or disagrees`,
  );
  if (values.record) writeFileSync(join(root, "bench/recorded.json"), recording(contest));
  process.exit(wrong.length === 0 ? 0 : 1);
}

function isWrong(outcome: Outcome): boolean {
  return outcome.kind === "failed" || (outcome.kind === "timed" && !outcome.agrees);
}

/** The report of a partial run is shown. The report of a whole run is written to a file. */
function written(): never {
  const notes = join(root, "bench/notes.md");
  const page = report(contest, {
    date: new Date().toISOString().slice(0, 10),
    machine: [
      `${cpus().length} × ${cpus()[0]?.model.trim()}`,
      `${Math.round(totalmem() / 2 ** 30)} GiB`,
    ].join(", "),
    load,
    notes: existsSync(notes) ? readFileSync(notes, "utf8") : "",
    command: [
      "npm run bench",
      ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : []),
    ].join(" "),
    limits,
  });
  const whole = !values.quick && values.only === "" && values.peers === "";
  const out = values.out ?? (whole ? join(root, "bench/RESULTS.md") : undefined);
  if (out === undefined) console.log(`\n${page}`);
  else writeFileSync(out, page);
  process.exit(0);
}

function flags() {
  try {
    return parseArgs({
      options: {
        only: { type: "string", default: "" },
        peers: { type: "string", default: "" },
        threads: { type: "string", default: "1,2" },
        rounds: { type: "string", default: "3" },
        quick: { type: "boolean", default: false },
        small: { type: "boolean", default: false },
        record: { type: "boolean", default: false },
        out: { type: "string" },
      },
    });
  } catch (failure) {
    return refuse((failure as Error).message);
  }
}

function list(text: string): readonly string[] {
  return text.split(",").filter((part) => part !== "");
}

function refuse(why: string): never {
  console.error(`${why}\n${usage}`);
  process.exit(2);
}
