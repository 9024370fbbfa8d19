// docs/repl.md: its sessions are played and must give the output that they show. Its table is the
// table of commands.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { newState, submit, type Interpreter } from "../../src/cli/repl/interpreter.ts";
import { blockClosing, blockOpening, sessionCommands } from "../../src/repl/commands.ts";
import { emptyReader, readLine } from "../../src/repl/reader.ts";

const path = fileURLToPath(new URL("../../docs/repl.md", import.meta.url));
const prompt = /^(?:ein|\.\.\.)> /;
const opening =
  "<!-- from src/repl/commands.ts; renew: UPDATE=1 npx vitest run test/cli/repl-page.test.ts -->";
const closing = "<!-- end of the table -->";

/** A session with its output as a terminal of 100 columns shows it. */
function played(block: string): string {
  let screen = "";
  const stream = { isTerminal: true, columns: 100, write: (text: string) => void (screen += text) };
  const settings = { files: [], scalars: [], f64: false, trap: undefined, maxMemory: undefined };
  const io = { out: stream, err: stream, env: { NO_COLOR: "1" }, now: () => 0 };
  const interpreter: Interpreter = { ...newState(settings), settings, io };
  let reader = emptyReader;
  for (const line of block.split("\n").filter((each) => prompt.test(each))) {
    screen += `${line}\n`;
    const read = readLine(reader, line.replace(prompt, ""));
    reader = read.reader;
    if (read.text !== undefined) submit(interpreter, read.text);
  }
  return screen;
}

function table(): string {
  const rows = sessionCommands.map(
    ({ name, takes, about }) => `| \`:${name}${takes ? ` ${takes}` : ""}\` | ${about} |`,
  );
  const block = `| \`${blockOpening}\` … \`${blockClosing}\` | several lines as one entry |`;
  return ["| command | what it does |", "| --- | --- |", ...rows, block].join("\n");
}

/** Tables without the spaces that line up their columns. */
function unaligned(text: string): string {
  return text.replace(/ +\|/g, " |").replace(/\| -+/g, "| ---");
}

function pageAsItShouldBe(page: string): string {
  const withSessions = page.replaceAll(
    /^```\n(ein> [\s\S]*?)^```$/gm,
    (_, block: string) => `\`\`\`\n${played(block)}\`\`\``,
  );
  const [before = "", rest = ""] = withSessions.split(opening);
  return `${before}${opening}\n\n${table()}\n\n${closing}${rest.split(closing)[1] ?? ""}`;
}

describe("docs/repl.md", () => {
  test("shows what happens", () => {
    const page = readFileSync(path, "utf8");
    if (process.env["UPDATE"] === "1") writeFileSync(path, pageAsItShouldBe(page));
    else expect(unaligned(page)).toBe(unaligned(pageAsItShouldBe(page)));
  });
});
