// This folder divides the built library into parts that are loaded on demand; which files are in
// which part is written in `table.mjs`, and the sources know nothing of parts.
//
// A plugin of esbuild: an import from a part becomes a function that asks for the part.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { calledByUsualPrograms } from "./called.mjs";
import { codeOf, divided } from "./functions.mjs";
import { parts } from "./table.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const source = (path) => join(root, "src", path);
const pathOf = (address) => relative(join(root, "src"), address).replaceAll("\\", "/");

/** @type {ReadonlyMap<string, string>} the texts of the sources, by path */
const texts = new Map(
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => [path, readFileSync(source(path), "utf8")]),
);

/** The files that an entry of the table names. */
function filesOf(part, names = [], except = []) {
  return names.flatMap((name) => {
    const found = name.endsWith("/")
      ? [...texts.keys()].filter((path) => path.startsWith(name))
      : [`${name}.ts`];
    for (const path of found)
      if (!texts.has(path)) throw new Error(`${path}, of the part ${part}, is not there`);
    return found.filter((path) => !except.includes(path.slice(0, -3)));
  });
}

/** The part of each file. Files of the core are absent. */
const partOf = new Map(
  Object.entries(parts).flatMap(([part, { files, except }]) =>
    filesOf(part, files, except).map((path) => [path, part]),
  ),
);

