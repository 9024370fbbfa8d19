// Loads a TypeScript module of this repository into a script. The module is bundled in memory and
// imported from a data address.

import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * @param {string} path relative to the repository's root
 * @returns {Promise<any>} the module's exports
 */
export async function loadTs(path) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [path],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "es2022",
    // Packages in node_modules are not resolved from a data address. Only tests may need them.
    external: ["node:*"],
    logLevel: "warning",
  });
  const code = Buffer.from(result.outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}
