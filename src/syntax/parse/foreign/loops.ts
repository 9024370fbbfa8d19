// Rewrites a loop of another language, if its body is one statement: as a sum, a recurrence, a
// tensor or an array.
//
//   for year in 0..5 { b = b * 1.1; }     let r[0] = b; let r[t in 1..6] = r[t - 1] * 1.1;
//   for i in range(3): s += x[i]          let s_new = s + sum[i in 0..3](x[i]);
//   for i in range(3): y[i] = 2 * i       let y_new[i in 0..3] = 2 * i;
//   for v in x: out.append(2.0 * v)       let out_new = [2.0 * v | v in x];

import { argumentsIn, pythonRange } from "../../../diagnostics/foreign/python-range.ts";

/** What a loop walks. */
interface Walked {
  readonly counter: string;
  readonly from: string;
  readonly to: string;
  /** The counter as a bracket names it: `i in 0..3`, or `i` where all of a tensor is walked. */
  readonly item: string;
  /** The name of a cell, and what it is. */
  readonly cell?: readonly [name: string, read: string];
}

/** The Einlang for the `for` at an offset of a text, if the body of the loop is a single update. */
export function loopHelp(text: string, at: number): string | undefined {
  const head = /^for\s+([\w\s,()]+?)\s+in\s+([^\n{:]+?)\s*[:{]\s*/;
  const [start, names = "", source = ""] = head.exec(text.slice(at, at + 400)) ?? [];
  if (start === undefined) return undefined;
  const walked = walkedIn(argumentsIn(names.replace(/^\((.*)\)$/, "$1")), source, text);
  if (!walked) return undefined;
  const body = withoutLocals(text.slice(at + start.length, at + start.length + 400));
  return changedName(walked, body, text) ?? cells(walked, body) ?? collected(walked, body, text);
}

/** `d = 2 * w; w -= d`: a name of the body's own is written out in what follows it. */
function withoutLocals(body: string): string {
  const local = /^\s*(?:let\s+)?(\w+)\s*=\s*([^;\n{}=]+?)\s*(?:;[ \t]*\n?|\n)(?=\s*\w)/;
  const [line, name, value] = local.exec(body) ?? [];
  if (line === undefined || name === undefined || value === undefined) return body;
  const rest = body.slice(line.length).trimStart();
  const isLast = hasWord(name, value) || !hasWord(name, rest.split(/[;\n}]/)[0]!);
  if (isLast) return body;
  const own = isSimple(value) ? value : `(${value})`;
  return withoutLocals(rest.replaceAll(new RegExp(`(?<![\\w.])${name}\\b`, "g"), own));
}

function walkedIn(names: readonly string[], source: string, text: string): Walked | undefined {
  const [name, value] = names;
  if (name === undefined || names.length > 2 || !names.every((each) => /^\w+$/.test(each)))
    return undefined;
  const [, inside] = /^range\s*\((.*)\)$/.exec(source) ?? [];
  const range = inside === undefined ? source : pythonRange(argumentsIn(inside))?.text;
  const [, from, to] = /^(\w+)\s*\.\.\s*([^.=]+)$/.exec(range ?? "") ?? [];
  if (from !== undefined && to !== undefined)
    return value === undefined && isBound(to)
      ? { counter: name, from, to, item: `${name} in ${from}..${to}` }
      : undefined;
  const [, tensor] = (value ? /^enumerate\s*\(\s*(\w+)\s*\)$/ : /^(\w+)$/).exec(source) ?? [];
  if (tensor === undefined) return undefined;
  const counter = value === undefined ? freeIn(text, "ijklmn") : name;
  const cell = [value ?? name, `${tensor}[${counter}]`] as const;
  return { counter, from: "0", to: `len(${tensor})`, item: counter, cell };
}

/** `acc = acc + x[i]`: a sum where it only adds up, or else a recurrence. */
function changedName(walked: Walked, body: string, text: string): string | undefined {
  const { counter, from, to } = walked;
  const update = /^(?:let\s+)?(\w+)\s*([-+*/]?)=\s*([^;\n}=]+?)\s*(?:;\s*\}|\}|;|\n|$)/;
  const [, name, sign, given] = update.exec(body) ?? [];
  if (name === undefined || given === undefined || name === counter) return undefined;
  const right = withCell(given, walked);
  const value = sign === "" ? right : `${name} ${sign} ${isSimple(right) ? right : `(${right})`}`;
  if (!hasWord(name, value)) return undefined;
  const [, term] = new RegExp(`^${name} \\+ (.+)$`).exec(value) ?? [];
  const added = term?.replace(/^\(([^()]*)\)$/, "$1");
  if (added !== undefined && !hasWord(name, added) && hasWord(counter, added)) {
    const line = `let ${name}_new = ${name} + sum[${walked.item}](${added});`;
    return `a sum names what it walks: \`${line}\`; ${readInstead(name)}`;
  }
  const [tensor, step] = [freeIn(text, "rhsq"), freeIn(text, "tkuv")];
  const count = /^\d+$/.test(from) && /^\d+$/.test(to) ? Number(to) - Number(from) : undefined;
  const steps = count === undefined ? (from === "0" ? to : `(${to} - ${from})`) : String(count);
  const end = count === undefined ? `${steps} + 1` : String(count + 1);
  const passed = from === "0" ? `(${step} - 1)` : `(${step} - 1 + ${from})`;
  const next = value
    .replaceAll(new RegExp(`\\b${name}\\b`, "g"), `${tensor}[${step} - 1]`)
    .replaceAll(new RegExp(`\\b${counter}\\b`, "g"), passed)
    .replaceAll(/\[\(([^()]*)\)\]/g, "[$1]");
  const clauses = `let ${tensor}[0] = ${name}; let ${tensor}[${step} in 1..${end}] = ${next};`;
  const outcome = `the outcome is \`${tensor}[${steps}]\`: read it for \`${name}\` from there on`;
  return `what each pass changes is a recurrence: \`${clauses}\`; ${outcome}`;
}

