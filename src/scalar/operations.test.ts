// Every scalar operation against exact arithmetic, and the typing of all operations.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArithmeticFault } from "./fault.ts";
import {
  arityOf,
  operationNames,
  operationOfFunction,
  operationRow,
  typeOperation,
} from "./operations.ts";
import type { OperationName } from "./operations.ts";
import type { ElementType, Scalar } from "./types.ts";

const evaluate = (operation: OperationName, type: ElementType, ...operands: Scalar[]): Scalar =>
  operationRow(operation).evaluate(type, ...operands);

const integers = [
  { type: "i8", bits: 8, from: (n: bigint): Scalar => Number(n) },
  { type: "i32", bits: 32, from: (n: bigint): Scalar => Number(n) },
  { type: "i64", bits: 64, from: (n: bigint): Scalar => n },
] as const;

describe.each(integers)("$type", ({ type, bits, from }) => {
  const least = -(2n ** BigInt(bits - 1));
  const value = fc.oneof(
    fc.bigInt({ min: least, max: -least - 1n }),
    fc.constantFrom(least, least + 1n, -1n, 0n, 1n, 2n, -least - 1n),
  );
  const agrees = (operation: OperationName, exact: (a: bigint, b: bigint) => bigint): void => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(evaluate(operation, type, from(a), from(b))).toBe(
          from(BigInt.asIntN(bits, exact(a, b))),
        );
      }),
    );
  };

  it("adds, subtracts, multiplies and negates with wrapping", () => {
    agrees("add", (a, b) => a + b);
    agrees("subtract", (a, b) => a - b);
    agrees("multiply", (a, b) => a * b);
    agrees("negate", (a) => -a);
    agrees("abs", (a) => (a < 0n ? -a : a));
  });

  it("orders as integers do", () => {
    agrees("max", (a, b) => (a > b ? a : b));
    agrees("min", (a, b) => (a < b ? a : b));
    agrees("relu", (a) => (a > 0n ? a : 0n));
    agrees("sign", (a) => (a > 0n ? 1n : a < 0n ? -1n : 0n));
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(evaluate("less", type, from(a), from(b))).toBe(a < b);
        expect(evaluate("equal", type, from(a), from(b))).toBe(a === b);
        expect(evaluate("greaterEqual", type, from(a), from(b))).toBe(a >= b);
      }),
    );
    expect(evaluate("clamp", type, from(9n), from(-3n), from(5n))).toBe(from(5n));
    expect(evaluate("clamp", type, from(-9n), from(-3n), from(5n))).toBe(from(-3n));
  });

  it("divides toward zero, and takes the remainder with the dividend's sign", () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        fc.pre(b !== 0n);
        expect(evaluate("divide", type, from(a), from(b))).toBe(from(BigInt.asIntN(bits, a / b)));
        expect(evaluate("remainder", type, from(a), from(b))).toBe(from(a % b));
      }),
    );
    expect(evaluate("remainder", type, from(-7n), from(3n))).toBe(from(-1n));
    expect(() => evaluate("divide", type, from(1n), from(0n))).toThrow(
      new ArithmeticFault("division by zero"),
    );
    expect(() => evaluate("remainder", type, from(1n), from(0n))).toThrow(
      new ArithmeticFault("remainder by zero"),
    );
  });

  it("raises to a power with wrapping", () => {
    fc.assert(
      fc.property(value, fc.bigInt({ min: 0n, max: 100n }), (a, n) => {
        expect(evaluate("power", type, from(a), from(n))).toBe(from(BigInt.asIntN(bits, a ** n)));
      }),
    );
    expect(() => evaluate("power", type, from(2n), from(-1n))).toThrow(
      new ArithmeticFault("negative exponent"),
    );
  });
});

describe("bools", () => {
  it("follow their truth tables", () => {
    for (const a of [true, false]) {
      expect(evaluate("not", "bool", a)).toBe(!a);
      for (const b of [true, false]) {
        expect(evaluate("and", "bool", a, b)).toBe(a && b);
        expect(evaluate("or", "bool", a, b)).toBe(a || b);
        expect(evaluate("equal", "bool", a, b)).toBe(a === b);
        expect(evaluate("notEqual", "bool", a, b)).toBe(a !== b);
      }
    }
  });
});

