// A call of a `pub fn` as a program of its own: the statements that the function needs, an input
// for each argument, and the call. For `fn norm(v: [f32; n])`:
//
//   input argument_1: [f32; a1_1];
//   let result = norm(argument_1);

import { error } from "../diagnostics/diagnostic.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { flatten } from "../scalar/values/value.ts";
import { failed } from "../base/failure.ts";
import { neededBy } from "../repl/needed.ts";
import type { Entry } from "../repl/entry.ts";
import { isElementType, type Scalar } from "../scalar/types.ts";
import type { Fn, Module, Type } from "../syntax/tree/ast.ts";
import { parse } from "../syntax/parse/parser.ts";
import { textOf, type Source } from "../base/source.ts";
import { EinError } from "./error.ts";
import { elementOfCells, type Given, type Value } from "./value.ts";

export interface CallForm {
  readonly name: string;
  readonly coordinates: readonly string[];
  readonly arguments: readonly Given[];
}

const parsed = new WeakMap<Source, Module>();

function moduleOf(source: Source): Module {
  let module = parsed.get(source);
  if (!module) parsed.set(source, (module = parse(source).module));
  return module;
}

/** The program that computes the call as `result`. */
export function callProgram(source: Source, form: CallForm): Source {
  const module = moduleOf(source);
  const fn = exportedFunction(module, form.name);
  const inputs = form.arguments.map((given, k) => {
    const type = argumentType(given, `a${k + 1}_`, fn.parameters[k]?.type);
    return `input argument_${k + 1}: ${type};`;
  });
  const values = form.arguments.map((_, k) => `argument_${k + 1}`);
  const bracket = form.coordinates.length > 0 ? `[${form.coordinates.join(", ")}]` : "";
  const call = `let result = ${form.name}${bracket}(${values.join(", ")});`;
  const text = [...neededDeclarations(module, fn), ...inputs, call].join("\n");
  return { name: `${form.name} of ${source.name}`, text };
}

function exportedFunction(module: Module, name: string): Fn {
  const functions = module.statements.filter((statement) => statement.kind === "fn");
  const found = functions.find((fn) => fn.name.text === name);
  if (found?.public) return found;
  const names = functions.filter((fn) => fn.public).map((fn) => fn.name.text);
  const list =
    names.length > 0
      ? `it has ${names.map((each) => `\`${each}\``).join(", ")}`
      : "it exports none";
  const help = found ? `export it: \`pub fn ${name}\`` : (didYouMean(name, names) ?? list);
  throw new EinError([
    error("E0202", `the program exports no function \`${name}\``, found?.name.span, { help }),
  ]);
}

/**
 * The declarations that the function may refer to. The search compares words only. Inputs and
 * effects of the program are left out.
 */
function neededDeclarations(module: Module, fn: Fn): readonly string[] {
  const statements = module.statements.filter(
    ({ kind }) => kind !== "expression" && kind !== "input" && kind !== "missing",
  );
  const entries = statements
    .filter((each) => each !== fn)
    .map((each): Entry => ({
      source: module.source,
      module: { ...module, statements: [each] },
      continued: 0,
    }));
  const last: Entry = {
    source: module.source,
    module: { ...module, statements: [fn] },
    continued: 0,
  };
  const found = new Set(
    neededBy([...entries, ...entries], last).flatMap(({ entry }) => entry.module.statements),
  );
  return statements
    .filter((each) => found.has(each))
    .map(({ span }) => withSemicolon(textOf(span)));
}

function withSemicolon(text: string): string {
  return /[;}]\s*$/.test(text) ? text : `${text};`;
}

/**
 * The type of an argument. Its axes keep the names of the value, or get new names. Plain numbers
 * get the element type of the parameter.
 */
function argumentType(given: Given, prefix: string, parameter: Type | undefined): string {
  if (typeof given === "object" && given !== null && "dtype" in given) {
    const { dtype, shape, names } = given as Value;
    // An object that is not a value gets any type. The check of the inputs then says what is wrong.
    if (!Array.isArray(shape)) return "f32";
    return tensorType(dtype, shape.length, (axis) => names?.[axis] ?? `${prefix}${axis + 1}`);
  }
  if (ArrayBuffer.isView(given)) return tensorType(elementOfCells(given), 1, () => `${prefix}1`);
  const flat = flatten(given);
  if (failed(flat)) return "f32";
  return tensorType(
    parameterElement(parameter) ?? typeOfScalar(flat.scalars[0]),
    flat.shape.length,
    (axis) => `${prefix}${axis + 1}`,
  );
}

/** The element type in the declaration of a parameter. */
function parameterElement(type: Type | undefined): string | undefined {
  const named = type?.kind === "tensor" ? type.element : type;
  const word = named?.kind === "named" ? named.path[0]!.text : "";
  if (isElementType(word)) return word;
  return word === "int" ? "i32" : word === "float" || word === "num" ? "f32" : undefined;
}

function typeOfScalar(first: Scalar | undefined): string {
  switch (typeof first) {
    case "boolean":
      return "bool";
    case "string":
      return "str";
    case "bigint":
      return "i64";
    default:
      return "f32";
  }
}

function tensorType(element: string, rank: number, nameOf: (axis: number) => string): string {
  return rank === 0
    ? element
    : `[${element}; ${Array.from({ length: rank }, (_, axis) => nameOf(axis)).join(", ")}]`;
}