/** `y[i] = 2 * i`: a declaration gives each cell. */
function cells(walked: Walked, body: string): string | undefined {
  const { counter, item, from, to } = walked;
  const assigned = /^(\w+)\[\s*(\w+)\s*\]\s*([-+*/]?)=\s*([^;\n}=]+?)\s*(?:;\s*\}|\}|;|\n|$)/;
  const [, name, index, sign, given] = assigned.exec(body) ?? [];
  if (name === undefined || given === undefined || index !== counter || hasWord(name, given))
    return undefined;
  const right = withCell(given, walked);
  const value = sign === "" ? right : `${name}[${counter}] ${sign} (${right})`;
  // Cells outside of the range keep their values: a later clause owns those that it gives.
  const isWhole = from === "0" && /^[\w()]+$/.test(to);
  const others = isWhole ? "" : `let ${name}_new[${counter}] = ${name}[${counter}]; `;
  const line = `${others}let ${name}_new[${item}] = ${value};`;
  return `a declaration gives each cell: \`${line}\`; ${readInstead(name)}`;
}

/** `out.append(e)` and `print(e)`: an array of what the passes give. */
function collected(walked: Walked, body: string, text: string): string | undefined {
  const [, called, given] =
    /^(\w+\.append|print)\s*\(([^;\n]+)\)\s*(?:;\s*\}|\}|;|\n|$)/.exec(body) ?? [];
  if (called === undefined || given === undefined || argumentsIn(given).length > 1)
    return undefined;
  const { cell, from, to, counter } = walked;
  const isOfCells = cell !== undefined && !hasWord(counter, given);
  const [value, item] = isOfCells
    ? [given, `${cell[0]} in ${cell[1].replace(/\[.*/, "")}`]
    : [withCell(given, walked), `${counter} in ${from}..${to}`];
  const array = `[${value} | ${item}]`;
  if (called === "print") return `print the whole: \`print(${array});\``;
  const name = called.replace(/\..*/, "");
  const isNew = new RegExp(`\\b${name}\\s*=\\s*\\[\\s*\\]`).test(text);
  const whole = isNew ? array : `std::array::concat(${name}, ${array})`;
  const line = `let ${name}_new = ${whole};`;
  return `what the passes give is an array: \`${line}\`; ${readInstead(name)}`;
}

function readInstead(name: string): string {
  return `read \`${name}_new\` for \`${name}\` from there on`;
}

function withCell(text: string, { cell }: Walked): string {
  if (!cell) return text;
  return text.replaceAll(new RegExp(`(?<![\\w.])${cell[0]}\\b`, "g"), cell[1]);
}

function hasWord(name: string, text: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text);
}

/** What can end a range: `n`, `len(x)`, `n - 1`. */
function isBound(text: string): boolean {
  return /^\w+(?:\(\w+\))?(?:\s*[-+]\s*\w+)?$/.test(text);
}

function isSimple(text: string): boolean {
  return /^[\w.]+(?:\[[^[\]]*\]|\([^()]*\))?$/.test(text);
}

/** A letter that is no word of a text. */
function freeIn(text: string, letters: string): string {
  const words = new Set(text.match(/\w+/g));
  return [...letters].find((letter) => !words.has(letter)) ?? `${letters[0]!}1`;
}
