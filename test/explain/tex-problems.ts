// Finds what TeX would refuse in an explanation: unclosed groups, delimiters and environments, two
// superscripts on one letter, text outside of mathematics.

/** The first error of TeX. `undefined` if TeX would set the text. */
export function texProblem(text: string): string | undefined {
  const open: string[] = [];
  let isMath = false;
  /** The scripts that the letter before already has. */
  const scripts: Set<string>[] = [new Set()];
  const close = (wanted: string, token: string): string | undefined =>
    open.pop() === wanted ? undefined : `${token} closes nothing`;
  const rows = takenApart(text).matchAll(
    /\\begin\{(\w+\*?)\}|\\end\{(\w+\*?)\}|\\left|\\right|\\[a-zA-Z]+\*?|\\.|[{}$^_&#%~]|\s+|./gsu,
  );
  for (const [token, begins, ends] of rows) {
    const carried = scripts.at(-1)!;
    if (begins !== undefined) {
      open.push(begins);
      if (isDisplay(begins)) isMath = true;
      scripts.push(new Set());
    } else if (ends !== undefined) {
      const problem = close(ends, token);
      if (problem) return problem;
      if (isDisplay(ends)) isMath = false;
      scripts.pop();
    } else if (token === "\\left" || token === "\\right") {
      if (token === "\\left") open.push(token);
      else if (close("\\left", token)) return `${token} without \\left`;
    } else if (token === "{") {
      open.push(token);
      scripts.push(new Set());
    } else if (token === "}") {
      const problem = close("{", token);
      if (problem) return problem;
      scripts.pop();
    } else if (token === "$") {
      isMath = !isMath;
      scripts.at(-1)!.clear();
    } else if (token === "^" || token === "_") {
      if (!isMath) return `${token} outside of mathematics`;
      if (carried.has(token)) return `double ${token === "^" ? "superscript" : "subscript"}`;
      carried.add(token);
    } else if (token === "#" || token === "%" || token === "~") return `a bare ${token}`;
    else if (token === "&" && !open.some((name) => /tabular|cases|align|gather|array/.test(name)))
      return "a bare &";
    else if (!/^\s+$/.test(token)) carried.clear();
  }
  if (open.length > 0) return `${open.at(-1)} is never closed`;
  return isMath ? "$ is never closed" : undefined;
}

function isDisplay(environment: string): boolean {
  return /^(equation|gather|align)\*?$/.test(environment);
}

/** The text that TeX parses: without comments and verbatim code. */
function takenApart(text: string): string {
  return text
    .replaceAll(/\\begin\{verbatim\}.*?\\end\{verbatim\}/gs, "")
    .replaceAll(/(?<!\\)%[^\n]*/g, "");
}
