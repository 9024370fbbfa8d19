// A function of Python and the forms that stand in one: what is written here, with its own names.
//
//   def f(x):                           fn f(x) { if x > 0 { x } else { 0 } }
//       return x if x > 0 else 0
//   a if c and not d else b             if c && !(d) { a } else { b }

/** What to write for the `def` at a place of a text. */
export function defHelp(text: string, at: number): string | undefined {
  const head = /^def\s+(\w+)\s*\(([^()\n]*)\)\s*(?:->[^:\n]*)?:\s*/;
  const [start, name, given = ""] = head.exec(text.slice(at, at + 300)) ?? [];
  if (start === undefined || name === undefined) return undefined;
  const parameters = given.split(",").map((each) => each.replace(/:[^=]*/, "").trim());
  if (!parameters.every((each) => /^\w*(?:\s*=\s*[\w.]+)?$/.test(each))) return undefined;
  const body = text.slice(at + start.length, at + start.length + 300);
  const value = /^return\s+([^\n;#]+)/.exec(body)?.[1]?.trim();
  const shown = value === undefined ? "…" : ownChoice(value);
  const way = `fn ${name}(${parameters.join(", ")}) { ${shown} }`;
  return `write \`${way}\`: the last expression is the value, without \`return\``;
}

/** `a if c else b` as a choice of this language; any other text as it is. */
export function ownChoice(text: string): string {
  const [, then, condition, otherwise] = /^(.+?)\s+if\s+(.+?)\s+else\s+(.+)$/s.exec(text) ?? [];
  if (then === undefined || condition === undefined || otherwise === undefined) return text;
  return `if ${ownSigns(condition)} { ${then} } else { ${ownChoice(otherwise)} }`;
}

/** `lambda v: v + 1.0` at a place of a text, up to where a bracket or a comma around it goes on. */
export function ownLambda(text: string, at: number): string | undefined {
  const [, parameters, rest = ""] =
    /^lambda\s+([\w\s,]+?)\s*:\s*([^;\n]+)/.exec(text.slice(at, at + 200)) ?? [];
  if (parameters === undefined) return undefined;
  let depth = 0;
  let end = 0;
  for (; end < rest.length; end++) {
    const sign = rest[end]!;
    if ("([{".includes(sign)) depth++;
    else if (depth === 0 && ")]},".includes(sign)) break;
    else if (")]}".includes(sign)) depth--;
  }
  return `|${parameters}| ${ownChoice(rest.slice(0, end).trim())}`;
}

/** `and`, `or` and `not` by their signs; a text in quotation marks is left as it is. */
export function ownSigns(condition: string): string {
  if (/["']/.test(condition)) return condition;
  return condition
    .replaceAll(/\bnot\s+((?:(?!\b(?:and|or)\b).)+?)(?=\s+(?:and|or)\b|$)/g, "!($1)")
    .replaceAll(/\band\b/g, "&&")
    .replaceAll(/\bor\b/g, "||");
}
