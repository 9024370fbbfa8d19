// Writes docs/api.md: the exports of the package's doors, with their doc comments.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A door of the package and the file with its types. */
export interface Door {
  readonly name: string;
  readonly types: string;
}

interface Declared {
  readonly name: string;
  readonly text: string;
  readonly about: string;
}

/** The page of the doors, in this order. Their types are those of the build. */
export function apiPage(doors: readonly Door[]): string {
  const sections = doors.map(({ name, types }) => {
    const head =
      /^\/\/ (.*(?:\n\/\/ .*)*)/
        .exec(readFileSync(sourceOf(types), "utf8"))?.[1]
        ?.replaceAll("\n// ", " ") ?? "";
    const entries = exportsOf(types).map(entryText);
    return [`## ${name}`, head.replace(/`import … from "[^"]*"` offers: /, ""), ...entries].join(
      "\n\n",
    );
  });
  return (
    [
      "# The library, name by name",
      "Written from the doc comments by `npm run docs:api`; " +
        "[library.md](library.md) shows how things are used.",
      ...sections,
      "",
    ]
      .join("\n\n")
      .trimEnd() + "\n"
  );
}

/** The source file of a file of types. */
function sourceOf(types: string): string {
  return types.replace("/dist/types/", "/src/").replace(/\.d\.ts$/, ".ts");
}

function entryText({ name, text, about }: Declared): string {
  return [`### ${name}`, about, `    ${text.split("\n").join("\n    ")}`]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The declarations that a file of types exports by name, including re-exports. */
function exportsOf(file: string): readonly Declared[] {
  const text = readFileSync(file, "utf8");
  const found: Declared[] = [];
  for (const [, names = "", from = ""] of text.matchAll(
    /^export (?:type )?\{([^}]*)\} from "([^"]+)";/gm,
  )) {
    const declared = exportsOf(typesAt(file, from));
    for (const item of names
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "")) {
      const [, own = "", , shown = own] = /^(?:type )?(\w+)( as (\w+))?$/.exec(item) ?? [];
      const one = declared.find((each) => each.name === own);
      if (one) found.push({ ...one, name: shown });
    }
  }
  for (const [, from = ""] of text.matchAll(/^export \* from "([^"]+)";/gm))
    found.push(...exportsOf(typesAt(file, from)));
  found.push(...declarationsIn(text));
  return [...new Map(found.map((each) => [each.name, each])).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

function typesAt(file: string, from: string): string {
  return join(dirname(file), from.replace(/\.[jt]s$/, ".d.ts"));
}

const declaration =
  /^export (?:declare |default )*(?:async )?(?:interface|function|type|class|const) (\w+)/gm;

function declarationsIn(text: string): readonly Declared[] {
  return [...text.matchAll(declaration)].map((match) => {
    const whole = text.slice(match.index, endOf(text, match.index));
    return {
      name: match[1]!,
      text: withoutComments(whole).replace(/^export (?:declare )?/, ""),
      about: commentBefore(text, match.index),
    };
  });
}

/** The offset after a declaration: after the semicolon or brace that stands in no inner bracket. */
function endOf(text: string, from: number): number {
  let depth = 0;
  const isBlock = /^export (?:declare |default )*(?:interface|class)/.test(
    text.slice(from, from + 40),
  );
  for (let at = from; at < text.length; at++) {
    const sign = text[at]!;
    if ("{([".includes(sign)) depth++;
    else if ("})]".includes(sign)) {
      depth--;
      if (depth === 0 && sign === "}" && isBlock) return at + 1;
    } else if (sign === ";" && depth === 0) return at + 1;
  }
  return text.length;
}

/** Comments of members stand on one line before them. */
function withoutComments(text: string): string {
  return text.replace(/\/\*\*([^]*?)\*\//g, (_, body: string) => `// ${plain(body)}`);
}

function commentBefore(text: string, at: number): string {
  const before = text.slice(0, at).trimEnd();
  if (!before.endsWith("*/")) return "";
  return plain(before.slice(before.lastIndexOf("/**") + 3, -2));
}

function plain(body: string): string {
  return body
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trim())
    .filter((line) => line !== "")
    .join(" ");
}
