// The inputs of a run: `--in x=FILE` and `--set x=VALUE`, held against what the program declares.

import type { DeclaredInput } from "../lower/declared-input.ts";
import { cut } from "../diagnostics/cut.ts";
import { error } from "../diagnostics/diagnostic.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { convertInput } from "../scalar/values/convert.ts";
import { failed, type Failure } from "../base/failure.ts";
import { jsonIn } from "../host/json-in.ts";
import { fromJson } from "../host/json.ts";
import { floatIn } from "../scalar/values/number-text.ts";
import { withBytes } from "../host/node/files.ts";
import { scalarValue, type TensorValue } from "../scalar/values/value.ts";
import { integerBounds, isFloat, isInteger } from "../scalar/types.ts";
import { contentOf, placeOf, readable } from "../host/node/formats.ts";
import { exitCode } from "./io.ts";
import { commandProblem, FlagProblem, type Pair, type Settings } from "./settings.ts";

/** Where a value came from, as messages name it: a path, or the flag that set it. */
interface Arrived {
  readonly value: TensorValue;
  readonly from: string;
}

/** What is asked of inputs: where they come from, and how floats are held. */
type Wanted = Pick<Settings, "files" | "scalars" | "f64">;

interface Around {
  /** Inputs that have a value already: the others must fit them. */
  readonly present?: ReadonlyMap<string, TensorValue>;
  /** How one writes that a scalar is set, for messages. */
  readonly set?: string;
}

export function readInputs(
  settings: Wanted,
  declared: readonly DeclaredInput[],
  { present = new Map(), set = "--set" }: Around = {},
): ReadonlyMap<string, TensorValue> {
  const found = new Map<string, Arrived>();
  const add = (
    pair: Pair,
    from: string,
    read: (pair: Pair, input: DeclaredInput) => TensorValue | Failure,
  ): void => {
    if (found.has(pair.name)) throw commandProblem(`the input \`${pair.name}\` is given twice`);
    const input = held(declaration(pair.name, declared), settings);
    const value = read(pair, input);
    const fitted = failed(value) ? value : convertInput(value, input.dtype);
    if (failed(fitted))
      throw unfit(
        input,
        `the value for \`${pair.name}\` from \`${from}\` does not fit: ${fitted.error}`,
      );
    found.set(pair.name, { value: fitted, from });
  };
  for (const pair of settings.files) add(pair, pair.rest, fileValue);
  for (const pair of settings.scalars)
    add(pair, `${set} ${pair.name}=${pair.rest}`, writtenValue(set));
  const earlier = [...present].map(([name, value]): [string, Arrived] => [
    name,
    { value, from: name },
  ]);
  checkShapes(declared, new Map([...earlier, ...found]));
  return new Map([...found].map(([name, { value }]) => [name, value]));
}

/** With `--f64` a float keeps all of its digits. */
function held(input: DeclaredInput, { f64 }: Wanted): DeclaredInput {
  return f64 && isFloat(input.dtype) ? { ...input, dtype: "f64" } : input;
}

/**
 * Ranks and extents, here where the files are known by name; one dimension name has one extent
 * everywhere.
 */
function checkShapes(
  declared: readonly DeclaredInput[],
  found: ReadonlyMap<string, Arrived>,
): void {
  const pinned = new Map<string, { readonly extent: number; readonly by: string }>();
  for (const input of declared) {
    const { name, shape } = input;
    const arrived = found.get(name);
    if (!arrived || !shape) continue;
    const { value, from } = arrived;
    if (value.shape.length !== shape.length) {
      const form = shape.length === 0 ? "a scalar" : `of rank ${shape.length}`;
      throw unfit(
        input,
        `\`${name}\` is declared ${form}, but \`${from}\` has the shape ` +
          `[${value.shape.join(", ")}]`,
      );
    }
    shape.forEach((wanted, axis) => {
      const extent = value.shape[axis]!;
      const place = `axis ${axis} of \`${from}\` has the extent ${extent}`;
      if (typeof wanted === "number" && wanted !== extent) {
        throw unfit(input, `${place}, but \`${name}\` is declared with ${wanted} there`);
      }
      if (typeof wanted !== "string") return;
      const pin = pinned.get(wanted);
      if (!pin) pinned.set(wanted, { extent, by: `axis ${axis} of \`${from}\`` });
      else if (pin.extent !== extent)
        throw unfit(input, `${place}, but \`${wanted}\` is ${pin.extent}, from ${pin.by}`);
    });
  }
}

function unfit({ span }: DeclaredInput, title: string): FlagProblem {
  return new FlagProblem(error("E0887", title, span), exitCode.programWrong);
}

