// `ein explain-code E0304`: shows the page of a code, laid out for a terminal.

import { join } from "node:path";
import { codes } from "../../diagnostics/codes.ts";
import { error } from "../../diagnostics/diagnostic.ts";
import { didYouMean } from "../../diagnostics/suggest.ts";
import { readText } from "../../host/node/files.ts";
import { highlight } from "../show/highlight.ts";
import { exitCode, wantsColour, type ExitCode, type Io } from "../io.ts";
import { packageRoot } from "../package.ts";
import { fail } from "../show/report.ts";

export function explainCode(word: string, io: Io): ExitCode {
  const code = codeMeant(word);
  if (!Object.hasOwn(codes, code)) {
    const help =
      didYouMean(code, Object.keys(codes)) ?? "a code is a letter and four digits, such as `E0304`";
    return fail(
      [error("E0886", `there is no code \`${word}\``, undefined, { help })],
      exitCode.programWrong,
      false,
      io,
    );
  }
  const page = readText(join(packageRoot(), "docs", "errors", `${code}.md`));
  // If the page is missing, its title is shown.
  const text = page.ok ? page.value : `# ${code}: ${codes[code as keyof typeof codes]}\n`;
  io.out.write(wantsColour(io.out, io.env) ? painted(text) : plainText(text));
  return exitCode.fine;
}

/** The code of a word. `e0304` and `304` mean E0304. */
function codeMeant(word: string): string {
  const code = word.toUpperCase();
  const padded = `E${code.padStart(4, "0")}`;
  return /^\d{3,4}$/.test(code) && Object.hasOwn(codes, padded) ? padded : code;
}

/** Lays out the Markdown of a page line by line: headings, code blocks, and prose. */
function pageLines(page: string, layOut: Layout): string {
  let inCode = false;
  const lines: string[] = [];
  for (const line of page.trimEnd().split("\n")) {
    if (line.startsWith("```")) inCode = !inCode;
    else if (inCode) lines.push(layOut.code(line));
    else if (/^#+ /.test(line)) lines.push(layOut.heading(line.replace(/^#+ /, "")));
    else lines.push(layOut.prose(line));
  }
  return `${lines.join("\n").trim()}\n`;
}

interface Layout {
  readonly code: (line: string) => string;
  readonly heading: (line: string) => string;
  readonly prose: (line: string) => string;
}

function plainText(page: string): string {
  return pageLines(page, {
    code: (line) => (line ? `    ${line}` : ""),
    heading: (line) => line,
    prose: (line) => line,
  });
}

function painted(page: string): string {
  const message = /^(error|warning)\[/;
  return pageLines(page, {
    code: (line) =>
      line ? `    ${message.test(line) ? `\u001b[1;91m${line}\u001b[0m` : highlight(line)}` : "",
    heading: (line) => `\u001b[1m${line}\u001b[0m`,
    prose: (line) =>
      line
        .replace(/`([^`]+)`/g, "\u001b[36m$1\u001b[0m")
        .replace(/\*\*([^*]+)\*\*/g, "\u001b[1m$1\u001b[0m"),
  });
}
