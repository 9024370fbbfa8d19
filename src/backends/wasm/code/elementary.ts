// Emits elementary functions. The definitions in `math/` leave open what their operations do; in
// this file, each operation emits a vector instruction.
//
// A function is written out where it is used. In a scope with many uses, as a sum of twenty sines,
// the further ones are calls of a function in the module, so that the code stays small.

import type { OperationName } from "../../../scalar/operations.ts";
import { elementary, type Elementary } from "../../math/elementary.ts";
import { abreast } from "../../math/lanes.ts";
import { isRelaxed } from "../contract/form.ts";
import type { EncodedFunction } from "./encode.ts";
import {
  callWithin,
  get,
  knownAt,
  lane,
  newEmitter,
  newParameter,
  valueAt,
  type Slot,
} from "./emitter.ts";
import { newImports } from "../host.ts";
import { lanesFor, vector, type Vectors } from "./lanes.ts";

/** At most this many uses are written out in one scope, and in a whole function. */
const mostInScope = 8;
const mostInFunction = 128;

export function elementaryOf(operation: OperationName): Elementary | undefined {
  return (elementary as Partial<Record<OperationName, Elementary>>)[operation];
}

/** The function of a single number is computed as one lane of the function of a vector. */
export function vectorElementary(
  kernel: Vectors,
  operation: OperationName,
  operands: readonly Slot[],
): Slot {
  const result = elementaryLanes(
    kernel,
    operation,
    operands.map((operand) => vector(kernel, "f32x4.splat", operand)),
  );
  return valueAt(kernel.emitter, `lane0:l${result.local}`, "f32", result.level, (code) => {
    get(code, result);
    lane(code, "f32x4.extract_lane", 0);
  });
}

export function elementaryLanes(
  kernel: Vectors,
  operation: OperationName,
  operands: readonly Slot[],
): Slot {
  return elementaryAbreast(
    kernel,
    operation,
    operands.map((operand) => [operand]),
  )[0]!;
}

/**
 * The function of several vectors; each operand has one value for each vector. Each step is emitted
 * for all vectors before the next.
 */
export function elementaryAbreast(
  kernel: Vectors,
  operation: OperationName,
  operands: readonly (readonly Slot[])[],
): readonly Slot[] {
  const { emitter } = kernel;
  const [x, y = x] = operands as readonly [readonly Slot[], (readonly Slot[])?];
  const keys = x.map(
    (_, k) => `${operation}:${operands.map((each) => `l${each[k]!.local}`).join()}`,
  );
  const known = keys.flatMap((key) => knownAt(emitter, key) ?? []);
  if (known.length === keys.length) return known;
  const row = elementaryOf(operation)!;
  const level = Math.max(...operands.flat().map((operand) => operand.level));
  const scope = emitter.scopes[Math.max(level, emitter.outermost)]!;
  if (scope.functions < mostInScope && emitter.functions < mostInFunction) {
    scope.functions++;
    emitter.functions++;
    const results = row.compute(abreast(lanesFor(kernel), keys.length), x, y);
    results.forEach((slot, k) => emitter.scopes[slot.level]!.known.set(keys[k]!, slot));
    return results;
  }
  const called = compiledFunctionFor(kernel, operation, operands.length);
  return keys.map((key, k) => {
    const own = operands.map((each) => each[k]!);
    const from = Math.max(...own.map((operand) => operand.level));
    return valueAt(emitter, key, "v128", from, (code) => {
      for (const operand of own) get(code, operand);
      callWithin(emitter, code, called);
    });
  });
}

/**
 * Compiled functions by operation. A host that rounds a product and a sum together (relaxed SIMD)
 * has functions of its own.
 */
const functionsByKey = new Map<string, EncodedFunction>();

function compiledFunctionFor(
  { constantAt }: Vectors,
  operation: OperationName,
  count: number,
): EncodedFunction {
  const key = isRelaxed() ? `${operation}/relaxed` : operation;
  const known = functionsByKey.get(key);
  if (known) return known;
  const emitter = newEmitter(newImports());
  const [x, y] = Array.from({ length: count }, () => newParameter(emitter, "v128"));
  const result = elementaryOf(operation)!.compute(lanesFor({ emitter, constantAt }), x!, y ?? x!);
  const { code } = emitter.scopes[0]!;
  get(code, result);
  const signature = { parameters: emitter.parameters, results: ["v128"] } as const;
  const encoded = { signature, locals: emitter.locals, code };
  functionsByKey.set(key, encoded);
  return encoded;
}
