// The header of a `.npy` file, a Python dict with three keys. It is parsed strictly:
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }

import { mostAxes, tooManyAxes } from "../scalar/values/axes.ts";
import { failure } from "../base/failure.ts";
import type { Failure } from "../base/failure.ts";

export interface NpyHeader {
  /** NumPy's name of the element type, with its byte order: `<f4`. */
  readonly descr: string;
  readonly fortranOrder: boolean;
  readonly shape: readonly number[];
}

type Literal = string | boolean | readonly number[];

const space = /[ \t\n\r]*/y;
const text = /'([^'\\]*)'|"([^"\\]*)"/y;
const truth = /True|False/y;
const tuple = /\(\s*((?:\d+L?\s*,\s*)*(?:\d+L?\s*)?)\)/y;

export function parseNpyHeader(source: string): NpyHeader | Failure {
  const fields = readDict(source);
  if (!fields) return failure(`the header of the .npy file is malformed: ${preview(source)}`);
  const descr = fields.get("descr");
  const order = fields.get("fortran_order");
  const shape = fields.get("shape");
  if (descr === structured) {
    return failure(
      "the .npy file holds records with several fields; save each field as an array of its own",
    );
  }
  if (typeof descr !== "string") return lacking("descr", source);
  if (typeof order !== "boolean") return lacking("fortran_order", source);
  if (!Array.isArray(shape)) return lacking("shape", source);
  if (shape.length > mostAxes) return failure(tooManyAxes(shape.length));
  const size = (shape as readonly number[]).reduce((product, extent) => product * extent, 1);
  const isSafe = [size, ...(shape as readonly number[])].every(Number.isSafeInteger);
  if (!isSafe) return failure(`the shape (${shape.join(", ")}) in the .npy file is too large`);
  return { descr, fortranOrder: order, shape: shape as readonly number[] };
}

/** Stands for a list of fields. Its content does not matter, because such files are refused. */
const structured = "a structured dtype";

function lacking(key: string, source: string): Failure {
  return failure(`the header of the .npy file has no usable '${key}': ${preview(source)}`);
}

function preview(source: string): string {
  const line = source.trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** The entries of `{'key': literal, …}`, or undefined if the text has another form. */
function readDict(source: string): ReadonlyMap<string, Literal> | undefined {
  const fields = new Map<string, Literal>();
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (!match) return undefined;
    at = pattern.lastIndex;
    return match;
  };
  const symbol = (expected: string): boolean => {
    take(space);
    if (!source.startsWith(expected, at)) return false;
    at += expected.length;
    take(space);
    return true;
  };
  const literal = (): Literal | undefined => {
    const string = take(text);
    if (string) return string[1] ?? string[2]!;
    const bool = take(truth);
    if (bool) return bool[0] === "True";
    const list = take(tuple);
    return list ? (list[1]!.match(/\d+/g) ?? []).map(Number) : undefined;
  };
  if (!symbol("{")) return undefined;
  while (!symbol("}")) {
    const key = take(text);
    if (!key || !symbol(":")) return undefined;
    const name = key[1] ?? key[2]!;
    if (name === "descr" && source[at] === "[") return new Map([["descr", structured]]);
    const value = literal();
    if (value === undefined) return undefined;
    fields.set(name, value);
    if (!symbol(",") && source[at] !== "}") return undefined;
  }
  return at === source.length ? fields : undefined;
}
