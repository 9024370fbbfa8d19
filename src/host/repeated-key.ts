// Finds a key that stands twice in a JSON object. JSON parsers keep the last one without a message.

import { jsonTokens } from "./json-tokens.ts";

/** The first key that an object of a valid JSON text has twice. */
export function repeatedKey(text: string): string | undefined {
  const open: Set<string>[] = [];
  let before = "";
  for (const { word } of jsonTokens(text)) {
    if (word === "{" || word === "[") open.push(new Set());
    else if (word === "}" || word === "]") open.pop();
    else if (word === ":") {
      const key = JSON.parse(before) as string;
      const keys = open[open.length - 1]!;
      if (keys.has(key)) return key;
      keys.add(key);
    }
    before = word;
  }
  return undefined;
}
