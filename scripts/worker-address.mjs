// A plugin of esbuild: replaces the address of the library's thread by that of the built file
// beside the bundle.

import { readFile } from "node:fs/promises";

/** @type {import("esbuild").Plugin} */
export const workerAddress = {
  name: "worker address",
  setup(build) {
    build.onLoad({ filter: /[/\\]library[/\\]thread\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const ending = build.initialOptions.outExtension?.[".js"] ?? ".js";
      return { contents: text.replaceAll('"./worker.ts"', `"./worker${ending}"`), loader: "ts" };
    });
  },
};
