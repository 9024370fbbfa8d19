// Elementary functions in kernels: the definitions of `math`, instantiated with instructions.
//
// A few of them stand where they are used. Where one scope has more, as in a sum of twenty sines,
// the others are calls of a function of the module, so that code grows by one call each.

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

/** So many stand where they are used in one scope, and in a whole function. */
const mostInScope = 8;
const mostInFunction = 128;

export function elementaryOf(operation: OperationName): Elementary | undefined {
  return (elementary as Partial<Record<OperationName, Elementary>>)[operation];
}

/** An elementary function of single numbers is one lane of the same function of vectors. */
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

/** The same of several vectors: of each operand there are as many. Each step is done for all. */
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
  const called = functionFor(kernel, operation, operands.length);
  return keys.map((key, k) => {
    const own = operands.map((each) => each[k]!);
    const from = Math.max(...own.map((operand) => operand.level));
    return valueAt(emitter, key, "v128", from, (code) => {
      for (const operand of own) get(code, operand);
      callWithin(emitter, code, called);
    });
  });
}

/** Functions by their operations, apart for hosts that round a product and a sum once. */
const made = new Map<string, EncodedFunction>();

function functionFor(
  { constantAt }: Vectors,
  operation: OperationName,
  count: number,
): EncodedFunction {
  const key = isRelaxed() ? `${operation}/relaxed` : operation;
  const known = made.get(key);
  if (known) return known;
  const emitter = newEmitter(newImports());
  const [x, y] = Array.from({ length: count }, () => newParameter(emitter, "v128"));
  const result = elementaryOf(operation)!.compute(lanesFor({ emitter, constantAt }), x!, y ?? x!);
  const { code } = emitter.scopes[0]!;
  get(code, result);
  const signature = { parameters: emitter.parameters, results: ["v128"] } as const;
  const only = { signature, locals: emitter.locals, code };
  made.set(key, only);
  return only;
}
