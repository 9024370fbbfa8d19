// Checks the inputs of a host program against their declarations, before a run. Typed arrays are
// used as they are. Only nested arrays, which are there for convenience, are converted cell by
// cell.

import type { DeclaredInput } from "../lower/declared-input.ts";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { isInMemory, valueAt } from "../backends/wasm/memory/arena.ts";
import { isKept } from "../backends/wasm/memory/kept.ts";
import { failed, failure, type Failure } from "../base/failure.ts";
import { arrays, wholeValue } from "../scalar/values/whole-value.ts";
import {
  flatten,
  fromFlat,
  indicesOf,
  showIndices,
  sizeOf,
  type Nested,
  type TensorValue,
} from "../scalar/values/value.ts";
import { isFloat, isUnsized, type ElementType, type TypedArray } from "../scalar/types.ts";
import { roundTo } from "../scalar/round.ts";
import { EinError } from "./error.ts";
import type { Given } from "./value.ts";

/** Which inputs must hold finite numbers only. */
export type Finite = boolean | readonly string[];

/** The conditions on inputs besides their declarations. */
interface Terms {
  readonly finite: Finite;
  /** Names that may be given although no input has them. */
  readonly spare?: readonly string[];
}

export function fitInputs(
  { finite, spare = [] }: Terms,
  declared: readonly DeclaredInput[],
  given: Readonly<Record<string, Given>>,
): ReadonlyMap<string, TensorValue> {
  const names = declared.map(({ name }) => name);
  const came = Object.keys(given ?? {}).filter((name) => given[name] !== undefined);
  const problems: Diagnostic[] = [];
  for (const name of came) {
    if (names.includes(name) || spare.includes(name)) continue;
    problems.push(undeclared(name, names));
  }
  const missing = declared.filter(({ name }) => !came.includes(name));
  if (missing.length > 0) problems.push(missingInputs(missing));
  const values = new Map<string, TensorValue>();
  for (const input of declared) {
    if (!came.includes(input.name)) continue;
    const value = fittedValue(input, given[input.name]!);
    if (failed(value)) problems.push(unfitInput(input, value.error));
    else values.set(input.name, value);
  }
  if (problems.length > 0) throw new EinError(problems);
  for (const input of declared) {
    const isHeld = typeof finite === "boolean" ? finite : finite.includes(input.name);
    if (isHeld) checkFinite(input, values.get(input.name)!);
  }
  return values;
}

/**
 * Checks that every name in `finite` is an input. A misspelt name would otherwise check nothing.
 */
export function checkFiniteNames(declared: readonly DeclaredInput[], finite: Finite): void {
  const names = declared.map(({ name }) => name);
  const strange = typeof finite === "boolean" ? [] : finite.filter((name) => !names.includes(name));
  if (strange.length > 0) throw new EinError(strange.map((name) => undeclared(name, names)));
}

function undeclared(name: string, names: readonly string[]): Diagnostic {
  const help =
    didYouMean(name, names) ??
    (names.length > 0 ? `it declares ${quotedNames(names)}` : "it declares none");
  return error("E0885", `the program declares no input \`${name}\``, undefined, { help });
}

/** The type as a declaration writes it: `[f32; batch, 3]`. */
export function declaredType({ dtype, shape }: DeclaredInput): string {
  if (!shape) return `[${dtype}; *]`;
  return shape.length === 0
    ? dtype
    : `[${dtype}; ${shape.map((extent) => extent ?? "?").join(", ")}]`;
}

function quotedNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function missingInputs(missing: readonly DeclaredInput[]): Diagnostic {
  const [first, ...others] = missing;
  const names = missing.map(({ name }) => name);
  const title =
    others.length === 0
      ? `the input ${quotedNames(names)} is missing`
      : `the inputs ${quotedNames(names)} are missing`;
  return error("E0801", title, first!.span, {
    text: `it is declared \`${declaredType(first!)}\``,
    labels: others.flatMap((each) =>
      each.span ? [{ span: each.span, text: `it is declared \`${declaredType(each)}\`` }] : [],
    ),
    help:
      `give ${others.length === 0 ? "it" : "them"} with the others: ` +
      `\`run({ ${names.map((name) => `${name}: …`).join(", ")} })\``,
  });
}

function unfitInput(input: DeclaredInput, why: string): Diagnostic {
  const title =
    `the value for \`${input.name}\` does not fit: ` +
    `it is declared \`${declaredType(input)}\`, ${why}`;
  return error("E0887", title, input.span);
}

function checkFinite(input: DeclaredInput, value: TensorValue): void {
  if (!isFloat(value.dtype)) return;
  const cells = value.data as Float32Array;
  for (let at = 0; at < cells.length; at++) {
    if (Number.isFinite(cells[at]!)) continue;
    const place =
      value.shape.length === 0
        ? "what came"
        : `the element ${showIndices(indicesOf(value.shape, at))} of what came`;
    const title =
      `the input \`${input.name}\` has to be finite: ` +
      `it is declared \`${declaredType(input)}\`, ${place} is ${cells[at]}`;
    throw new EinError([error("E0802", title, input.span)]);
  }
}

