// What a host or a JSON text gave where something else is wanted, short enough for a message:
// `"float"`, `[2, -1]`, `an object`.

import { quotedCut } from "../../diagnostics/cut.ts";

/** So many members of a list are shown. */
const most = 16;

/**
 * Anything at all; nothing is missing. Only flat lists are shown: others may be nested without end.
 */
export function shownJson(given: unknown): string {
  if (given === undefined) return "missing";
  if (typeof given === "string") return quotedCut(given);
  if (!Array.isArray(given)) return isFlat(given) ? String(given) : "an object";
  const first: readonly unknown[] = given.slice(0, most);
  if (!first.every(isFlat)) return "a nested list";
  const more = given.length > most ? `, … ${given.length} in all` : "";
  return `[${first.map((each) => (typeof each === "string" ? quotedCut(each) : String(each))).join(", ")}${more}]`;
}

type Flat = string | number | bigint | boolean | symbol | null;

function isFlat(given: unknown): given is Flat {
  return (typeof given !== "object" || given === null) && typeof given !== "function";
}
