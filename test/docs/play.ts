// Runs an example of the documentation, a program or a session, and returns the example with its
// real output.

import { writeFileSync } from "node:fs";
import { format } from "../../src/syntax/format/format.ts";
import { parse } from "../../src/syntax/parse/parser.ts";
import type { Answer, Setting } from "../cli/session.ts";
import { runModule } from "../module.ts";
import type { Block, Example } from "./page.ts";

type Ein = (words: readonly string[], setting?: Setting) => Promise<Answer>;

/**
 * The blocks of the example, with programs in the canonical layout and with the real output. Files
 * are written to the working folder.
 */
export async function play(example: Example, ein: Ein): Promise<readonly Block[]> {
  const blocks = example.blocks.map(laidOut);
  const program = blocks.find(({ language, name }) => language === "ein" && name === "");
  if (program) return playProgram(blocks, program, ein);
  if (blocks[0]?.language === "ts") return playModule(blocks[0]);
  const [block] = blocks;
  if (!block || blocks.length > 1)
    throw new Error(`line ${block?.line}: what is shown here belongs to no program`);
  switch (block.language) {
    case "ein":
      writeFileSync(block.name, `${block.text}\n`);
      return blocks;
    case "sh":
      return [{ ...block, text: await playSession(block, ein) }];
    case "python":
      return blocks;
    case "input":
    case "ts":
    case "output":
    case "error":
      throw new Error(`line ${block.line}: this belongs to no program`);
    default:
      return block.language satisfies never;
  }
}

async function playProgram(
  blocks: readonly Block[],
  program: Block,
  ein: Ein,
): Promise<readonly Block[]> {
  writeFileSync("example.ein", `${program.text}\n`);
  const inputs = blocks.filter(({ language }) => language === "input");
  const flags = inputs.flatMap(({ text }) => text.split("\n")).flatMap(giveInput);
  const { out, err } = await ein(["run", "example.ein", ...flags]);
  const shown = (language: "output" | "error", text: string): readonly Block[] =>
    text === "" ? [] : [{ language, name: "", text: text.trimEnd(), line: program.line }];
  const showing = [...shown("output", out), ...shown("error", err)];
  if (showing.length === 0) throw new Error(`line ${program.line}: this program shows nothing`);
  return [...inputs, program, ...showing];
}

/** Runs a module of the user. Its output is what it logs. */
async function playModule(module: Block): Promise<readonly Block[]> {
  const stdout = await runModule(module.text, process.cwd());
  if (stdout === "") throw new Error(`line ${module.line}: this program shows nothing`);
  return [module, { language: "output", name: "", text: stdout.trimEnd(), line: module.line }];
}

/** A program in the canonical layout. A program with a syntax error stays as it is. */
function laidOut(block: Block): Block {
  if (block.language !== "ein") return block;
  const { module, diagnostics } = parse({ name: "example.ein", text: `${block.text}\n` });
  return diagnostics.length > 0 ? block : { ...block, text: format(module).trimEnd() };
}

function giveInput(line: string): readonly string[] {
  const [, name, json] = /^(\w+) = (.*)$/.exec(line) ?? [];
  if (name === undefined || json === undefined)
    throw new Error(`an input is given as "name = JSON", not "${line}"`);
  writeFileSync(`${name}.json`, json);
  return ["--in", `${name}=${name}.json`];
}

/** The command lines of a session, each with its output at a terminal, without colours. */
async function playSession({ text, line }: Block, ein: Ein): Promise<string> {
  const parts: string[] = [];
  for (const command of commandsOf(text)) {
    const source = command.replace(/^(\$|>) /gm, "");
    const [npx, tool, ...words] = [...source.matchAll(/'([^']*)'|(\S+)/g)].map(
      (match) => match[1] ?? match[2]!,
    );
    if (npx !== "npx" || tool !== "ein")
      throw new Error(`line ${line}: a session runs "npx ein", not "${source}"`);
    const { out, err } = await ein(words, { terminal: true, env: { NO_COLOR: "1" } });
    parts.push(
      command,
      ...[out + err].map((shown) => shown.trimEnd()).filter((shown) => shown !== ""),
    );
  }
  if (parts.length === 0)
    throw new Error(`line ${line}: a session has a command line, "$ npx ein …"`);
  return parts.join("\n");
}

function commandsOf(text: string): readonly string[] {
  return [...text.matchAll(/^\$ .*(?:\n> .*)*/gm)].map(([command]) => command);
}
