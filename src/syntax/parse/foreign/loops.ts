// Rewrites a loop of another language that updates one name: as a recurrence, or as a sum if the
// loop only adds.
//
//   for year in 0..5 { b = b * 1.1; }     let r[0] = b; let r[t in 1..6] = r[t - 1] * 1.1;
//   for i in range(3): s += x[i]          s + sum[i in 0..3](x[i])

/** The Einlang for the `for` at an offset of a text, if the body of the loop is a single update. */
export function loopHelp(text: string, at: number): string | undefined {
  const head = /^for\s+(\w+)\s+in\s+(?:range\s*\(([^()]*)\)|(\w+)\s*\.\.\s*(\w+))\s*[:{]\s*/;
  const [start, counter, range, first, last] = head.exec(text.slice(at, at + 400)) ?? [];
  if (start === undefined || counter === undefined) return undefined;
  const bounds =
    range === undefined ? [first!, last!] : range.split(",").map((each) => each.trim());
  const [from, to] = bounds.length === 1 ? ["0", bounds[0]!] : [bounds[0]!, bounds[1]!];
  if (bounds.length > 2 || ![from, to].every((each) => /^\w+$/.test(each))) return undefined;
  const body = text.slice(at + start.length, at + start.length + 400);
  const [, name, sign, right] =
    /^(\w+)\s*([-+*/]?)=\s*([^;\n}=]+?)\s*(?:;\s*\}|\}|;|\n|$)/.exec(body) ?? [];
  if (name === undefined || right === undefined || name === counter) return undefined;
  const value = sign === "" ? right : `${name} ${sign} ${isSimple(right) ? right : `(${right})`}`;
  const mentions = (what: string, where: string): boolean =>
    new RegExp(`\\b${what}\\b`).test(where);
  if (!mentions(name, value)) return undefined;
  const [, added] = new RegExp(`^${name} \\+ (.+)$`).exec(value) ?? [];
  if (added !== undefined && !mentions(name, added) && mentions(counter, added))
    return (
      `a sum names what it walks: ` +
      `\`let ${name}_new = ${name} + sum[${counter} in ${from}..${to}](${added});\``
    );
  const words = new Set(text.match(/\w+/g));
  const free = (letters: string): string =>
    [...letters].find((letter) => !words.has(letter)) ?? `${letters[0]!}1`;
  const [tensor, step] = [free("rhsq"), free("tkuv")];
  const count = /^\d+$/.test(from) && /^\d+$/.test(to) ? Number(to) - Number(from) : undefined;
  const steps = count === undefined ? (from === "0" ? to : `(${to} - ${from})`) : String(count);
  const end = count === undefined ? `${steps} + 1` : String(count + 1);
  const passed = from === "0" ? `(${step} - 1)` : `(${step} - 1 + ${from})`;
  const next = value
    .replaceAll(new RegExp(`\\b${name}\\b`, "g"), `${tensor}[${step} - 1]`)
    .replaceAll(new RegExp(`\\b${counter}\\b`, "g"), passed);
  const clauses = `let ${tensor}[0] = ${name}; let ${tensor}[${step} in 1..${end}] = ${next};`;
  const outcome = `the outcome is \`${tensor}[${steps}]\``;
  return `what each pass changes is a recurrence: \`${clauses}\`; ${outcome}`;
}

function isSimple(text: string): boolean {
  return /^[\w.]+(?:\[[^[\]]*\]|\([^()]*\))?$/.test(text);
}