// ── one value ───────────────────────────────────────────────────────────────────────────────────

function fittedValue(input: DeclaredInput, given: Given): TensorValue | Failure {
  const value = ArrayBuffer.isView(given) ? fromCells(input, given) : fromGiven(input, given);
  if (failed(value)) return value;
  if (value.dtype !== input.dtype) {
    const remedy =
      isUnsized(value.dtype) || isUnsized(input.dtype)
        ? ""
        : `: ${remedyFor(value.dtype, input.dtype)}`;
    return failure(`the value that came is ${value.dtype}${remedy}`);
  }
  const { shape } = input;
  if (shape && value.shape.length !== shape.length)
    return failure(
      `the value that came has rank ${value.shape.length} and the shape ` +
        `[${value.shape.join(", ")}]`,
    );
  for (const [axis, extent] of (shape ?? []).entries()) {
    if (typeof extent === "number" && value.shape[axis] !== extent)
      return failure(
        `the value that came has the shape [${value.shape.join(", ")}]: ` +
          `axis ${axis} has ${value.shape[axis]}, not ${extent}`,
      );
  }
  return checkedCells(value);
}

function remedyFor(came: ElementType, declared: ElementType): string {
  return (
    `declare it ${came}, or convert it before, ` +
    `with \`${arrays[declared as keyof typeof arrays].name}.from\``
  );
}

/**
 * A typed array without a shape. Its class decides the element type, and the declaration decides
 * the shape.
 */
function fromCells({ dtype, shape }: DeclaredInput, data: TypedArray): TensorValue | Failure {
  const [own] = Object.entries(arrays).find(([, kind]) => data.constructor === kind) ?? [];
  if (own === undefined)
    return failure(
      `the value that came is a ${data.constructor.name}, ` +
        "which holds no element type of the language",
    );
  // f16 and bf16 are stored as f32 cells, and bools as bytes.
  const isKind = !isUnsized(dtype) && data.constructor === arrays[dtype];
  const type = isKind ? dtype : own === "bool" ? undefined : (own as ElementType);
  if (type === undefined) return failure("the value that came is a Uint8Array, which holds bools");
  const fixed = shape?.every((extent) => typeof extent === "number") ? shape : undefined;
  if (fixed) {
    if (sizeOf(fixed) !== data.length)
      return failure(`the value that came has ${data.length} cells, not ${sizeOf(fixed)}`);
    return { dtype: type, shape: fixed, data };
  }
  if (shape && shape.length !== 1)
    return failure(
      "the value that came is an array without a shape: give `{ data, shape, dtype }`",
    );
  return { dtype: type, shape: [data.length], data };
}

function fromGiven({ dtype }: DeclaredInput, given: Given): TensorValue | Failure {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const nested = given as Nested;
    if (typeof nested === "function" || typeof nested === "symbol" || nested === null)
      return failure(`what came is ${nested === null ? "null" : `a ${typeof nested}`}`);
    const flat = flatten(nested);
    if (failed(flat)) return failure(`and what came does not fit: ${flat.error}`);
    // A JSON file may hold numbers as text, but a host program must give numbers. An i64 may be a
    // text, because it may exceed the integers that plain numbers hold exactly.
    const mayBeText = dtype === "str" || dtype === "i64";
    if (!mayBeText && flat.scalars.some((scalar) => typeof scalar === "string"))
      return failure("what came is text, and not numbers");
    const value = fromFlat(dtype, flat);
    return failed(value) ? failure(`and what came does not fit: ${value.error}`) : value;
  }
  const value = wholeValue(given);
  return failed(value) ? failure(`what came ${value.error}`) : value;
}

/**
 * Makes cells safe to compute with. A bool must be 0 or 1, f16 and bf16 are rounded, and a view
 * must belong to the latest run.
 */
function checkedCells(value: TensorValue): TensorValue | Failure {
  const { dtype, shape } = value;
  if (isUnsized(dtype)) return value;
  const data = value.data as TypedArray;
  if (isInMemory(data)) {
    if (!isKept(data))
      return failure(
        "and what came is a view of an earlier run, which a later one has overwritten",
      );
    return valueAt(dtype, shape, data.byteOffset);
  }
  if (dtype === "bool") {
    const strange = (data as Uint8Array).find((cell) => cell > 1);
    return strange === undefined
      ? value
      : failure(`and a cell of what came is ${strange}; a bool is 0 or 1`);
  }
  if (dtype !== "f16" && dtype !== "bf16") return value;
  const cells = data as Float32Array;
  const isRounded = cells.every((cell) => Object.is(roundTo(dtype, cell), cell));
  return isRounded ? value : { dtype, shape, data: cells.map((cell) => roundTo(dtype, cell)) };
}
