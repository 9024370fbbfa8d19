// Parses JSON. Integers keep all their digits, and a message about wrong JSON names the place.

import { cut } from "../diagnostics/cut.ts";
import { isInteger, type ElementType } from "../scalar/types.ts";
import { failure, type Failure } from "../base/failure.ts";
import { jsonProblem } from "./json-problem.ts";
import { jsonTokens } from "./json-tokens.ts";
import { repeatedKey } from "./repeated-key.ts";

/** The parsed text, for a value of some element type. */
export function jsonIn(text: string, dtype: ElementType): { readonly json: unknown } | Failure {
  let json: unknown;
  try {
    json = JSON.parse(isInteger(dtype) ? withWholeIntegers(text) : text);
  } catch {
    return failure(
      `it is not JSON: ${jsonProblem(text) ?? "it is larger or deeper than can be read"}`,
    );
  }
  const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
  const twice = isObject ? repeatedKey(text) : undefined;
  return twice === undefined ? { json } : failure(`it has the key \`${cut(twice)}\` twice`);
}

/** Puts quotes around integers that a plain number would round, so that they keep all digits. */
function withWholeIntegers(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { word, at } of jsonTokens(text)) {
    if (!/^-?[1-9]\d{15,}$/.test(word) || Number.isSafeInteger(Number(word))) continue;
    pieces.push(text.slice(from, at), `"${word}"`);
    from = at + word.length;
  }
  return from === 0 ? text : pieces.join("") + text.slice(from);
}
