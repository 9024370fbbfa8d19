// The history of earlier sessions, with one entry for each line, in the user's state folder. All
// failures are ignored, because history is only a convenience.

import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeAtomically } from "../../host/node/files.ts";
import type { Io } from "../io.ts";

/**
 * The number of entries that are offered. A file with more than `largestFile` entries is shortened.
 */
export const historySize = 1000;
const largestFile = 4 * historySize;

/** The path of the history: https://specifications.freedesktop.org/basedir-spec. */
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

/** Adds one entry to the file at once, so that two sessions side by side both keep theirs. */
export function addToHistory(path: string | undefined, line: string): void {
  if (path === undefined || line.trim() === "") return;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, `${line}\n`, { mode: 0o600 });
  } catch {
    // A home that cannot be written does not stop the session.
  }
}

/**
 * An entry of several lines as one line for the editor. Undefined if a comment prevents the
 * joining.
 */
export function oneLine(lines: readonly string[]): string | undefined {
  if (lines.length > 1 && lines.some((line) => line.includes("//"))) return undefined;
  return lines.map((line, k) => (k === 0 ? line.trimEnd() : line.trim())).join(" ");
}
