// The core of the compiler runs in a browser: only the command line and the Node host import
// modules of Node.

import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));
const nodeFolders = ["cli/", "doors/node/", "host/node/"];

const paths = readdirSync(src, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"));
const core = paths.filter((path) => !nodeFolders.some((folder) => path.startsWith(folder)));

/** The imports of a file: static, of types, by re-export, and dynamic. */
function importsOf(text: string): readonly string[] {
  const forms = [
    /^\s*(?:import|export)\s[^"';]*?\bfrom\s*["']([^"']+)["']/gm,
    /^\s*import\s*["']([^"']+)["']/gm,
    /\b(?:import|require)\(\s*["']([^"']+)["']/g,
  ];
  return forms.flatMap((form) => [...text.matchAll(form)].map((match) => match[1]!));
}

/** The reason why a file of the core may not have this import, if there is one. */
function objection(path: string, target: string): string | undefined {
  if (target.startsWith("node:") || builtinModules.includes(target))
    return "it is a module of Node";
  if (!target.startsWith(".")) return "the core has no dependencies";
  const reached = relative(src, join(src, dirname(path), target)).replaceAll("\\", "/");
  if (reached.startsWith("..")) return "it lies outside src/";
  return nodeFolders.some((folder) => reached.startsWith(folder))
    ? "it lies in a folder for Node"
    : undefined;
}

describe("the core is pure", () => {
  test("the walk finds imports in all their forms", () => {
    const text =
      "import {\n  a,\n} from \"node:fs\";\nexport * from './b.ts';\n" +
      'import type { C } from "./c.ts";\nawait import("d");';
    expect(importsOf(text)).toEqual(["node:fs", "./b.ts", "./c.ts", "d"]);
    expect(objection("syntax/parse/parser.ts", "node:fs")).toBeDefined();
    expect(objection("syntax/parse/parser.ts", "fs")).toBeDefined();
    expect(objection("syntax/parse/parser.ts", "../../host/node/files.ts")).toBeDefined();
    expect(objection("syntax/parse/parser.ts", "../../../scripts/x.mjs")).toBeDefined();
    expect(objection("syntax/parse/parser.ts", "./lexer.ts")).toBeUndefined();
    expect(core.length).toBeGreaterThan(5);
  });

  test("no file of the core imports Node, a package, or a folder that does", () => {
    const wrong = core.flatMap((path) =>
      importsOf(readFileSync(join(src, path), "utf8")).flatMap((target) => {
        const why = objection(path, target);
        return why ? [`${path} imports ${target}: ${why}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });
});
