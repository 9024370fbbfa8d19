// The output of the compiler for each program is recorded in `test/record/of`: the printed IR, the
// checks that are left to the run, the plan of recurrences, each message in full, and the messages
// for a few mistakes. Cases say what must hold; the record shows every other change. UPDATE=1
// rewrites the records: read the difference.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { renderAllText } from "../../../src/diagnostics/render-text.ts";
import { isTaken } from "../../depth.ts";
import { answers } from "../../record/mistakes.ts";
import type { Subject } from "../subject.ts";
import type { Look } from "./look.ts";

/** Longer programs would only make records longer. */
const longest = 8000;
const longestMistaken = 2000;

/** The heading of the last part of a record. */
const mistakes = "── mistakes\n";

export const asRecorded: Look = {
  name: "what is made of it is on record",
  applies: ({ kind, text }) => ["case", "example", "real"].includes(kind) && text.length <= longest,
  look(subject) {
    const folder = subject.kind === "case" ? "cases" : "examples";
    const path = `../../record/of/${folder}/${subject.name}.txt`;
    const file = fileURLToPath(new URL(path, import.meta.url));
    const isWhole = isTaken(subject.name);
    const found = recordOf(subject, isWhole);
    if (process.env["UPDATE"] === "1") {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, found);
      return;
    }
    const record = readFileSync(file, "utf8");
    expect(found).toBe(isWhole ? record : withoutMistakes(record));
  },
};

function withoutMistakes(record: string): string {
  const at = record.indexOf(mistakes);
  return at < 0 ? record : record.slice(0, at);
}

function recordOf({ name, text, compiled, program }: Subject, withMistakes: boolean): string {
  const parts = [renderAllText(compiled.diagnostics, { color: false, width: 120 })];
  for (const pass of program?.passes ?? []) parts.push(`── ${pass}\n${program!.dump(pass)}`);
  // The messages for slightly wrong programs, if the program is right and short.
  const isMistaken = withMistakes && program && text.length < longestMistaken;
  const wrong = isMistaken ? answers(`${name}.ein`, text) : "";
  if (wrong !== "") parts.push(`${mistakes}${wrong}`);
  return `${parts
    .map((part) => part.trimEnd())
    .filter((part) => part !== "")
    .join("\n")}\n`;
}
