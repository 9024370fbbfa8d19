// Finds the place where a text stops being JSON. Hosts word their own messages differently, and not
// all of them name a place.

import { cut } from "../diagnostics/cut.ts";
import { jsonTokens, type JsonToken } from "./json-tokens.ts";

const literal = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** What the grammar allows at a place. */
type Wanted =
  | "a value"
  | "a value or `]`"
  | "a key in double quotes"
  | "a key in double quotes or `}`"
  | "`:`"
  | "more";

/**
 * The problem in a text: for `[1, 2,]`, "line 1, column 8: a value is expected, not `]`". Undefined
 * if the text is JSON.
 */
export function jsonProblem(text: string): string | undefined {
  const open: JsonToken[] = [];
  let wanted: Wanted = "a value";
  for (const token of jsonTokens(text)) {
    const next = step(token.word, wanted, open.at(-1)?.word);
    if (next === undefined)
      return `${placeIn(text, token.at)}: ${refusal(token.word, wanted, open.at(-1)?.word)}`;
    if (token.word === "[" || token.word === "{") open.push(token);
    else if (token.word === "]" || token.word === "}") open.pop();
    wanted = next;
  }
  const last = open.at(-1);
  if (last) return `${placeIn(text, last.at)}: this \`${last.word}\` is never closed`;
  return wanted === "more" ? undefined : "the text is empty";
}

/** What may follow a word, or undefined if the word must not stand here. */
function step(word: string, wanted: Wanted, within: string | undefined): Wanted | undefined {
  if (wanted === "`:`") return word === ":" ? "a value" : undefined;
  if (wanted === "more") {
    if (word === ",")
      return within === "[" ? "a value" : within === "{" ? "a key in double quotes" : undefined;
    return (word === "]" && within === "[") || (word === "}" && within === "{")
      ? "more"
      : undefined;
  }
  if (word === "]") return wanted === "a value or `]`" ? "more" : undefined;
  if (word === "}") return wanted === "a key in double quotes or `}`" ? "more" : undefined;
  if (wanted.startsWith("a key")) return isString(word) ? "`:`" : undefined;
  if (word === "[") return "a value or `]`";
  if (word === "{") return "a key in double quotes or `}`";
  return literal.test(word) || isString(word) ? "more" : undefined;
}

function isString(word: string): boolean {
  if (!word.startsWith('"')) return false;
  try {
    JSON.parse(word);
    return true;
  } catch {
    return false;
  }
}

function refusal(word: string, wanted: Wanted, within: string | undefined): string {
  if (word.startsWith('"') && wanted !== "`:`" && wanted !== "more")
    return "this string is not closed, or has an escape or a line break that JSON does not know";
  const expected =
    wanted !== "more" ? wanted : within === undefined ? "nothing more" : endings(within);
  const isNonFinite = /^[+-]?(?:nan|inf|infinity)$/i.test(word);
  const hint = isNonFinite
    ? '; numbers that are not finite are written "NaN", "Infinity", "-Infinity"'
    : "";
  return `${expected} is expected, not \`${cut(word)}\`${hint}`;
}

const endings = (within: string): string => (within === "[" ? "`,` or `]`" : "`,` or `}`");

function placeIn(text: string, at: number): string {
  const lines = text.slice(0, at).split("\n");
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}
