// A short text, for a message, of a value that a host or a JSON file gave and that does not fit:
// `"float"`, `[2, -1]`, `an object`.

import { quotedCut } from "../../diagnostics/cut.ts";

/** The most members of a list that are shown. */
const most = 16;

/**
 * The text of any value; undefined is "missing". The members of nested lists are not shown, because
 * the nesting may be endless.
 */
export function shownJson(given: unknown): string {
  if (given === undefined) return "missing";
  if (typeof given === "string") return quotedCut(given);
  if (!Array.isArray(given)) return isFlat(given) ? String(given) : "an object";
  const first: readonly unknown[] = given.slice(0, most);
  if (!first.every(isFlat)) return "a nested list";
  const more = given.length > most ? `, … ${given.length} in all` : "";
  return `[${first
    .map((each) => (typeof each === "string" ? quotedCut(each) : String(each)))
    .join(", ")}${more}]`;
}

type Flat = string | number | bigint | boolean | symbol | null;

function isFlat(given: unknown): given is Flat {
  return (typeof given !== "object" || given === null) && typeof given !== "function";
}
