// The tests and the compiler as one script, with the text of one file replaced; nothing is written to disk.

import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { context } from "esbuild";

/**
 * Files are read once, so that an edit during a run changes nothing.
 * @param {string} root @param {readonly string[]} tests paths of the test files
 */
export async function bundler(root, tests) {
  const texts = new Map();
  /** @type {{ path: string, text: string } | undefined} */
  let replaced;
  const plugin = {
    name: "seed",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!texts.has(path)) texts.set(path, readFileSync(path, "utf8"));
        const text = replaced?.path === path ? replaced.text : texts.get(path);
        // In a bundle every module would have the address of the bundle.
        return { contents: text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)), loader: "ts" };
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
    // The package says that its modules do nothing by themselves; tests do.
    ignoreAnnotations: true,
    logLevel: "silent",
    plugins: [plugin],
  });
  return {
    /** The script, or undefined if the text is not one. @param {string} [path] absolute @param {string} [text] */
    async bundle(path, text) {
      if (path !== undefined && !isAbsolute(path)) throw new Error(`${path} is not an absolute path`);
      replaced = path === undefined ? undefined : { path, text };
      try {
        return (await building.rebuild()).outputFiles[0].text;
      } catch (error) {
        if (path === undefined) throw error;
        return undefined;
      }
    },
    dispose: () => building.dispose(),
  };
}
