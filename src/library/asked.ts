// Checks the arguments and options of library calls. Host programs without types get a message too,
// and an option that does not exist is refused.

import { traps } from "../backends/traps.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { quotedCut } from "../diagnostics/cut.ts";
import { error } from "../diagnostics/diagnostic.ts";
import type { Backend } from "../backends/results.ts";
import type { CompileOptions } from "./compile.ts";
import { EinError } from "./error.ts";
import type { AsyncOptions, RunOptions, SyncOptions } from "./program.ts";

/** A condition on an argument or option, and the words for it in a message. */
interface Form {
  readonly fits: (given: unknown) => boolean;
  readonly reads: string;
}

/** A form for each option. An option without a form is refused. */
type Forms<Options> = Readonly<Record<keyof Options, Form>>;

const form = (reads: string, fits: Form["fits"]): Form => ({ fits, reads });
const isText = (given: unknown): given is string => typeof given === "string";
const isObject = (given: unknown): given is object => typeof given === "object" && given !== null;
const isTexts = (given: unknown): boolean => Array.isArray(given) && given.every(isText);

const isTyped = (given: unknown): boolean =>
  isObject(given) && "dtype" in given && "shape" in given && Array.isArray(given.shape);

const text = form("a text", isText);
const texts = form('a list of names, such as `["loss"]`', isTexts);
const names = form(
  'the names of one or more values, such as `["W"]`',
  (given) => isTexts(given) && (given as unknown[]).length > 0,
);
const flag = form("true or false", (given) => typeof given === "boolean");
const callback = form("a function", (given) => typeof given === "function");
const object = form("an object", (given) => isObject(given) && !Array.isArray(given));

const oneOf = (words: readonly string[]): Form =>
  form(
    words.map((word) => `"${word}"`).join(", "),
    (given) => isText(given) && words.includes(given),
  );

const compileOptions = {
  inputs: form(
    'types by the names of inputs, such as `{ x: "[f32; n]" }`',
    (given) =>
      object.fits(given) &&
      Object.values(given as object).every((type) => isText(type) || isTyped(type)),
  ),
  backend: oneOf(["wasm", "js", "interpret"] satisfies readonly Backend[]),
  open: flag,
  finite: form("true, false or a list of names", (given) => flag.fits(given) || isTexts(given)),
  name: text,
  readModule: callback,
} satisfies Forms<CompileOptions>;

const runOptions = {
  get: texts,
  f64: flag,
  maxMemory: form("a number of bytes", (given) => typeof given === "number" && given >= 0),
  trap: oneOf(traps),
  onPrint: callback,
  onProgress: callback,
} satisfies Forms<RunOptions>;

const syncOptions = { ...runOptions, view: flag } satisfies Forms<SyncOptions>;
const signal = form("an AbortSignal", (given) => isObject(given) && "aborted" in given);
const asyncOptions = { ...runOptions, signal } satisfies Forms<AsyncOptions>;

/** Null counts as no inputs, so that the message names the missing ones. */
const inputsByName = form(
  "values by name: `{ x: … }`",
  (given) => given === null || object.fits(given),
);

const source = form(
  "the text of a program",
  (given) => isText(given) || (isObject(given) && "text" in given && isText(given.text)),
);

export function askedToCompile(given: unknown, options: unknown): void {
  checkArgument("compile", "its text", source, given);
  checkOptions("compile", options, compileOptions);
}

export function askedForEquation(given: unknown): void {
  checkArgument(
    "ein",
    "its text",
    form("a text, or write it behind the tag", (it) => isText(it) || isTexts(it)),
    given,
  );
}

export function askedToRun(inputs: unknown, options: unknown): void {
  checkArgument("run", "its inputs", inputsByName, inputs);
  checkOptions("run", options, syncOptions);
}

export function askedToRunAsync(inputs: unknown, options: unknown): void {
  checkArgument("runAsync", "its inputs", inputsByName, inputs);
  checkOptions("runAsync", options, asyncOptions);
}

export function askedForFunction(name: unknown, coordinates: unknown): void {
  checkArgument("fn", "the name of a function", text, name);
  checkArgument("fn", "its coordinates", texts, coordinates);
}

export function askedForGradient(of: unknown, wrt: unknown): void {
  checkArgument("grad", "the name of a value", text, of);
  checkArgument("grad", "what to differentiate by", names, wrt);
}

export function askedForPlace(name: unknown, shape: unknown): void {
  checkArgument("alloc", "the name of an input", text, name);
  checkArgument(
    "alloc",
    "a shape",
    form("a list of extents", (given) => given === undefined || Array.isArray(given)),
    shape,
  );
}

function checkArgument(call: string, what: string, { fits, reads }: Form, given: unknown): void {
  if (!fits(given))
    throw wrong(`\`${call}\` was given ${showGiven(given)} as ${what}`, `give it ${reads}`);
}

function checkOptions(call: string, options: unknown, forms: Readonly<Record<string, Form>>): void {
  checkArgument(call, "its options", object, options);
  for (const [name, given] of Object.entries(options as object)) {
    const wanted = Object.hasOwn(forms, name) ? forms[name] : undefined;
    if (!wanted) {
      const known = Object.keys(forms);
      const list = `it takes ${known.map((each) => `\`${each}\``).join(", ")}`;
      throw wrong(`\`${call}\` takes no option \`${name}\``, didYouMean(name, known) ?? list);
    }
    if (given !== undefined && !wanted.fits(given))
      throw wrong(
        `the option \`${name}\` of \`${call}\` is ${showGiven(given)}`,
        `give it ${wanted.reads}`,
      );
  }
}

function wrong(title: string, help: string): EinError {
  return new EinError([error("E0806", title, undefined, { help })]);
}

function showGiven(given: unknown): string {
  switch (typeof given) {
    case "string":
      return quotedCut(given);
    case "object":
      if (Array.isArray(given)) return given.length === 0 ? "an empty array" : "an array";
      return given === null ? "null" : "an object";
    case "function":
      return "a function";
    default:
      return String(given);
  }
}
