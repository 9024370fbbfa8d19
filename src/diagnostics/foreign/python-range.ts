// `range(n)` of Python as a range.

/** What the arguments of a `range` mean here. */
interface PythonRange {
  /** `0..n`, `1..n`, `rev(0..n)` */
  readonly text: string;
  /** With a step other than 1: which positions are meant, as a condition on the coordinate. */
  readonly condition?: (coordinate: string) => string;
}

/** Nothing where the step is neither -1 nor a number that is written out. */
export function pythonRange(given: readonly string[]): PythonRange | undefined {
  const [first, second, step = "1"] = given;
  if (first === undefined || given.length > 3) return undefined;
  if (second === undefined) return { text: `0..${first}` };
  if (step === "1") return { text: `${first}..${second}` };
  if (step === "-1") return { text: `rev(${next(second)}..${next(first)})` };
  if (!/^[1-9]\d*$/.test(step)) return undefined;
  const passed = (name: string): string => (first === "0" ? name : `(${name} - ${first})`);
  return {
    text: `${first}..${second}`,
    condition: (name) => `${passed(name)} % ${step} == 0`,
  };
}

/** One more: of `n - 1` it is `n`. */
function next(text: string): string {
  if (/^-?\d+$/.test(text)) return String(Number(text) + 1);
  return /^(\w+|\w+\([^()]*\)) ?- ?1$/.exec(text)?.[1] ?? `${text} + 1`;
}

/** The arguments between the commas of a text, as far as these stand in no bracket. */
export function argumentsIn(text: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const sign of text) {
    if ("([{".includes(sign)) depth++;
    else if (")]}".includes(sign)) depth--;
    if (sign === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += sign;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
