// Writes src/std/texts.ts: the texts of std/*.ein as constants, because the compiler reads no
// files.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../std/", import.meta.url));
const target = fileURLToPath(new URL("../src/std/texts.ts", import.meta.url));

/** The text of the file. */
export function embedded() {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".ein"))
    .sort();
  const entries = names.map((name) => {
    const text = readFileSync(folder + name, "utf8").replace(/[\\`]|\$\{/g, "\\$&");
    return `  [\n    "${name.slice(0, -4)}",\n    \`${text}\`,\n  ],\n`;
  });
  return (
    "// Generated from std/*.ein by scripts/embed-std.mjs: " +
    "the modules of the library with their texts.\n\n" +
    "export const standardTexts: readonly (readonly [string, string])[] = [\n" +
    `${entries.join("")}];\n`
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, embedded());
