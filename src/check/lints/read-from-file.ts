// `let data = load("data.csv");` is written in other languages. In Einlang a file is an input:
//
//   input data: [f32; n, m];           the name of the `let`, with the rank of its reads
//   ein run p.ein --in data=data.csv   the file that the call names

import type { Fix } from "../../diagnostics/diagnostic.ts";
import { fix, replace } from "../../diagnostics/fixes.ts";
import { textOf, type Span } from "../../base/source.ts";

const readers = /^(?:load|load_npy|loadtxt|genfromtxt|read_csv|fromfile|open)$/;

/** The help and the repair for a call of a foreign function that reads a file. */
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
  // Without a name and without a file, the general table of foreign functions knows as much.
  if (own === undefined && file === "FILE") return undefined;
  const reads = own === undefined ? undefined : rankOfReads(text, own);
  const rank = reads ?? (/\.csv$/i.test(file) ? 2 : 1);
  const declared = `input ${own ?? "x"}: [f32; ${dimensions(text, rank).join(", ")}];`;
  // `ein run` recognizes a file by its ending. A file with an unknown ending is suggested as
  // `.csv`.
  const isReadable = file === "FILE" || /\.(?:npy|npz|safetensors|csv|json)$/i.test(file);
  const given = isReadable ? file : file.replace(/(?:\.\w+)?$/, ".csv");
  const program = /[^/\\]+\.ein$/.exec(source.name)?.[0] ?? "p.ein";
  const command = `ein run ${program} --in ${own ?? "x"}=${given}`;
  const help = `declare the value, \`${declared}\`, and give the file: \`${command}\``;
  if (!bound || !end) return { help, fixes: [] };
  const statement: Span = { source, start: bound.index, end: call.end + end[0].length };
  return { help, fixes: [fix(`write \`${declared}\``, replace(statement, declared))] };
}

/** The number of indices of the first read of a name; undefined if the name is never read. */
function rankOfReads(text: string, name: string): number | undefined {
  const read = new RegExp(`(?<!\\blet\\s+)\\b${name}\\[([^[\\]]*)\\]`).exec(text);
  return read ? read[1]!.split(",").length : undefined;
}

/** Names for dimensions that do not occur in a text: `n`, `m`, `k`, …. */
function dimensions(text: string, count: number): readonly string[] {
  const words = new Set(text.match(/\w+/g));
  const free = [..."nmkpqrstuvw"].filter((name) => !words.has(name));
  return Array.from({ length: count }, (_, k) => free[k] ?? "?");
}

/** The type of an input, extended to a rank: `f32` becomes `[f32; n]` for rank 1. */
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
