// Every program and session in the documentation gives the output that is shown under it. `UPDATE=1
// npx vitest run test/docs` writes the present output; read the difference.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { session } from "../cli/session.ts";
import { readPage, writeExample, writePage, type Example, type Piece } from "./page.ts";
import { play } from "./play.ts";
import { inScratchFolder } from "./scratch.ts";

const { ein } = session();
const folder = fileURLToPath(new URL("../../docs/", import.meta.url));
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
// Tests in test/cli check the pages of the command line and of the prompt. The others show pictures
// and scripts for contributors.
const elsewhere = [
  "api.md",
  "command-line.md",
  "repl.md",
  "architecture.md",
  "contributing.md",
  "reading-gradients.md",
];
const pages = readdirSync(folder).filter(
  (name) => name.endsWith(".md") && !elsewhere.includes(name),
);
/**
 * The milliseconds for one example. Examples are whole programs, and a busy machine must not fail
 * them.
 */
const patience = 60_000;
const isExample = (piece: Piece): piece is Example => typeof piece !== "string";

inScratchFolder();

describe.each(pages)("docs/%s", (name) => {
  const pieces = readPage(name, read(name));
  const examples = pieces.filter(isExample);
  const played = new Map<Example, Example>();

  test.each(
    examples.map((example) => ({ example, at: example.blocks[0]!.line, heading: example.heading })),
  )(
    "line $at, $heading",
    async ({ example }) => {
      const blocks = await play(example, ein);
      played.set(example, { ...example, blocks });
      if (!process.env["UPDATE"]) expect(writeExample(example.blocks)).toBe(writeExample(blocks));
    },
    patience,
  );

  test("every file that it shows is used by something below", () => {
    for (const [at, example] of examples.entries()) {
      const [file] = example.blocks;
      if (!file || file.name === "") continue;
      const used = new RegExp(
        `\\b(mod ${file.name.replace(".ein", "")};|${file.name.replace(".", "\\.")})`,
      );
      const below = examples.slice(at + 1).flatMap(({ blocks }) => blocks.map(({ text }) => text));
      expect(
        below.some((text) => used.test(text)),
        file.name,
      ).toBe(true);
    }
  });

  const beside = join(folder, name.replace(".md", ""));
  test.runIf(existsSync(beside))("the files that it shows lie in the folder of its name", () => {
    const shown = examples.flatMap(({ blocks }) => blocks.filter((block) => block.name !== ""));
    const lying = readdirSync(beside).filter((file) => file.endsWith(".ein"));
    expect(lying.map((file) => [file, readFileSync(join(beside, file), "utf8").trim()])).toEqual(
      shown.map((file) => [file.name, file.text.trim()]).sort(([a], [b]) => (a! < b! ? -1 : 1)),
    );
  });

  test("every link inside the documentation leads somewhere", () => {
    for (const [link, path = "", anchor = ""] of links(pieces)) {
      expect(existsSync(join(folder, path)), link).toBe(true);
      if (anchor !== "")
        expect(anchors(read(path === "" ? name : path)), link).toContain(anchor.slice(1));
    }
  });

  test("a list of contents leads to every heading", () => {
    const headings = anchors(read(name)).slice(1);
    const listed = links(pieces).map(([, path, anchor = ""]) =>
      path === "" ? anchor.slice(1) : "",
    );
    if (headings.includes("contents"))
      expect(headings.filter((one) => !listed.includes(one))).toEqual(["contents"]);
  });

  afterAll(() => {
    if (!process.env["UPDATE"]) return;
    const now = pieces.map((piece) => (isExample(piece) ? (played.get(piece) ?? piece) : piece));
    writeFileSync(join(folder, name), writePage(now));
  });
});

test(
  "the reference lists every module of the standard library, " +
    "and its page everything that they give",
  () => {
    const std = fileURLToPath(new URL("../../std/", import.meta.url));
    for (const file of readdirSync(std)) {
      const module = file.replace(".ein", "");
      expect(read("language.md")).toContain(`| \`std::${module}\` `);
      const [, part = ""] = read("std.md").split(`## std::${module}\n`);
      const given = [
        ...readFileSync(join(std, file), "utf8").matchAll(
          /^pub (?:fn|const|let|enum|struct) (\w+)/gm,
        ),
      ];
      expect(given.length).toBeGreaterThan(0);
      for (const [, name] of given)
        expect(part.split("\n## ")[0]).toMatch(new RegExp(`^- \`${name}\\b`, "m"));
    }
  },
);

function links(pieces: readonly Piece[]): readonly RegExpMatchArray[] {
  const prose = pieces
    .filter((piece): piece is string => typeof piece === "string")
    .join("\n")
    .replace(/`[^`]*`/g, "");
  return [...prose.matchAll(/\]\(([^()#:]*)(#[^()]*)?\)/g)];
}

/** The anchors of a heading in rendered Markdown. */
function anchors(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replace(/ /g, "-"),
  );
}
