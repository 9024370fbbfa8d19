// Runs a module of a user, with the package under its names: the doors of the library, and the file
// of its thread beside the module.

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { workerAddress } from "../scripts/worker-address.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));

/** The doors of the package, and the source file of each. */
export const doors: Readonly<Record<string, string>> = {
  "einlang/tensor": "src/tensor/index.ts",
  "einlang/explain": "src/doors/explain.ts",
  "einlang/formats": "src/doors/formats.ts",
  "einlang/files": "src/doors/node/files.ts",
  einlang: "src/index.ts",
};

/** The standard output of the module. It runs in `folder`, where its files stay. */
export async function runModule(text: string, folder: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: text, loader: "ts", resolveDir: root, sourcefile: "example.ts" },
    entryPoints: { worker: `${root}src/library/worker.ts` },
    alias: Object.fromEntries(Object.entries(doors).map(([name, path]) => [name, root + path])),
    bundle: true,
    write: false,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    platform: "neutral",
    external: ["node:*"],
    splitting: true,
    chunkNames: "[name]-[hash]",
    logLevel: "silent",
    plugins: [workerAddress],
  });
  for (const { path, contents } of outputFiles)
    writeFileSync(join(folder, basename(path)), contents);
  const { stdout } = await promisify(execFile)(process.execPath, ["stdin.mjs"], { cwd: folder });
  return stdout;
}
