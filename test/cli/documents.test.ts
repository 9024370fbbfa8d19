// The code of the README and the command lines of the documents give the output that they show.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commandsOf } from "../pages.ts";
import { session } from "./session.ts";

const { ein } = session();
const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const blocks = (page: string): readonly string[] =>
  [...page.matchAll(/^```\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);

describe("the README", () => {
  test("its program prints what stands beside each print", async () => {
    const [program = ""] = blocks(read("README.md"));
    const promised = [...program.matchAll(/^print\(.*\); *\/\/ (.*)$/gm)].map((match) => match[1]!);
    expect(promised.length).toBeGreaterThan(1);
    expect(await ein(["-e", program])).toEqual({
      code: 0,
      out: `${promised.join("\n")}\n`,
      err: "",
    });
  });

  test("its commands are scripts of the package", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = [...read("README.md").matchAll(/^npm ci && npm (?:run )?(\w+)$/gm)].map(
      (match) => match[1]!,
    );
    expect(named).toEqual(["demo", "test"]);
    for (const name of named) expect(scripts).toHaveProperty(name);
  });
});

describe("docs/contributing.md", () => {
  test("names only scripts that there are, and every measurement", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = new Set(
      [...read("docs/contributing.md").matchAll(/`npm run ([\w:]+)/g)].map((match) => match[1]!),
    );
    for (const name of named) expect(Object.keys(scripts)).toContain(name);
    for (const name of Object.keys(scripts).filter((script) => script.startsWith("bench:"))) {
      expect([...named]).toContain(name);
    }
  });
});

describe("docs/command-line.md", () => {
  const sessions = blocks(read("docs/command-line.md")).filter((block) =>
    block.startsWith("$ npx ein "),
  );

  test("shows some command lines", () => {
    expect(sessions.length).toBeGreaterThan(1);
  });

  test.each(sessions)("%s", async (block) => {
    const [line = "", ...output] = block.split("\n");
    const [words = []] = commandsOf(line.replace("$ npx ein ", ""));
    expect((await ein(words)).out).toBe(output.join("\n"));
  });
});
