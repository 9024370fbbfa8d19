// This folder measures the shape of the source: size by room, long lines, circles of imports,
// imports against the order of the rooms, crowded folders, tables of modules, and helpers with the
// same name. Limits and output are in `scripts/house.mjs`.
//
// Size is counted in tokens, so that formatting does not change it. Tests, declarations and
// generated files (first line: `// Generated from …`) do not count as source.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join, relative, sep } from "node:path";
import { circlesOf } from "./circles.mjs";

/** From left to right: a room may import from the rooms before it. */
export const rooms = [
  "std",
  "base",
  "diagnostics",
  "syntax",
  "scalar",
  "affine",
  "check",
  "ir",
  "analyse",
  "print",
  "cost",
  "lower",
  "autodiff",
  "plan",
  "backends",
  "run",
  "host",
  "explain",
  "driver",
  "runtime",
  "build",
  "repl",
  "library",
  "tensor",
  "cli",
  "doors",
];

const widest = 100;
const crowdedFrom = 21;
/** This many definitions of one name are accepted: `print`, `read`. */
const namesakes = 3;

const token = new RegExp(
  [
    /\/\/[^\n]*|\/\*[\s\S]*?\*\//,
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/,
    /[A-Za-z_$][\w$]*|\d[\w.]*/,
    /=>|===|!==|\?\?=?|&&|\|\||\.\.\.|[^\s\w]/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);
const importing = /^\s*(?:import|export)\s+(type\s+)?([^'";]*?from\s*)?["']([^"']+)["']/gm;
const weakTable = /^(?:export )?(?:const|let) [\w$]+[^=\n]*= new Weak(?:Map|Set)\b/gm;
const definition =
  /^(?:export )?(?:async )?(?:function\*? |const )([\w$]+)(?=\(|: \(| = (?:async )?\()/gm;

/** All counts of the repository at `root`. */
export function measure(root) {
  const files = filesBelow(join(root, "src"))
    .filter(isSource)
    .map((path) => readSource(root, path));
  const written = ["test", "scripts", "bench", "docs"]
    .flatMap((folder) => filesBelow(join(root, folder)))
    .map((path) => ({ path: relative(root, path), text: readFileSync(path, "utf8") }))
    .filter(isWritten);
  const known = new Set(files.map(({ path }) => path));
  for (const file of files) file.imports = importsOf(file, known);
  const runs = circlesOf(files, ({ imports }) => imports.filter(({ isType }) => !isType));
  const types = circlesOf(files, ({ imports }) => imports);
  const all = [...files, ...written];
  return {
    rooms: byRoom(files),
    shape: {
      linesOver100: sum(all, longLines),
      prettierIgnores: sum(all, ({ text }) => count(text, /prettier-ignor[e]/g)),
      filesInCircles: runs.flat().length,
      filesInCirclesOfTypes: types.flat().length,
      importsAgainstTheOrder: againstTheOrder(files).length,
      crowdedFolders: crowded(files).length,
      weakTables: sum(files, ({ text }) => count(text, weakTable)),
      namesakes: sum(namesOf(files), ([, times]) => times - namesakes),
    },
    circles: runs,
    back: againstTheOrder(files),
    crowded: crowded(files),
    names: namesOf(files),
  };
}

/** The room of a file is its folder in `src`. A file beside the folders is a door. */
function roomOf(path) {
  const [, first, ...rest] = path.split(sep);
  return rest.length === 0 ? "doors" : first;
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/node_modules|\.cache/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

function isSource(path) {
  return (
    path.endsWith(".ts") &&
    !/\.(?:test|d)\.ts$/.test(path) &&
    !isGenerated(readFileSync(path, "utf8"))
  );
}

const isGenerated = (text) => text.startsWith("// Generated from ");

/** Whether people write the file: scripts, tests and prose. Generated files do not count. */
function isWritten({ path, text }) {
  const isPage = /^(?:docs\/(?:api|conformance|std)|bench\/RESULTS)\.md$/.test(path);
  if (isGenerated(text) || isPage) return false;
  return [".ts", ".mts", ".mjs", ".py", ".md"].includes(extname(path));
}

function readSource(root, path) {
  const text = readFileSync(path, "utf8");
  const own = relative(root, path);
  return { path: own, room: roomOf(own), text, imports: [] };
}

/** The lines that are too long. In Markdown, tables, links and blocks of output may be longer. */
function longLines({ path, text }) {
  const long = text.split("\n").filter((line) => line.length > widest);
  if (!path.endsWith(".md")) return long.length;
  const blocks = new Set(
    [...text.matchAll(/^```[\s\S]*?^```/gm)].flatMap(([block]) => block.split("\n")),
  );
  return long.filter((line) => !/^\s*\||\]\(|https?:/.test(line) && !blocks.has(line)).length;
}

function importsOf({ path, text }, known) {
  const found = [];
  for (const [, isTyped, names = "", from] of text.matchAll(importing)) {
    if (!from.startsWith(".")) continue;
    const to = join(dirname(path), from);
    const listed = /\{([\s\S]*)\}/
      .exec(names)?.[1]
      ?.split(",")
      .filter((name) => name.trim() !== "");
    const isType =
      isTyped !== undefined ||
      (listed?.length > 0 && listed.every((name) => /^\s*type\s/.test(name)));
    if (known.has(to)) found.push({ to, isType });
  }
  return found;
}

function againstTheOrder(files) {
  return files.flatMap(({ path, room, imports }) =>
    imports
      .filter(({ to }) => rooms.indexOf(roomOf(to)) > rooms.indexOf(room))
      .map(({ to }) => `${path} → ${to}`),
  );
}

function crowded(files) {
  return [...numbers(files.map(({ path }) => dirname(path)))]
    .filter(([, files]) => files >= crowdedFrom)
    .toSorted(([, a], [, b]) => b - a);
}

/** The names that too many functions have, each with its number. */
function namesOf(files) {
  return [
    ...numbers(files.flatMap(({ text }) => [...text.matchAll(definition)].map(([, name]) => name))),
  ]
    .filter(([, times]) => times > namesakes)
    .toSorted(([, a], [, b]) => b - a);
}

/** How often each word occurs in a list. */
function numbers(words) {
  const times = new Map();
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
  return times;
}

function byRoom(files) {
  const table = {};
  for (const { room, text } of files) {
    const row = (table[room] ??= { files: 0, lines: 0, tokens: 0 });
    row.files += 1;
    row.lines += text.split("\n").length - 1;
    row.tokens += sum([...text.matchAll(token)], ([part]) => (/^\/[/*]/.test(part) ? 0 : 1));
  }
  return table;
}

const sum = (list, of) => list.reduce((total, item) => total + of(item), 0);
const count = (text, pattern) => [...text.matchAll(pattern)].length;
