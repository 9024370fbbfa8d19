// `let data = load("data.csv");`: what stands in a file is an input, and is given with `--in`.
//
//   input data: [f32; n, m];           by the name that the program binds, of the rank of its reads
//   ein run p.ein --in data=data.csv   and with the file that it names

import type { Fix } from "../../diagnostics/diagnostic.ts";
import { fix, replace } from "../../diagnostics/fixes.ts";
import { textOf, type Span } from "../../base/source.ts";

const readers = /^(?:load|load_npy|loadtxt|genfromtxt|read_csv|fromfile|open)$/;

/** The call, and its first argument. */
export function readFromFile(
  name: string,
  call: Span,
  argument: Span | undefined,
): { readonly help: string; readonly fixes: readonly Fix[] } | undefined {
  if (!readers.test(name)) return undefined;
  const { source } = call;
  const { text } = source;
  const bound = /\blet\s+(\w+)\s*=\s*$/.exec(text.slice(0, call.start));
  const end = /^\s*;/.exec(text.slice(call.end));
  const own = bound && end ? bound[1]! : undefined;
  const file = /^"([^"{}]+)"$/.exec(argument ? textOf(argument) : "")?.[1] ?? "FILE";
  // Where nothing is known of it, the table says it in general.
  if (own === undefined && file === "FILE") return undefined;
  const reads = own === undefined ? undefined : rankOfReads(text, own);
  const rank = reads ?? (/\.csv$/i.test(file) ? 2 : 1);
  const declared = `input ${own ?? "x"}: [f32; ${dimensions(text, rank).join(", ")}];`;
  // A file is read by its ending.
  const isReadable = file === "FILE" || /\.(?:npy|npz|safetensors|csv|json)$/i.test(file);
  const given = isReadable ? file : file.replace(/(?:\.\w+)?$/, ".csv");
  const program = /[^/\\]+\.ein$/.exec(source.name)?.[0] ?? "p.ein";
  const command = `ein run ${program} --in ${own ?? "x"}=${given}`;
  const help = `declare the value, \`${declared}\`, and give the file: \`${command}\``;
  if (!bound || !end) return { help, fixes: [] };
  const statement: Span = { source, start: bound.index, end: call.end + end[0].length };
  return { help, fixes: [fix(`write \`${declared}\``, replace(statement, declared))] };
}

/** With how many indices a name is read; nothing where it is never. */
function rankOfReads(text: string, name: string): number | undefined {
  const read = new RegExp(`(?<!\\blet\\s+)\\b${name}\\[([^[\\]]*)\\]`).exec(text);
  return read ? read[1]!.split(",").length : undefined;
}

/** Names of dimensions that stand nowhere in a text. */
export function dimensions(text: string, count: number): readonly string[] {
  const words = new Set(text.match(/\w+/g));
  const free = [..."nmkpqrstuvw"].filter((name) => !words.has(name));
  return Array.from({ length: count }, (_, k) => free[k] ?? "?");
}

/** `[f32; n]` with so many dimensions, as an input is declared behind its name. */
export function withDimensions(
  name: Span,
  rank: number,
): { readonly text: string; readonly at: Span } | undefined {
  const { source, end } = name;
  const behind = source.text.slice(end);
  const [whole, colon, element, dims = ""] =
    /^(\s*:\s*)\[\s*(\w+)\s*;([^[\]]*)\]/.exec(behind) ??
    /^(\s*:\s*)(f32|f64|i32|i64)\b/.exec(behind) ??
    [];
  if (whole === undefined || colon === undefined || /\.\./.test(dims)) return undefined;
  const own = dims
    .split(",")
    .map((dim) => dim.trim())
    .filter((dim) => dim !== "");
  const added = dimensions(source.text, rank - own.length);
  const at = { source, start: end + colon.length, end: end + whole.length };
  return { text: `[${element}; ${[...own, ...added].join(", ")}]`, at };
}
