// `ein --help` and docs/command-line.md agree.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { helpText } from "../../src/cli/arguments.ts";
import { commands, unbuiltCommands } from "../../src/cli/commands.ts";
import { closing, commandReference, documented, opening } from "./reference.ts";

const path = fileURLToPath(new URL("../../docs/command-line.md", import.meta.url));

function page(): string {
  return readFileSync(path, "utf8");
}

/** Tables without the spaces that line up their columns. */
function unaligned(text: string): string {
  return text.replace(/ +\|/g, " |").replace(/\| -+/g, "| ---");
}

describe("the documented command line", () => {
  test("its tables are those of the program", () => {
    const [before = "", rest = ""] = page().split(opening);
    const [section = "", after = ""] = rest.split(closing);
    if (process.env["UPDATE"] === "1") {
      writeFileSync(path, `${before}${opening}\n\n${commandReference()}\n\n${closing}${after}`);
      return;
    }
    expect(unaligned(section).trim()).toBe(commandReference());
  });

  test("`ein --help` lists exactly the documented commands", () => {
    const listed = [...helpText().matchAll(/^ {2}([a-z][\w-]*)/gm)].map((match) => match[1]!);
    expect(listed).toEqual([...documented(page()).keys()]);
    for (const name of unbuiltCommands) expect(listed).not.toContain(name);
  });

  for (const { name } of commands) {
    test(`\`ein ${name} --help\` lists exactly the documented flags`, () => {
      const listed = [...helpText(name).matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(
        (match) => match[1]!,
      );
      expect(listed.filter((flag) => flag !== "--help")).toEqual(documented(page()).get(name));
    });
  }
});
