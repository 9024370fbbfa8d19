// Reads the pages on errors, for tests of their form and of their examples.

import { readdirSync, readFileSync } from "node:fs";

export interface Page {
  readonly code: string;
  readonly title: string;
  /**
   * The language of the example and the fix: programs, command lines, or modules that use the
   * library.
   */
  readonly language: "ein" | "sh" | "ts";
  readonly cause: string;
  /** Gives a message with this code and no other error. */
  readonly example: string;
  /** The example without the mistake. */
  readonly fix: string;
  readonly advice: string;
}

const folder = new URL("../docs/errors/", import.meta.url);

/** The codes that have a page, by the names of the files. */
export function pageNames(): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.slice(0, -".md".length))
    .sort();
}

/** Every page, in the order of the codes. */
export function pages(): readonly Page[] {
  return pageNames().map((name) =>
    readPage(name, readFileSync(new URL(`${name}.md`, folder), "utf8")),
  );
}

const paragraph = "(?:(?!#|```).+\\n)+";
const fenced = (name: string, language: string) =>
  `\`\`\`${language}\\n(?<${name}>(?:(?!\`\`\`).*\\n)+)\`\`\`\\n`;
const form = new RegExp(
  `^# (?<code>[EW]\\d{4}): (?<title>.+)\\n\\n(?<cause>${paragraph})\\n` +
    `## Example\\n\\n${fenced("example", "(?<language>ein|sh|ts)")}\\n` +
    `## Fix\\n\\n${fenced("fix", "\\k<language>")}\\n(?<advice>${paragraph})$`,
);

/** Reads one page. The form is strict, because the tool prints pages and tests run them. */
export function readPage(name: string, text: string): Page {
  const { code, title, language, cause, example, fix, advice } = form.exec(text)?.groups ?? {};
  if (code !== name) {
    throw new Error(
      `docs/errors/${name}.md does not have the form "# ${name}: ` +
        `title", a paragraph, "## Example", one block, ` +
        `"## Fix", one block of the same language, a closing sentence`,
    );
  }
  return {
    code,
    title: title!,
    language: language as Page["language"],
    cause: cause!.trim(),
    example: example!,
    fix: fix!,
    advice: advice!.trim(),
  };
}

/** The command lines of a block, each as its words. Single quotes keep a word together. */
export function commandsOf(block: string): readonly (readonly string[])[] {
  return block
    .trimEnd()
    .split("\n")
    .map((line) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2]!));
}
