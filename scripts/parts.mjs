// The parts into which the build of the library divides the compiler: a page loads the core at once, and each part for the first program that
// needs it.
//
// The sources know nothing of this. Where a file outside of a part imports one inside, the build puts functions in its place that ask for
// the part when they are called (`src/parts.ts`); who compiles then loads it and compiles again. So what is imported from a part has to be
// functions, and whoever calls them has to expect that they throw `PartMissing`.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * What each part is for, and its files: paths in `src`, or folders with all that is in them but `except`.
 *
 * @type {Readonly<Record<string, { readonly for: string, readonly files: readonly string[], readonly except?: readonly string[] }>>}
 */
export const parts = {
  std: { for: "the texts of the standard library", files: ["std", "check/library-texts"] },
  kernels: {
    for: "kernels in WebAssembly, and what is done to programs for them; `compile` loads it where a run may use them",
    files: ["optimise/", "backends/wasm/", "backends/math/"],
    except: [
      "optimise/rules",
      "backends/wasm/arena",
      "backends/wasm/cell-arrays",
      "backends/wasm/contract/form",
      "backends/wasm/kept",
      "backends/wasm/kernel",
      "backends/wasm/recording",
      "backends/wasm/threads/threads",
      "backends/wasm/threads/start",
      "backends/wasm/threads/worker-fault",
      "backends/wasm/web-assembly",
    ],
  },
  derivatives: {
    for: "answers to `@y / @x`, rules, and derived programs as source; `compile` loads it for `grad` too",
    files: [
      "autodiff/",
      "check/requests",
      "check/step-numerators",
      "check/tangents",
      "check/with-locals",
      "derivatives",
      "explain/derived-source",
      "explain/in-order-of-use",
      "explain/jacobian-source",
      "explain/leaving-clauses",
      "explain/tangent",
      "ir/affine/settle",
      "ir/affine/solve",
      "ir/affine/step",
      "ir/affine/working",
      "ir/cost/",
      "ir/print",
      "ir/print-clause",
      "ir/print-constant",
      "ir/print-data",
      "ir/print-functions",
      "ir/print-host",
      "ir/print-names",
      "ir/print-packs",
      "ir/print-ranges",
      "ir/print-scalar",
      "ir/print-told",
      "syntax/format",
      "syntax/format-blocks",
      "syntax/format-comments",
      "syntax/format-expressions",
      "syntax/format-patterns",
      "syntax/format-postfix",
      "syntax/format-statements",
      "syntax/format-strings",
      "syntax/format-types",
      "syntax/layout",
      "syntax/precedence",
    ],
  },
  values: {
    for: "values that are no tensors: functions that are held or call themselves, structs, enums, tuples and patterns; comprehensions, rows of different lengths",
    files: [
      "backends/interpret/effects",
      "backends/interpret/functions",
      "backends/interpret/ready-to-call",
      "check/accepted-positions",
      "check/arrays",
      "check/call-guards",
      "check/closures",
      "check/completed",
      "check/comprehensions",
      "check/conditions",
      "check/data",
      "check/declared-types",
      "check/either-length",
      "check/equality",
      "check/exhaustive",
      "check/fitting-functions",
      "check/form-of",
      "check/forms",
      "check/function-lists",
      "check/held-functions",
      "check/instance-needs",
      "check/instances",
      "check/is-variant",
      "check/jagged",
      "check/length-in-place",
      "check/lists",
      "check/local-names",
      "check/match",
      "check/passed-tensors",
      "check/patterns",
      "check/recursive-calls",
      "check/references",
      "check/rename",
      "check/result-forms",
      "check/rows-beside",
      "check/rows-of",
      "check/scalar-cases",
      "check/share",
      "check/spread",
      "check/stand-ins",
      "check/unroll",
      "check/windows",
      "ir/calls",
      "ir/calls-in-steps",
      "ir/fold-reductions",
      "ir/folds",
      "ir/lower-arrays",
      "ir/lower-slopes",
      "ir/scalar/data",
      "ir/scalar/listed",
      "ir/tail-calls",
      "syntax/parse-data",
    ],
  },
  text: {
    for: "strings and what is printed",
    files: [
      "check/strings",
      "host/decimal",
      "host/formatProblem",
      "host/formatSpec",
      "ir/host-parts",
      "syntax/lex-string",
    ],
  },
  modules: {
    for: "modules, and the names that `use` brings",
    files: ["check/modules", "syntax/parse-modules"],
  },
  mistakes: {
    for: "what is said about programs that are wrong; names that nothing declares, which are inputs of open programs; ranks that inputs bring",
    files: [
      "check/assumed-ranks",
      "check/forgotten-end",
      "check/indexed-form",
      "check/lint-allowed",
      "check/names",
      "check/open",
      "check/refuse-effect",
      "check/summed-line",
      "check/text-help",
      "diagnostics/codes",
      "repl/entry",
      "repl/needed",
      "syntax/lex-stranger",
      "syntax/stray",
      "without-ranks",
    ],
  },
};

/** @type {ReadonlyMap<string, string>} what a file imports for use at run time from where: "name name …" by path */
const sources = new Map(
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !/(\.test|\/testing)\.ts$/.test(path))
    .map((path) => [path, readFileSync(join(root, "src", path), "utf8")]),
);

