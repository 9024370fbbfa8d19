// The tag ein`…`, whose tensors stand in the text, and the call form ein("…"), which the type
// system checks.

import { askedForEquation } from "./asked.ts";
import type { Program } from "./program.ts";
import { compileToRun } from "./compile-async.ts";
import { isBrowserPage } from "./host.ts";
import type { Equation } from "./notation.ts";
import { elementOfCells, type Given, type Value } from "./value.ts";

/** The top-level values of a text, by name. */
export type Results = Readonly<Record<string, Value>>;

export interface Ein {
  /**
   * Computes a text that contains tensors: `` const { C } = await
   * ein`let C[i, j] = sum[k](${A}[i, k] * ${B}[k, j]);` ``.
   */
  (text: TemplateStringsArray, ...tensors: readonly Given[]): Promise<Results>;
  /**
   * A function of the names that a text reads. TypeScript checks index names, ranks and extents.
   */
  <const T extends string>(
    text: T extends Equation<T>["text"] ? T : Equation<T>["text"],
  ): Equation<T>["function"];
}

export const ein: Ein = ((text: TemplateStringsArray | string, ...tensors: readonly Given[]) => {
  askedForEquation(text);
  return typeof text === "string" ? equation(text) : runTagged(text, tensors);
}) as Ein;

async function runOn(program: Program, inputs: Readonly<Record<string, Given>>): Promise<Results> {
  return isBrowserPage() ? program.runAsync(inputs) : program.run(inputs);
}

// ── the tag ─────────────────────────────────────────────────────────────────────────────────────

/** The programs of a call site, by the types of its tensors. */
const sites = new WeakMap<TemplateStringsArray, Map<string, Promise<Program>>>();

async function runTagged(
  strings: TemplateStringsArray,
  tensors: readonly Given[],
): Promise<Results> {
  // A tensor that stands in several places is one input, so that a derivative by it counts all
  // places.
  const distinct = [...new Set(tensors)];
  const names = tensors.map((tensor) => tensorName(distinct.indexOf(tensor)));
  const inputs = Object.fromEntries(distinct.map((tensor, k) => [tensorName(k), tensor]));
  const forms = distinct.map(formOf);
  const key = JSON.stringify([names, forms.map((form) => form && [form.dtype, form.shape.length])]);
  let programs = sites.get(strings);
  if (!programs) sites.set(strings, (programs = new Map()));
  let program = programs.get(key);
  if (!program) {
    const text = strings.map((part, k) => part + (names[k] ?? "")).join("");
    const typed = Object.fromEntries(
      forms.flatMap((form, k) => (form ? [[tensorName(k), form]] : [])),
    );
    programs.set(
      key,
      (program = compileToRun(text, { name: "ein`…`", open: true, inputs: typed })),
    );
  }
  return runOn(await program, inputs);
}

const tensorName = (k: number): string => `tensor_${k + 1}`;

/**
 * The type of a value or typed array. Plain numbers and nested arrays have no type here; their type
 * follows from their use.
 */
function formOf(tensor: Given): Pick<Value, "dtype" | "shape"> | undefined {
  if (ArrayBuffer.isView(tensor)) return { dtype: elementOfCells(tensor), shape: [tensor.length] };
  return typeof tensor === "object" && tensor !== null && "dtype" in tensor
    ? (tensor as Value)
    : undefined;
}

// ── the call form ───────────────────────────────────────────────────────────────────────────────

const equations = new Map<string, Promise<Program>>();

function equation(text: string): (inputs?: Readonly<Record<string, Given>>) => Promise<Results> {
  return async (inputs = {}) => {
    let program = equations.get(text);
    if (!program)
      equations.set(text, (program = compileToRun(text, { name: 'ein("…")', open: true })));
    return runOn(await program, inputs);
  };
}