describe("floats", () => {
  it("f32 rounds each result once", () => {
    const f32 = fc.float({ noNaN: true });
    fc.assert(
      fc.property(f32, f32, (a, b) => {
        expect(evaluate("add", "f32", a, b)).toBe(Math.fround(a + b));
        expect(evaluate("divide", "f32", a, b)).toBe(Math.fround(a / b));
      }),
    );
    expect(evaluate("exp", "f32", 1)).toBe(Math.fround(Math.E));
    expect(evaluate("multiply", "f32", 2 ** 127, 2)).toBe(Infinity);
  });

  it("f16 and bf16 compute in f32 and round back", () => {
    expect(evaluate("add", "f16", 2048, 1)).toBe(2048);
    expect(evaluate("add", "f16", 2048, 3)).toBe(2052);
    expect(evaluate("add", "bf16", 256, 1)).toBe(256);
    expect(evaluate("multiply", "f16", 256, 256)).toBe(Infinity);
  });

  it("takes the remainder with the dividend's sign", () => {
    expect(evaluate("remainder", "f64", -7.5, 2)).toBe(-1.5);
    expect(evaluate("remainder", "f64", 7.5, -2)).toBe(1.5);
    expect(evaluate("remainder", "f64", 1, 0)).toBeNaN();
    expect(evaluate("divide", "f64", 1, 0)).toBe(Infinity);
  });

  it("passes NaN on", () => {
    expect(evaluate("max", "f32", NaN, 1)).toBeNaN();
    expect(evaluate("max", "f32", 1, NaN)).toBeNaN();
    expect(evaluate("min", "f32", 1, NaN)).toBeNaN();
    expect(evaluate("clamp", "f32", NaN, 0, 1)).toBeNaN();
    expect(evaluate("relu", "f32", NaN)).toBeNaN();
    expect(evaluate("abs", "f32", NaN)).toBeNaN();
    expect(evaluate("sign", "f32", NaN)).toBeNaN();
    expect(evaluate("equal", "f32", NaN, NaN)).toBe(false);
    expect(evaluate("notEqual", "f32", NaN, NaN)).toBe(true);
  });

  it("rounds half to even and keeps the elementary functions' special values", () => {
    expect([0.5, 1.5, 2.5, -2.5].map((x) => evaluate("round", "f32", x))).toEqual([0, 2, 2, -2]);
    expect(evaluate("log", "f32", 0)).toBe(-Infinity);
    expect(evaluate("sqrt", "f32", -1)).toBeNaN();
    expect(evaluate("log1p", "f64", 1e-20)).toBe(1e-20);
    expect(evaluate("expm1", "f64", 1e-20)).toBe(1e-20);
    expect(evaluate("tanh", "f32", 100)).toBe(1);
    expect(evaluate("power", "f32", 2, 0.5)).toBe(Math.fround(Math.SQRT2));
  });
});

it("decides on bools", () => {
  expect(evaluate("and", "bool", true, false)).toBe(false);
  expect(evaluate("or", "bool", true, false)).toBe(true);
  expect(evaluate("not", "bool", true)).toBe(false);
  expect(evaluate("select", "i32", true, 1, 2)).toBe(1);
  expect(evaluate("select", "i32", false, 1, 2)).toBe(2);
});

describe("typing", () => {
  it("keeps one type for operands that must agree", () => {
    expect(typeOperation("add", ["f32", "f32"])).toEqual({ type: "f32" });
    expect(typeOperation("less", ["i64", "i64"])).toEqual({ type: "bool" });
    expect(typeOperation("equal", ["str", "str"])).toEqual({ type: "bool" });
    expect(typeOperation("select", ["bool", "str", "str"])).toEqual({ type: "str" });
    expect(typeOperation("add", ["i32", "f32"])).toEqual({
      problem: { kind: "mixed", operand: 1, other: 0, found: "f32", expected: "i32" },
    });
    expect(typeOperation("select", ["bool", "f32", "f64"])).toEqual({
      problem: { kind: "mixed", operand: 2, other: 1, found: "f64", expected: "f32" },
    });
  });

  it("lets seed and position of a draw differ in type", () => {
    expect(typeOperation("uniform", ["i64", "i32"])).toEqual({ type: "f32" });
    expect(typeOperation("randint", ["i32", "i32", "i64", "i64"])).toEqual({ type: "i64" });
    expect(typeOperation("normal", ["f32", "i32"])).toEqual({
      problem: { kind: "operand", operand: 0, found: "f32", expected: "an integer type" },
    });
  });

  it("names what is not accepted", () => {
    expect(typeOperation("exp", ["i32"])).toEqual({
      problem: { kind: "operand", operand: 0, found: "i32", expected: "a float type" },
    });
    expect(typeOperation("add", ["bool", "bool"])).toEqual({
      problem: { kind: "operand", operand: 0, found: "bool", expected: "a numeric type" },
    });
    expect(typeOperation("clamp", ["f32"])).toEqual({
      problem: { kind: "count", expected: 3, found: 1 },
    });
  });

  it("is kept by the value of every operation, in every type it accepts", () => {
    const sample: Record<ElementType, Scalar> = {
      i8: 3,
      i32: 3,
      i64: 3n,
      f16: 0.5,
      bf16: 0.5,
      f32: 0.5,
      f64: 0.5,
      bool: true,
      str: "a",
      data: [1],
    };
    const above: Partial<Record<ElementType, Scalar>> = { i8: 5, i32: 5, i64: 5n };
    const host: Record<ElementType, string> = {
      i8: "number",
      i32: "number",
      i64: "bigint",
      f16: "number",
      bf16: "number",
      f32: "number",
      f64: "number",
      bool: "boolean",
      str: "string",
      data: "object",
    };
    for (const operation of operationNames) {
      for (const type of Object.keys(sample) as ElementType[]) {
        const operands = Array.from({ length: arityOf(operation) }, (_, at) =>
          operation === "select" && at === 0 ? "bool" : type,
        );
        const typed = typeOperation(operation, operands);
        if ("problem" in typed) continue;
        const values = operands.map((one, at) => (at === 3 ? above[one]! : sample[one]));
        expect(typeof evaluate(operation, type, ...values), `${operation} on ${type}`).toBe(
          host[typed.type],
        );
      }
    }
  });
});

it("finds operations by their source form", () => {
  expect(operationOfFunction.get("pow")).toBe("power");
  expect(operationOfFunction.get("sigmoid")).toBe("sigmoid");
});