/** The imports of a file: the imported names, or `*`, by path. Imports of types do not count. */
function importsOf(path) {
  const found = [];
  for (const [, names, from] of texts
    .get(path)
    .matchAll(/^(?:im|ex)port (?!type )([^;"]*?) from "(\.[^"]*)";/gm)) {
    const used = names.startsWith("*")
      ? ["*"]
      : names
          .replace(/[{}]/g, "")
          .split(",")
          .map((name) => name.trim());
    const kept = used
      .filter((name) => name && !name.startsWith("type "))
      .map((name) => name.split(" as ")[0]);
    if (kept.length > 0)
      found.push({ names: kept, path: join(dirname(path), from).replaceAll("\\", "/") });
  }
  return found;
}

/**
 * The given files and all files that they import, directly or indirectly. `passes` chooses which
 * imports to follow.
 */
function reachedFrom(paths, passes = () => true) {
  const reached = new Set(paths);
  for (const path of reached)
    for (const each of importsOf(path)) if (passes(each.path)) reached.add(each.path);
  return reached;
}

/**
 * The files that a page loads, at once or by parts. The other doors of the library import their
 * files directly.
 */
const library = reachedFrom([
  ...partOf.keys(),
  "index.ts",
  "library/worker.ts",
  "library/thread.ts",
]);

const isBorder = (importer, target) =>
  library.has(importer) && partOf.has(target) && partOf.get(importer) !== partOf.get(target);

const problems = [];

/**
 * For each module in a part, its part and the names of its functions that are called from outside.
 * A module is a file, or the functions that were `moved:` out of a file.
 */
const modules = new Map([...partOf].map(([path, part]) => [path, { part, names: new Set() }]));
for (const path of library)
  for (const { names, path: target } of importsOf(path)) {
    if (!isBorder(path, target)) continue;
    for (const name of names) {
      const isFunction = new RegExp(
        `^export (async )?function\\*? ${name}\\b|^export const ${name}\\b[^;]*?=>`,
        "m",
      );
      if (!isFunction.test(texts.get(target)))
        problems.push(
          `${path} imports ${name} of ${target}, ` +
            `which is in the part ${partOf.get(target)} and no function`,
        );
      modules.get(target).names.add(name);
    }
  }

/**
 * Files whose functions cannot wait for a part: runs, which load their part beforehand, the reading
 * and showing of values, and messages.
 */
const atOnce = reachedFrom(
  [...library].filter(
    (path) =>
      ["runs", "kernels"].includes(partOf.get(path)) ||
      /^(host|diagnostics|scalar\/values)\/|^library\/(asked|error|inputs|value)\./.test(path),
  ),
  (path) => ["runs", "kernels", undefined].includes(partOf.get(path)),
);

/** The files of the core from which a part takes functions. */
const taken = new Map(
  Object.entries(parts).flatMap(([part, { functionsOf }]) =>
    filesOf(part, functionsOf)
      .filter((path) => library.has(path) && !partOf.has(path) && !atOnce.has(path))
      .map((path) => [path, part]),
  ),
);

if (problems.length > 0) throw new Error(problems.join("\n"));

/**
 * @type {Promise<Map<string, { kept: string, moved: string }>> | undefined} the files that are
 * divided at functions, as modules
 */
let dividing;

async function divideFiles() {
  const called = await calledByUsualPrograms(root);
  const found = new Map();
  for (const [path, part] of taken) {
    const isMoved = (name) => !called.has(`${path} ${name}`);
    const { kept, moved, names } = divided(codeOf(source(path)), isMoved, {
      kept: source(path),
      moved: `moved:${path}`,
    });
    if (names.length === 0) continue;
    found.set(path, { kept, moved });
    modules.set(`moved:${path}`, { part, names: new Set(names) });
  }
  return found;
}

/** The name under which a part exports a function. Two modules of a part may use one name. */
function exportedAs(module, name) {
  const { part } = modules.get(module);
  const alike = [...modules].filter(([, other]) => other.part === part && other.names.has(name));
  return alike.length > 1 ? `${name}$${alike.findIndex(([other]) => other === module)}` : name;
}

/** @type {import("esbuild").Plugin} */
export const inParts = {
  name: "parts",
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, kind, namespace }) => {
      if (!["file", "moved"].includes(namespace) || kind !== "import-statement") return undefined;
      const target = join(dirname(importer), path);
      return isBorder(pathOf(importer), pathOf(target))
        ? { path: pathOf(target), namespace: "asking", sideEffects: false }
        : { path: target };
    });
    build.onResolve({ filter: /^moved:/ }, ({ path, namespace }) =>
      namespace === "part"
        ? { path: source(path.slice("moved:".length)), namespace: "moved" }
        : { path, namespace: "asking", sideEffects: false },
    );
    build.onLoad({ filter: /[/\\]src[/\\].*\.ts$/, namespace: "file" }, async ({ path }) => {
      const found = (await (dividing ??= divideFiles())).get(pathOf(path));
      return found && { contents: found.kept, loader: "js" };
    });
    build.onLoad({ filter: /./, namespace: "moved" }, async ({ path }) => {
      const { moved } = (await dividing).get(pathOf(path));
      return { contents: moved, resolveDir: dirname(path) };
    });
    build.onLoad({ filter: /./, namespace: "asking" }, ({ path: module }) => {
      const { part, names } = modules.get(module);
      const functions = [...names].map((name) => {
        const asked = [part, exportedAs(module, name)].map((each) => JSON.stringify(each));
        return `export const ${name} = /* @__PURE__ */ fromPart(${asked.join(", ")});`;
      });
      const contents =
        `import { fromPart } from ${JSON.stringify(source("driver/parts.ts"))};\n` +
        functions.join("\n");
      return { contents, resolveDir: root };
    });
    build.onResolve({ filter: /^part:/ }, ({ path }) => ({
      path: path.slice("part:".length),
      namespace: "part",
    }));
    build.onLoad({ filter: /./, namespace: "part" }, async ({ path: asked }) => {
      await dividing;
      const lines = [...modules].flatMap(([module, { part, names }]) => {
        if (part !== asked || names.size === 0) return [];
        const exported = [...names].map((name) => `${name} as ${exportedAs(module, name)}`);
        const from = module.startsWith("moved:") ? module : source(module);
        return [`export { ${exported.join(", ")} } from ${JSON.stringify(from)};`];
      });
      // A part never runs without the compiler, so both are declared as one file. `compile` is
      // exported by name, because a whole module would keep everything in it.
      const core = `export { compile as core } from ${JSON.stringify(source("index.ts"))};`;
      return { contents: [...lines, core].join("\n"), resolveDir: root };
    });
    build.onLoad({ filter: /[/\\]src[/\\]driver[/\\]part-loaders\.ts$/ }, () => {
      const lines = Object.keys(parts).map((part) => `${part}: () => import("part:${part}"),`);
      return { contents: `export const loaders = { ${lines.join(" ")} };`, resolveDir: root };
    });
    build.onLoad({ filter: /[/\\]src[/\\]driver[/\\]all-parts\.ts$/ }, () => {
      const lines = Object.keys(parts).map((part) => `import * as ${part} from "part:${part}";`);
      const names = Object.keys(parts).join(", ");
      return {
        contents: `${lines.join("\n")}\nexport const allParts = { ${names} };`,
        resolveDir: root,
      };
    });
  },
};
