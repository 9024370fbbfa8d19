// Emits operations on computed values. Operations that WebAssembly has become instructions; all
// others call the oracle's table of operations.

import { cannotFail, valueOf } from "../../../analyse/can-fail.ts";
import type { Scalar } from "../../../ir/program.ts";
import type { OperationName } from "../../../scalar/operations.ts";
import type { ElementType, Scalar as Value } from "../../../scalar/types.ts";
import { elementary } from "../../math/elementary.ts";
import { float32, float64, type ValueType } from "./encode.ts";
import { vectorElementary } from "./elementary.ts";
import { call, conditionalLevel, constI32, constI64, get, valueAt, type Slot } from "./emitter.ts";
import { floatInstructions } from "./instruction-names.ts";
import type { Kernel } from "./kernel.ts";
import type { Opcode } from "./opcodes.ts";
import { Unsupported } from "../unsupported.ts";
import { instruction } from "./lanes.ts";

type Apply = Extract<Scalar, { kind: "apply" }>;

/** The WebAssembly type of a local that holds a value of an element type. */
export function heldAs(type: ElementType): Exclude<ValueType, "v128"> {
  switch (type) {
    case "f32":
    case "f16":
    case "bf16":
      return "f32";
    case "f64":
      return "f64";
    case "i64":
      return "i64";
    case "i32":
    case "i8":
    case "bool":
      return "i32";
    case "str":
    case "data":
      throw new Unsupported("strings and data");
    default:
      return type satisfies never;
  }
}

export function emitStartValue(code: number[], type: ElementType, value: number | bigint): void {
  switch (heldAs(type)) {
    case "f32":
      code.push(0x43);
      float32(code, Number(value));
      return;
    case "f64":
      code.push(0x44);
      float64(code, Number(value));
      return;
    case "i64":
      constI64(code, BigInt(value));
      return;
    case "i32":
      constI32(code, Number(value));
      return;
  }
}

export function emitConstant(kernel: Kernel, type: ElementType, value: Value): Slot {
  const held = heldAs(type);
  const key = Object.is(value, -0) ? "-0" : String(value);
  return valueAt(kernel.emitter, `${held}=${key}`, held, 0, (code) => {
    emitStartValue(code, type, value as number | bigint);
  });
}

const integerInstructions: Partial<Record<OperationName, string>> = {
  add: "add",
  subtract: "sub",
  multiply: "mul",
};

export function emitFloat(
  kernel: Kernel,
  operation: OperationName,
  type: "f32" | "f64",
  operands: readonly Slot[],
  second: Scalar | undefined,
): Slot | undefined {
  const name = floatInstructions[operation];
  if (name) return instruction(kernel, `${type}.${name}` as Opcode, type, operands);
  const [a, b, c] = operands;
  switch (operation) {
    case "relu":
      return instruction(kernel, `${type}.max` as Opcode, type, [
        a!,
        emitConstant(kernel, type, 0),
      ]);
    case "clamp":
      return instruction(kernel, `${type}.min` as Opcode, type, [
        instruction(kernel, `${type}.max` as Opcode, type, [a!, b!]),
        c!,
      ]);
    case "sign": {
      // A zero keeps its sign, and NaN stays NaN.
      const [zero, plus, minus] = [0, 1, -1].map((value) => emitConstant(kernel, type, value)) as [
        Slot,
        Slot,
        Slot,
      ];
      const below = instruction(kernel, `${type}.lt` as Opcode, "i32", [a!, zero]);
      const above = instruction(kernel, `${type}.gt` as Opcode, "i32", [a!, zero]);
      const rest = instruction(kernel, "select", type, [minus, a!, below]);
      return instruction(kernel, "select", type, [plus, rest, above]);
    }
    case "power": {
      const exponent = second && valueOf(second);
      if (exponent === 1) return a!;
      if (exponent === 2) return instruction(kernel, `${type}.mul` as Opcode, type, [a!, a!]);
      break;
    }
    default:
      break;
  }
  if (type === "f32" && Object.hasOwn(elementary, operation))
    return vectorElementary(kernel, operation, operands);
  return undefined;
}

