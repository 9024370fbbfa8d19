// A record of what the compiler makes of every case and example: the IR it prints, the checks it leaves to the run, its plan for
// recurrences, each message in full, and what it says of a few mistakes. Cases say what must hold; the record shows everything else that a change moves.
// UPDATE=1 rewrites it: read the difference.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { answers } from "./mistakes.ts";
import { renderAllText } from "../../src/diagnostics/render-text.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Long programs add length and nothing else. */
const longest = 8000;
const longestMistaken = 2000;

function programsIn(folder: string): readonly string[] {
  return readdirSync(here(folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ein"))
    .sort();
}

function recordOf(name: string, text: string): string {
  const { diagnostics, program } = compile({ name, text });
  const parts = [renderAllText(diagnostics, { color: false, width: 120 })];
  // What it says of slightly wrong programs, where the program is right and short.
  const wrong = program && text.length < longestMistaken ? answers(name, text) : "";
  for (const pass of program?.passes ?? []) parts.push(`── ${pass}\n${program!.dump(pass)}`);
  if (wrong !== "") parts.push(`── mistakes\n${wrong}`);
  return `${parts
    .map((part) => part.trimEnd())
    .filter((part) => part !== "")
    .join("\n")}\n`;
}

describe("record", () => {
  for (const folder of ["../cases/", "../../examples/"]) {
    for (const path of programsIn(folder)) {
      const text = readFileSync(here(folder + path), "utf8");
      if (text.length > longest) continue;
      const file = here(
        `./of/${folder.includes("cases") ? "cases" : "examples"}/${path.replace(/\.ein$/, ".txt")}`,
      );
      test(`${folder.slice(3)}${path}`, () => {
        const record = recordOf(path, text);
        if (process.env["UPDATE"] === "1") {
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, record);
        } else expect(record).toBe(readFileSync(file, "utf8"));
      });
    }
  }
});
