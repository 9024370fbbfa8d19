// Finds the literate cases below test/cases/, in the order of their names.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readCase, type Case } from "./case.ts";

/**
 * The cases in a folder of the repository. A case is named by its path from that folder, without
 * `.ein`.
 */
export function collectCases(folder: string): readonly Case[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ein"))
    .map((path) => path.replaceAll("\\", "/"))
    .sort()
    .map((path) => readCase(path.replace(/\.ein$/, ""), readFileSync(join(folder, path), "utf8")));
}
