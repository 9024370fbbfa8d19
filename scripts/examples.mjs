// `npm run examples`: runs the real programs of examples/, each held to an outcome. Exits with 1 if
// a program misses its outcome. `--full` runs them at full size. `--state DIR` stores what is
// learned there and continues from it. Words choose programs by name: `npm run examples -- --full
// mnist`.

import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { useRelaxedSimd, useThreads } from "einlang";
import { hold } from "../examples/training/bars.mjs";

const { full, state, chosen } = readWords();
const folders = ["mnist", "tables", "heat", "text"];
const modules = await Promise.all(
  folders.map((folder) => import(`../examples/${folder}/programs.mjs`)),
);
const programs = modules.flatMap((module) => module.programs);
const wanted = programs.filter(
  ({ name }) => chosen.length === 0 || chosen.some((word) => name.includes(word)),
);
if (wanted.length === 0)
  refuse(
    `there is no such program: there are ${programs.map(({ name }) => `"${name}"`).join(", ")}`,
  );
if (state !== undefined) mkdirSync(state, { recursive: true });

useThreads(Math.min(8, availableParallelism()));
useRelaxedSimd();
const pathOf = (name) =>
  state === undefined ? undefined : join(state, `${name.replaceAll(/\W+/g, "-")}.safetensors`);
const missed = await hold(wanted, { full, pathOf, write: (line) => console.log(line.trimEnd()) });
process.exitCode = missed === 0 ? 0 : 1;

function readWords() {
  try {
    const options = { full: { type: "boolean", default: false }, state: { type: "string" } };
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    return { ...values, chosen: positionals };
  } catch (problem) {
    return refuse(problem.message);
  }
}

function refuse(why) {
  console.error(`${why}\nusage: npm run examples -- [--full] [--state DIR] [NAME …]`);
  process.exit(2);
}
