// Bundles the library in its parts.

import { writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { inParts } from "../../scripts/parts/plugin.mjs";
import type * as Entry from "./entry.ts";

export type Divided = typeof Entry;

/** The library with all its parts in one file. No part is loaded yet. */
export async function dividedLibrary(): Promise<Divided> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("entry.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    logLevel: "silent",
    plugins: [inParts],
  });
  const file = join(await mkdtemp(join(tmpdir(), "einlang-parts-")), "library.mjs");
  writeFileSync(file, outputFiles[0]!.contents);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Divided;
}
