// Writes docs/std.md, or the file that is named: the functions of the standard library with their
// comments, and their examples with their output.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";
import { loadTs, root } from "./load-ts.mjs";

const target = `${root}docs/std.md`;

/** The text of the page. */
async function standardPage() {
  const { compile } = await loadTs("src/driver/compile.ts");
  const { parse } = await loadTs("src/syntax/parse/parser.ts");
  const modules = readdirSync(`${root}std`)
    .filter((name) => name.endsWith(".ein"))
    .map((name) => ({ name: name.slice(0, -4), text: readFileSync(`${root}std/${name}`, "utf8") }));
  const parts = modules.map(({ name, text }) => modulePart(name, text, parse, compile));
  const page = `# The standard library

Its modules are written in Einlang, in [std/](../std), and are read like any other:
\`use std::ml::softmax;\`. What a program does not use costs it nothing. \`float\`, \`int\` and
\`num\` in a signature stand for any such element type; coordinates in brackets name the axis that
is meant, and may be left out where only one axis can be. Every function is differentiable where its
mathematics is; values and gradients are held against NumPy, SciPy and PyTorch by tests.

This page is made from the comments in the sources by \`npm run docs:std\`.

${parts.join("\n")}`;
  return format(page, { ...(await resolveConfig(target)), filepath: target });
}

function modulePart(name, text, parse, compile) {
  const lines = text.split("\n");
  const { statements } = parse({ name: `std/${name}.ein`, text }).module;
  /** @type {{ title: string, entries: string[], examples: string[] }[]} */
  const sections = [{ title: "", entries: [], examples: [] }];
  const lineOf = (offset) => text.slice(0, offset).split("\n").length - 1;
  const titles = lines.flatMap((line, at) => {
    const title = /^\/\/ ── (.*?) ─/.exec(line)?.[1];
    return title ? [{ at, title }] : [];
  });
  for (const statement of statements) {
    if (!statement.public) continue;
    const at = lineOf(statement.span.start);
    const title = titles.findLast((each) => each.at < at)?.title ?? "";
    if (sections.at(-1).title !== title) sections.push({ title, entries: [], examples: [] });
    const { entries, examples } = sections.at(-1);
    const comment = commentAbove(lines, at);
    const said = comment.filter((line) => !line.startsWith("Example: ")).join(" ");
    const signature = signatureOf(statement, text);
    entries.push(`- \`${signature}\`${said ? `: ${said}` : ""}`);
    examples.push(...comment.flatMap((line) => /^Example: `(.*)`$/.exec(line)?.[1] ?? []));
  }
  const head = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith("//")),
  );
  const intro = head.map((line) => line.replace(/^\/\/ ?/, "")).join("\n");
  const body = sections
    .filter(({ entries }) => entries.length > 0)
    .map(({ title, entries, examples }) =>
      [
        title ? `### ${title}\n` : "",
        entries.join("\n"),
        exampleBlock(name, examples, compile),
      ].join("\n"),
    );
  return `## std::${name}\n\n${intro}\n\n${body.join("\n")}`;
}

/** The lines of `///` above a line. */
function commentAbove(lines, at) {
  let from = at;
  while (from > 0 && lines[from - 1].startsWith("///")) from--;
  return lines.slice(from, at).map((line) => line.slice(3).trim());
}

/** The signature of a function on one line. Other statements are given in short. */
function signatureOf(statement, text) {
  if (statement.kind === "use")
    return text
      .slice(statement.span.start, statement.span.end)
      .replace(/^pub use builtin::|;$/g, "");
  if (statement.kind === "const") return statement.name.text;
  const written = text.slice(statement.span.start, statement.body.span.start).trim();
  return written
    .replace(/^pub fn /, "")
    .replace(/\s+/g, " ")
    .replace(/([([]) /g, "$1")
    .replace(/,? ([)\]])/g, "$1");
}

/** The examples as a program, and the output of that program. */
function exampleBlock(name, examples, compile) {
  if (examples.length === 0) return "";
  const prints = examples.map((example) => `print(${example});`).join("\n");
  const program = `use std::${name}::*;\n${prints}`;
  const { program: compiled, diagnostics } = compile({
    name: `docs/std.md ${name}`,
    text: program,
  });
  if (!compiled) throw new Error(diagnostics.map(({ title }) => title).join("\n"));
  const printed = [];
  const { fault } = compiled.run({ onPrint: ({ text }) => printed.push(text) });
  if (fault) throw new Error(fault.title);
  return `\n\`\`\`ein\n${program}\n\`\`\`\n\n\`\`\`output\n${printed.join("\n")}\n\`\`\`\n`;
}

writeFileSync(process.argv[2] ?? target, await standardPage());