/** The part of each file that is in one. */
const partOf = new Map(
  Object.entries(parts).flatMap(([part, { files, except = [] }]) =>
    files.flatMap((name) => {
      const found = name.endsWith("/") ? [...sources.keys()].filter((path) => path.startsWith(name)) : [`${name}.ts`];
      for (const path of found) if (!sources.has(path)) throw new Error(`${path}, of the part ${part}, is not there`);
      return found.filter((path) => !except.includes(path.slice(0, -3))).map((path) => [path, part]);
    }),
  ),
);

/** What a file imports of others to use it: the names, or `*`, by path. Types are nothing by then. */
function importsOf(path) {
  const found = [];
  for (const [, names, from] of sources.get(path).matchAll(/^(?:im|ex)port (?!type )([^;"]*?) from "(\.[^"]*)";/gm)) {
    const used = names.startsWith("*")
      ? ["*"]
      : names
          .replace(/[{}]/g, "")
          .split(",")
          .map((name) => name.trim());
    const kept = used.filter((name) => name && !name.startsWith("type ")).map((name) => name.split(" as ")[0]);
    if (kept.length > 0) found.push({ names: kept, path: join(dirname(path), from).replaceAll("\\", "/") });
  }
  return found;
}

/** What a page has, or may get by parts. Other doors of the library import what they need as it is. */
const divided = new Set([...partOf.keys(), "index.ts", "library/worker.ts", "library/thread.ts"]);
for (const path of divided) for (const each of importsOf(path)) divided.add(each.path);

/** Of each file in a part, the names that are imported from outside of it. */
const crossing = new Map([...partOf.keys()].map((path) => [path, new Set()]));
const problems = [];
for (const path of divided)
  for (const { names, path: target } of importsOf(path)) {
    if (!isBorder(path, target)) continue;
    for (const name of names) {
      const isFunction = new RegExp(`^export (async )?function\\*? ${name}\\b|^export const ${name}\\b[^;]*?=>`, "m");
      if (!isFunction.test(sources.get(target)))
        problems.push(
          `${path} imports ${name} of ${target}, which is in the part ${partOf.get(target)} and no function`,
        );
      crossing.get(target).add(name);
    }
  }

if (problems.length > 0) throw new Error(problems.join("\n"));

function isBorder(importer, target) {
  return divided.has(importer) && partOf.has(target) && partOf.get(importer) !== partOf.get(target);
}

/** The name under which a part exports a function: files may use a name twice. */
function exportedAs(path, name) {
  const alike = [...crossing].filter(([other, names]) => partOf.get(other) === partOf.get(path) && names.has(name));
  return alike.length > 1 ? `${name}$${alike.findIndex(([other]) => other === path)}` : name;
}

const nameOf = (path) => relative(join(root, "src"), path).replaceAll("\\", "/");
const addressOf = (path) => JSON.stringify(join(root, "src", path));

/** @type {import("esbuild").Plugin} */
export const inParts = {
  name: "parts",
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, kind, namespace }) => {
      if (namespace !== "file" || kind !== "import-statement") return undefined;
      const target = join(dirname(importer), path);
      return isBorder(nameOf(importer), nameOf(target))
        ? { path: target, namespace: "asking", sideEffects: false }
        : undefined;
    });
    build.onResolve({ filter: /^part:/ }, ({ path }) => ({ path: path.slice(5), namespace: "part" }));
    build.onLoad({ filter: /./, namespace: "asking" }, ({ path }) => {
      const own = nameOf(path);
      const part = JSON.stringify(partOf.get(own));
      const functions = [...crossing.get(own)].map(
        (name) => `export const ${name} = /* @__PURE__ */ fromPart(${part}, ${JSON.stringify(exportedAs(own, name))});`,
      );
      const contents = `import { fromPart } from ${addressOf("parts.ts")};\n${functions.join("\n")}`;
      return { contents, resolveDir: root };
    });
    build.onLoad({ filter: /./, namespace: "part" }, ({ path: part }) => {
      const lines = [...crossing].flatMap(([path, names]) =>
        partOf.get(path) === part && names.size > 0
          ? [
              `export { ${[...names].map((name) => `${name} as ${exportedAs(path, name)}`).join(", ")} } from ${addressOf(path)};`,
            ]
          : [],
      );
      // A part is never without the core: said here, it keeps the core one file.
      const core = `export * as core from ${addressOf("index.ts")};`;
      return { contents: [...lines, core].join("\n"), resolveDir: root };
    });
    build.onLoad({ filter: /[/\\]src[/\\]part-loaders\.ts$/ }, () => {
      const lines = Object.keys(parts).map((part) => `${part}: () => import("part:${part}"),`);
      return { contents: `export const loaders = { ${lines.join(" ")} };`, resolveDir: root };
    });
    build.onLoad({ filter: /[/\\]src[/\\]all-parts\.ts$/ }, () => {
      const lines = Object.keys(parts).map((part) => `import * as ${part} from "part:${part}";`);
      return {
        contents: `${lines.join("\n")}\nexport const allParts = { ${Object.keys(parts).join(", ")} };`,
        resolveDir: root,
      };
    });
  },
};
