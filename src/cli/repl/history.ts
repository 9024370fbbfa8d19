// The history of earlier sessions: one entry a line, in the user's state folder. It is a
// convenience: whatever goes wrong with it is passed over.

import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeAtomically } from "../../host/node/files.ts";
import type { Io } from "../io.ts";

/** How many entries are offered, and how many the file may hold before it is shortened. */
export const historySize = 1000;
const largestFile = 4 * historySize;

/** Where the history of sessions is kept: https://specifications.freedesktop.org/basedir-spec. */
export function historyPath(env: Io["env"]): string | undefined {
  const state = env["XDG_STATE_HOME"];
  if (state?.startsWith("/")) return join(state, "ein", "history");
  const home = env["HOME"] ?? env["USERPROFILE"];
  return home ? join(home, ".local", "state", "ein", "history") : undefined;
}

/** Earlier entries, the latest first. */
export function readHistory(path: string | undefined): string[] {
  if (path === undefined) return [];
  try {
    const lines = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    if (lines.length > largestFile)
      writeAtomically(path, `${lines.slice(-historySize).join("\n")}\n`);
    return lines.slice(-historySize).reverse();
  } catch {
    return [];
  }
}

/** Added at once, so that two sessions side by side both keep what they had. */
export function addToHistory(path: string | undefined, line: string): void {
  if (path === undefined || line.trim() === "") return;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, `${line}\n`, { mode: 0o600 });
  } catch {
    // A read-only home is no reason to stop.
  }
}

/**
 * An entry of several lines as one that can be edited; with comments its lines cannot be joined.
 */
export function oneLine(lines: readonly string[]): string | undefined {
  if (lines.length > 1 && lines.some((line) => line.includes("//"))) return undefined;
  return lines.map((line, k) => (k === 0 ? line.trimEnd() : line.trim())).join(" ");
}
