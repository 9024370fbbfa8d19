// Guesses which programs may need a larger stack than a process has.

/** A wrong yes costs only the start of a thread, so in doubt the answer is yes. */
export function mayNestDeeply(text: string): boolean {
  return readsFiles.test(text) || hasManyFunctions(text) || nestsDeeply(text);
}

/** `mod m;` reads another file, whose nesting is not known here. */
const readsFiles = /\bmod\s+\w+\s*;/;

/** Functions, and lambdas with names, may call one another in a long chain. */
function hasManyFunctions(text: string): boolean {
  let count = 0;
  for (const _ of text.matchAll(/\bfn\b|\|[^|]*\|/g)) if (++count > mostFunctions) return true;
  return false;
}

/**
 * Whether brackets nest deeply, or a long stretch has no separator. Such a stretch may be a long
 * chain of operators.
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
