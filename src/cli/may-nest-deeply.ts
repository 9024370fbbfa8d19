// Which programs may need a larger stack than a process has.

/** Says yes too often rather than too seldom: that costs the start of a thread. */
export function mayNestDeeply(text: string): boolean {
  return readsFiles.test(text) || hasManyFunctions(text) || nestsDeeply(text);
}

/** `mod m;`: what another file nests is not seen here. */
const readsFiles = /\bmod\s+\w+\s*;/;

/** Functions, and lambdas that have names, may call one another in a chain. */
function hasManyFunctions(text: string): boolean {
  let count = 0;
  for (const _ of text.matchAll(/\bfn\b|\|[^|]*\|/g)) if (++count > mostFunctions) return true;
  return false;
}

/**
 * Brackets inside one another, or a long stretch that nothing divides: it may be a chain of
 * operators.
 */
function nestsDeeply(text: string): boolean {
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "(" || character === "[" || character === "{") depth++;
    else if (character === ")" || character === "]" || character === "}") depth--;
    else if (character === ";" || character === ",") from = at;
    if (depth > deepestBrackets || at - from > longestStretch) return true;
  }
  return false;
}

const mostFunctions = 48;
const deepestBrackets = 48;
const longestStretch = 1500;
