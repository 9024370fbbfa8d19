// The exact results of integer operations, against the tables that wrap.

import { describe, expect, it } from "vitest";
import { exactResult, fitsInto, showExact, widerType } from "./overflow.ts";
import { operationRow } from "./operations.ts";
import { integerBounds, type IntegerType } from "./types.ts";

const operations = ["add", "subtract", "multiply", "divide", "power", "negate", "abs"] as const;
const others = ["remainder", "max", "min", "clamp", "sign", "relu", "less"] as const;

describe.each(["i8", "i32", "i64"] as const)("in %s", (type) => {
  const { least, greatest } = integerBounds[type];
  const number = (value: bigint): number | bigint => (type === "i64" ? value : Number(value));
  const bounds = [BigInt(least), BigInt(greatest)];
  const around = [-1n, 0n, 1n, 2n, 3n, -7n, 11n, ...bounds.flatMap((at) => [at, at / 2n, at / 3n])];

  it.each(operations)(
    "the value of %s wraps exactly where the exact one does not fit",
    (operation) => {
      for (const a of around)
        for (const b of around) {
          if (operation === "divide" && b === 0n) continue;
          if (operation === "power" && b < 0n) continue;
          const operands = [number(a), number(b)];
          const exact = exactResult(operation, operands)!;
          const value = BigInt(
            operationRow(operation).evaluate(type, ...operands) as number | bigint,
          );
          expect([a, b, fitsInto(type, exact)]).toEqual([a, b, value === exact]);
          if (exact > -(2n ** 500n) && exact < 2n ** 500n)
            expect(BigInt.asIntN(bits[type], exact)).toBe(value);
        }
    },
  );
});

const bits: Record<IntegerType, number> = { i8: 8, i32: 32, i64: 64 };

it("other operations do not leave their type", () => {
  for (const operation of others) expect(exactResult(operation, [1, 2, 3])).toBeUndefined();
});

it("numbers beyond all types are shown by their size", () => {
  expect([
    showExact(-12n),
    showExact(-(10n ** 50n)),
    showExact(exactResult("power", [7, 100000])!),
  ]).toEqual(["-12", "a number of 51 digits", "a number of more than 150 digits"]);
  expect([widerType(2n ** 31n), widerType(200n), widerType(2n ** 63n)]).toEqual([
    "i64",
    "i32",
    undefined,
  ]);
});