function declaration(name: string, declared: readonly DeclaredInput[]): DeclaredInput {
  const input = declared.find((candidate) => candidate.name === name);
  if (input) return input;
  const names = declared.map((candidate) => candidate.name);
  const list =
    names.length > 0
      ? `it declares ${names.map((one) => `\`${one}\``).join(", ")}`
      : "it declares none";
  const help = didYouMean(name, names) ?? list;
  const title = `the program declares no input \`${name}\``;
  throw new FlagProblem(error("E0885", title, undefined, { help }), exitCode.programWrong);
}

function fileValue({ name, rest }: Pair, input: DeclaredInput): TensorValue | Failure {
  const place = placeOf(rest);
  if (!place) {
    const help =
      input.dtype === "str" ? textHelp(name, rest) : `what can be read is ${readable.join(", ")}`;
    const title = `cannot read the input \`${name}\` from \`${rest}\`: its format is not known`;
    throw new FlagProblem(error("E0883", title, undefined, { help }), exitCode.commandWrong);
  }
  const content = withBytes(place.path, (bytes) => contentOf(place, bytes, input));
  if (!content.ok) throw unreadable(name, place.path, content.why);
  if (failed(content.value)) throw unreadable(name, rest, content.value.error);
  return content.value.value;
}

/** Texts come from files of few formats: `s.txt` is none of them. */
function textHelp(name: string, file: string): string {
  const json = file.replace(/(\.\w+)?$/, ".json");
  return (
    `write the text in double quotes into a .json file, \`--in ${name}=${json}\`, ` +
    `or give a short one, \`--set '${name}=…'\``
  );
}

function unreadable(name: string, path: string, why: string): FlagProblem {
  const title = `cannot read the input \`${name}\` from \`${path}\`: ${why}`;
  return new FlagProblem(error("E0881", title, undefined), exitCode.commandWrong);
}

/** A value that is written out: a scalar, or a list as in JSON. */
function writtenValue(set: string): (pair: Pair, input: DeclaredInput) => TensorValue | Failure {
  return (pair, input) => {
    const { rest: text } = pair;
    const isText = input.dtype === "str" && !input.shape?.length;
    if (isText || !text.trimStart().startsWith("[")) return scalarOf(pair, input, set);
    const json = jsonIn(text, input.dtype);
    if (!failed(json)) return fromJson(json.json, input.dtype);
    const title = `\`${set} ${pair.name}=${cut(text)}\` cannot be read: ${json.error}`;
    throw commandProblem(title, "write it as JSON: `[[1, 2], [3, 4]]`");
  };
}

/** The widest type that the text can be; it is then fitted to the declared one. */
function scalarOf({ name, rest: text }: Pair, input: DeclaredInput, set: string): TensorValue {
  if (input.dtype === "str") return scalarValue("str", text);
  if (text === "true" || text === "false") return scalarValue("bool", text === "true");
  const plain = text.replaceAll("_", "");
  if (/^[+-]?\d+$/.test(plain)) {
    const integer = BigInt(plain.replace("+", ""));
    if (BigInt.asIntN(64, integer) === integer) return scalarValue("i64", integer);
    if (isInteger(input.dtype)) {
      const { least, greatest } = integerBounds[input.dtype];
      throw unfit(
        input,
        `\`${set} ${name}=${cut(text)}\` does not fit: ` +
          `\`${name}\` is ${input.dtype}, which goes from ${least} to ${greatest}`,
      );
    }
    return scalarValue("f64", Number(integer));
  }
  const number = floatIn(/^[+-]?\d/.test(text) ? plain : text, "f64");
  if (failed(number))
    throw unfit(input, `\`${set} ${name}=${cut(text)}\` does not fit: ${number.error}`);
  if (number !== undefined) return scalarValue("f64", number);
  const forms =
    `\`${set}\` takes a number, \`true\`, \`false\`, or a list such as \`[1, 2]\`; ` +
    `larger tensors come from files, with \`${set === "--set" ? "--in" : ":in"}\``;
  throw commandProblem(
    `\`${set} ${name}=${cut(text)}\` does not give a value`,
    listHelp(name, text, set) ?? forms,
  );
}

/** For `x=1,2,3`: the line to type. A shell leaves a list alone between quotes. */
function listHelp(name: string, text: string, set: string): string | undefined {
  const parts = text.split(",").map((part) => part.trim());
  const isList = parts.every(
    (part) => floatIn(part, "f64") !== undefined || part === "true" || part === "false",
  );
  if (!isList || parts.length < 2) return undefined;
  const written = `${name}=[${cut(parts.join(", "))}]`;
  return `a list stands in brackets: \`${set} ${set === "--set" ? `'${written}'` : written}\``;
}
