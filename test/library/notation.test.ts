// The messages of the TypeScript compiler about `ein("…")`. `UPDATE=1` records the present ones;
// read the difference.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const recorded = here("notation.messages.txt");

/** The messages, each under its line. The full type of a value is left out. */
async function messages(): Promise<string> {
  const compiler = here("../../node_modules/typescript/bin/tsc");
  const said = await promisify(execFile)(process.execPath, [
    compiler,
    "-p",
    here("tsconfig.json"),
    "--pretty",
    "false",
  ]).then(
    ({ stdout }) => stdout,
    (problem: { readonly stdout: string }) => problem.stdout,
  );
  const lines = readFileSync(here("notation.test-d.ts"), "utf8").split("\n");
  return said
    .replaceAll(/\{ (?:readonly )?\w+: .*?\}'/g, "{ … }'")
    .split(/^(?=\S)/m)
    .filter((message) => message !== "")
    .map((message) => {
      const [, line, text] = /\((\d+),\d+\): error (TS[\s\S]*)$/.exec(message) ?? [];
      return `${lines[Number(line) - 2]}\n${lines[Number(line) - 1]}\n  ${text ?? message}`;
    })
    .join("\n");
}

test(
  "wrong texts and wrong values get a sentence each, right ones nothing",
  { timeout: 120_000 },
  async () => {
    const said = await messages();
    if (process.env["UPDATE"]) writeFileSync(recorded, said);
    expect(said).toBe(readFileSync(recorded, "utf8"));
    const [, wrong = ""] = readFileSync(here("notation.test-d.ts"), "utf8").split("// ── wrong");
    expect(said.match(/TS\d+/g)?.length).toBe(wrong.match(/^\/\/ an? /gm)!.length);
  },
);
