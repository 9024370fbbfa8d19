// Every program in this folder contains, under a line `//---`, the text of its messages as a reader
// sees them.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { renderAllText } from "../../src/diagnostics/render-text.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const rule = "//---\n";

describe("messages", () => {
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".ein"))) {
    test(file, () => {
      const whole = readFileSync(folder + file, "utf8");
      const at = whole.indexOf(rule);
      const text = at < 0 ? whole : whole.slice(0, at);
      const rendered = rendering(file, text);
      if (process.env["UPDATE"] === "1")
        writeFileSync(folder + file, `${text}${rule}${commented(rendered)}`);
      else expect(uncommented(whole.slice(at + rule.length))).toBe(rendered);
      expect(rendered, "a program in this folder has something wrong with it").not.toBe("");
    });
  }
});

/** The messages of the compiler. Without any, the messages of the run. */
function rendering(name: string, text: string): string {
  const { diagnostics, program } = compile({ name, text });
  const fault = program?.run({}).fault;
  return renderAllText(fault ? [...diagnostics, fault] : diagnostics, { color: false, width: 120 });
}

function commented(text: string): string {
  return text
    .split("\n")
    .map((line) => `${`// ${line}`.trimEnd()}\n`)
    .join("");
}

function uncommented(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^\/\/ ?/, ""))
    .join("\n");
}
