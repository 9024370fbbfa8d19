// Finds the functions of the compiler that usual programs call. The programs in `usual` are
// compiled by the unchanged sources, in which every function notes its call.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { codeOf, withProbes } from "./functions.mjs";

const folder = fileURLToPath(new URL("usual", import.meta.url));

/** The programs, one in each file. */
const texts = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(join(folder, name), "utf8"),
}));

/** Each called function as `path name`. */
export async function calledByUsualPrograms(root) {
  const called = new Set();
  const key = "functions that usual programs call";
  globalThis[key] = called;
  const outside = mkdtempSync(join(tmpdir(), "einlang-usual-"));
  const outfile = join(outside, "core.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["src/driver/core.ts"],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    logLevel: "warning",
    plugins: [
      {
        name: "probes",
        setup(build) {
          build.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => {
            const own = relative(join(root, "src"), path).replaceAll("\\", "/");
            const says = (name) =>
              `globalThis[${JSON.stringify(key)}]?.add(${JSON.stringify(`${own} ${name}`)});`;
            return { contents: withProbes(codeOf(path), says), loader: "js" };
          });
        },
      },
    ],
  });
  const { compileCore } = await import(pathToFileURL(outfile).href);
  rmSync(outside, { recursive: true });
  for (const source of texts) {
    const { diagnostics } = compileCore(source, { open: true });
    if (diagnostics.length > 0) throw new Error(`${source.name}: ${diagnostics[0].title}`);
  }
  delete globalThis[key];
  return called;
}
