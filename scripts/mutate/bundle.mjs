// Bundles the tests and the compiler into one script, with the texts of some files replaced.
// Nothing is written to disk.

import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { context } from "esbuild";

/**
 * Files are read once, so that an edit during a run changes nothing.
 * @param {string} root @param {readonly string[]} tests paths of the test files
 */
export async function bundler(root, tests) {
  const texts = new Map();
  /** @type {ReadonlyMap<string, string>} */
  let replaced = new Map();
  const plugin = {
    name: "seed",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!texts.has(path)) texts.set(path, readFileSync(path, "utf8"));
        const text = replaced.get(relative(root, path)) ?? texts.get(path);
        // In a bundle every module would have the address of the bundle.
        return {
          contents: text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)),
          loader: "ts",
        };
      });
    },
  };
  const building = await context({
    absWorkingDir: root,
    stdin: { contents: tests.map((path) => `import "./${path}";`).join("\n"), resolveDir: root },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "es2022",
    packages: "external",
    // The package declares that its modules have no side effects. Test modules have them.
    ignoreAnnotations: true,
    logLevel: "silent",
    plugins: [plugin],
  });
  return {
    /** The script with the texts of some paths replaced. `undefined` if a text is no TypeScript. */
    bundle: async (texts) => {
      replaced = new Map(texts);
      try {
        return (await building.rebuild()).outputFiles[0].text;
      } catch (error) {
        if (replaced.size === 0) throw error;
        return undefined;
      }
    },
    dispose: () => building.dispose(),
  };
}