export function emitInteger(
  kernel: Kernel,
  operation: OperationName,
  type: "i32" | "i64",
  operands: readonly Slot[],
): Slot | undefined {
  const name = integerInstructions[operation];
  if (name) return instruction(kernel, `${type}.${name}` as Opcode, type, operands);
  if (operation === "negate")
    return instruction(kernel, `${type}.sub` as Opcode, type, [
      emitConstant(kernel, type, 0),
      operands[0]!,
    ]);
  if (operation === "max" || operation === "min") {
    const [a, b] = operands;
    const aWins = instruction(
      kernel,
      `${type}.${operation === "max" ? "gt_s" : "lt_s"}` as Opcode,
      "i32",
      [a!, b!],
    );
    return instruction(kernel, "select", type, [a!, b!, aWins]);
  }
  return undefined;
}

/**
 * Quotients and remainders by a number that cannot fail. Both the language and the instructions
 * round toward zero.
 */
export function emitQuotient(
  kernel: Kernel,
  scalar: Apply,
  [a, b]: readonly Slot[],
): Slot | undefined {
  const { operation, within } = scalar;
  if (
    within !== "i32" ||
    (operation !== "divide" && operation !== "remainder") ||
    !cannotFail(scalar)
  )
    return undefined;
  if (operation === "remainder") return instruction(kernel, "i32.rem_s", "i32", [a!, b!]);
  // The least integer divided by -1 overflows to itself, where the instruction `i32.div_s` would
  // trap.
  if (Number(valueOf(scalar.operands[1]!)) === -1)
    return instruction(kernel, "i32.sub", "i32", [emitConstant(kernel, "i32", 0), a!]);
  return instruction(kernel, "i32.div_s", "i32", [a!, b!]);
}

/**
 * Calls the table of operations for an operation without an instruction. The call may fail, so it
 * does not move out of its branch or loop.
 */
export function emitTableCall(kernel: Kernel, scalar: Apply, operands: readonly Slot[]): Slot {
  const types = scalar.operands.map((operand) => operand.type);
  const held = heldAs(scalar.type);
  const name = `apply/${scalar.operation}/${scalar.within}/${scalar.type}/${types.join()}`;
  const index = kernel.emitter.imports.indexOf(name, {
    parameters: operands.map((each) => each.type),
    results: [held],
  });
  const level = Math.max(
    ...operands.map((operand) => operand.level),
    conditionalLevel(kernel.emitter),
  );
  const key = `${name}:${operands.map((operand) => `l${operand.local}`).join()}`;
  return valueAt(kernel.emitter, key, held, level, (code) => {
    for (const operand of operands) get(code, operand);
    call(code, index);
  });
}

const casts: Record<string, Opcode> = {
  "f32>f64": "f64.promote_f32",
  "f64>f32": "f32.demote_f64",
  "i32>f32": "f32.convert_i32_s",
  "i32>f64": "f64.convert_i32_s",
  "i64>f32": "f32.convert_i64_s",
  "i64>f64": "f64.convert_i64_s",
  "i32>i64": "i64.extend_i32_s",
  "i64>i32": "i32.wrap_i64",
  "f32>i32": "i32.trunc_sat_f32_s",
  "f64>i32": "i32.trunc_sat_f64_s",
  "f32>i64": "i64.trunc_sat_f32_s",
  "f64>i64": "i64.trunc_sat_f64_s",
  "bool>f32": "f32.convert_i32_s",
  "bool>f64": "f64.convert_i32_s",
  "bool>i64": "i64.extend_i32_s",
  "i8>f32": "f32.convert_i32_s",
  "i8>f64": "f64.convert_i32_s",
  "i8>i64": "i64.extend_i32_s",
  "f16>f64": "f64.promote_f32",
  "bf16>f64": "f64.promote_f32",
};

/**
 * Casts that do nothing: both types have the same local, and every value of the first is a value of
 * the second.
 */
const inclusions: ReadonlySet<string> = new Set([
  "bool>i32",
  "bool>i8",
  "i8>i32",
  "f16>f32",
  "bf16>f32",
]);

export function emitCast(kernel: Kernel, operand: Slot, from: ElementType, to: ElementType): Slot {
  const key = `${from}>${to}`;
  if (from === to || inclusions.has(key)) return operand;
  const direct = casts[key];
  const held = heldAs(to);
  if (direct) return instruction(kernel, direct, held, [operand]);
  if (key === "i32>i8") return instruction(kernel, "i32.extend8_s", "i32", [operand]);
  const name = `cast/${from}/${to}`;
  const index = kernel.emitter.imports.indexOf(name, {
    parameters: [operand.type],
    results: [held],
  });
  return valueAt(kernel.emitter, `${name}:l${operand.local}`, held, operand.level, (code) => {
    get(code, operand);
    call(code, index);
  });
}
