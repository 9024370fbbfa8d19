// The tables of names and forms in docs/coming-from.md are the table that messages use.
// `UPDATE=1 npx vitest run test/docs/foreign-forms.test.ts` writes them.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { expect, test } from "vitest";
import {
  functionGroups,
  members,
  modules,
  notations,
  statements,
  values,
} from "../../src/diagnostics/foreign/table.ts";
import type { Group, Row } from "../../src/diagnostics/foreign/row.ts";

const path = fileURLToPath(new URL("../../docs/coming-from.md", import.meta.url));
const heading = "## Names and forms";

const groups: readonly Group[] = [
  { title: "Signs and brackets", rows: notations },
  { title: "Statements", rows: statements },
  { title: "Values", rows: values },
  { title: "Members and methods", rows: members },
  ...functionGroups,
  { title: "Modules", rows: modules },
];

const intro = `${heading}

The left column has forms of other languages, and the right column has the form of Einlang. Messages
use these rows: for \`np.arctan(v)\`, the message says to write \`std::math::atan(v)\`. In the rows,
\`a\`, \`b\` and \`s\` are numbers, \`n\` and \`m\` are integers,
and \`c\` and \`d\` are conditions. \`x\`, \`y\`, \`w\` and \`k\` are arrays, and \`A\` and
\`B\` are matrices.
`;

function code(text: string): string {
  const escaped = text.replaceAll("|", "\\|");
  return text.includes("`") ? `\`\` ${escaped} \`\`` : `\`${escaped}\``;
}

function line([there, here, note = ""]: Row): string {
  const way = here === "" ? "" : code(here);
  const rest = note.replaceAll("|", "\\|");
  return `| ${code(there)} | ${way === "" || rest === "" ? `${way}${rest}` : `${way}; ${rest}`} |`;
}

function table({ title, rows }: Group): string {
  return `### ${title}\n\n| there | here |\n| --- | --- |\n${rows.map(line).join("\n")}\n`;
}

test("the tables of names and forms are those that messages are made from", async () => {
  const made = [intro, ...groups.map(table)].join("\n");
  const page = readFileSync(path, "utf8");
  const at = page.indexOf(heading);
  const before = at < 0 ? page : page.slice(0, at);
  const expected = await format(`${before.trimEnd()}\n\n${made}`, {
    parser: "markdown",
    printWidth: 100,
  });
  if (process.env["UPDATE"]) writeFileSync(path, expected);
  else expect(page).toBe(expected);
});
