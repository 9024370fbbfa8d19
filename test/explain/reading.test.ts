// docs/reading-gradients.md shows the real output. UPDATE=1 rewrites it; read the difference.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { session } from "../cli/session.ts";
import { commandsOf } from "../pages.ts";

const { ein } = session();
const path = fileURLToPath(new URL("../../docs/reading-gradients.md", import.meta.url));
const block = /^```\n\$ npx (ein .*)\n([\s\S]*?)^```$/gm;
const page = readFileSync(path, "utf8");
const shown = [...page.matchAll(block)].map(([, command, output]) => ({
  command: command!,
  output: output!,
}));

async function outputOf(command: string): Promise<string> {
  const [words = []] = commandsOf(command.replace(/^ein /, ""));
  const { code, out } = await ein(words);
  expect(code).toBe(0);
  return out;
}

describe("docs/reading-gradients.md", () => {
  test("shows commands of every kind", () => {
    expect(shown.length).toBeGreaterThan(7);
  });

  if (process.env["UPDATE"] === "1") {
    test("is rewritten", { timeout: 60_000 }, async () => {
      const outputs = new Map<string, string>();
      for (const { command } of shown) outputs.set(command, await outputOf(command));
      writeFileSync(
        path,
        page.replace(
          block,
          (_, command: string) => `\`\`\`\n$ npx ${command}\n${outputs.get(command)!}\`\`\``,
        ),
      );
    });
  } else {
    test.each(shown)("$command", async ({ command, output }) => {
      expect(await outputOf(command)).toBe(output);
    });
  }
});
