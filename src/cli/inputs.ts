// The inputs of a run, from `--in x=FILE` and `--set x=VALUE`, checked against what the program
// declares.

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
import { contentOf, filePlaceOf, readable } from "../host/node/formats.ts";
import { exitCode } from "./io.ts";
import { commandProblem, FlagProblem, type Pair, type Settings } from "./settings.ts";

/** A value, and the path or flag that gave it, as messages name it. */
interface Arrived {
  readonly value: TensorValue;
  readonly from: string;
}

/** The settings that concern inputs: their sources, and whether floats are f64. */
type Wanted = Pick<Settings, "files" | "scalars" | "f64">;

interface Around {
  /** Inputs that have a value already. The extents of the others must agree with them. */
  readonly present?: ReadonlyMap<string, TensorValue>;
  /** The flag that sets an input, for messages: `--set` or `:set`. */
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
    const input = withWideFloats(declaration(pair.name, declared), settings);
    const value = read(pair, input);
    const fitted = failed(value) ? value : convertInput(value, input.dtype);
    if (failed(fitted))
      throw unfitInput(
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

/** With `--f64` a float input keeps all digits. */
function withWideFloats(input: DeclaredInput, { f64 }: Wanted): DeclaredInput {
  return f64 && isFloat(input.dtype) ? { ...input, dtype: "f64" } : input;
}

/**
 * Checks ranks and extents. A dimension name, such as `n` in `[f32; n]`, must have one extent in
 * all inputs. The check is here because messages can name the files.
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
      throw unfitInput(
        input,
        `\`${name}\` is declared ${form}, but \`${from}\` has the shape ` +
          `[${value.shape.join(", ")}]`,
      );
    }
    shape.forEach((wanted, axis) => {
      const extent = value.shape[axis]!;
      const place = `axis ${axis} of \`${from}\` has the extent ${extent}`;
      if (typeof wanted === "number" && wanted !== extent) {
        throw unfitInput(input, `${place}, but \`${name}\` is declared with ${wanted} there`);
      }
      if (typeof wanted !== "string") return;
      const pin = pinned.get(wanted);
      if (!pin) pinned.set(wanted, { extent, by: `axis ${axis} of \`${from}\`` });
      else if (pin.extent !== extent)
        throw unfitInput(input, `${place}, but \`${wanted}\` is ${pin.extent}, from ${pin.by}`);
    });
  }
}

function unfitInput({ span }: DeclaredInput, title: string): FlagProblem {
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
  const place = filePlaceOf(rest);
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

/** Help for a text input from a file of another format, such as `s.txt`. */
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

/** The value of `--set`: a scalar, or a list in JSON. */
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

/**
 * The scalar in the widest type that fits its text. The caller converts it to the declared type.
 */
function scalarOf({ name, rest: text }: Pair, input: DeclaredInput, set: string): TensorValue {
  if (input.dtype === "str") return scalarValue("str", text);
  if (text === "true" || text === "false") return scalarValue("bool", text === "true");
  const plain = text.replaceAll("_", "");
  if (/^[+-]?\d+$/.test(plain)) {
    const integer = BigInt(plain.replace("+", ""));
    if (BigInt.asIntN(64, integer) === integer) return scalarValue("i64", integer);
    if (isInteger(input.dtype)) {
      const { least, greatest } = integerBounds[input.dtype];
      throw unfitInput(
        input,
        `\`${set} ${name}=${cut(text)}\` does not fit: ` +
          `\`${name}\` is ${input.dtype}, which goes from ${least} to ${greatest}`,
      );
    }
    return scalarValue("f64", Number(integer));
  }
  const number = floatIn(/^[+-]?\d/.test(text) ? plain : text, "f64");
  if (failed(number))
    throw unfitInput(input, `\`${set} ${name}=${cut(text)}\` does not fit: ${number.error}`);
  if (number !== undefined) return scalarValue("f64", number);
  const forms =
    `\`${set}\` takes a number, \`true\`, \`false\`, or a list such as \`[1, 2]\`; ` +
    `larger tensors come from files, with \`${set === "--set" ? "--in" : ":in"}\``;
  throw commandProblem(
    `\`${set} ${name}=${cut(text)}\` does not give a value`,
    listHelp(name, text, set) ?? forms,
  );
}

/** Help for `x=1,2,3`: the line to type instead. A shell needs quotes around the list. */
function listHelp(name: string, text: string, set: string): string | undefined {
  const parts = text.split(",").map((part) => part.trim());
  const isList = parts.every(
    (part) => floatIn(part, "f64") !== undefined || part === "true" || part === "false",
  );
  if (!isList || parts.length < 2) return undefined;
  const written = `${name}=[${cut(parts.join(", "))}]`;
  return `a list stands in brackets: \`${set} ${set === "--set" ? `'${written}'` : written}\``;
}
