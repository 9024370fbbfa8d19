// Checks that WebAssembly reads the encoded numbers and modules correctly.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  encodeModule,
  firstCalled,
  float32,
  float64,
  isTooLarge,
  signed,
  signedBig,
  unsigned,
  type EncodedFunction,
} from "./encode.ts";
import { webAssembly } from "../web-assembly.ts";

const instantiated = (
  ...functions: readonly EncodedFunction[]
): Readonly<Record<string, (...args: unknown[]) => unknown>> => {
  const { Memory, Module, Instance } = webAssembly();
  const module = new Module(encodeModule({ imports: [], memory: { pages: 1 }, functions }));
  return new Instance(module, { host: { memory: new Memory({ initial: 1 }) } }).exports as never;
};

/** The result of a function that pushes one constant. */
function pushed(
  type: "i32" | "i64" | "f32" | "f64",
  opcode: number,
  write: (out: number[]) => void,
): unknown {
  const code = [opcode];
  write(code);
  return instantiated({ signature: { parameters: [], results: [type] }, locals: [], code })["0"]!();
}

describe("constants", () => {
  test("of 32 bits are read back", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer(), fc.constantFrom(0, -1, 63, 64, -64, -65, 2 ** 31 - 1, -(2 ** 31))),
        (n) => {
          expect(pushed("i32", 0x41, (out) => signed(out, n))).toBe(n);
        },
      ),
    );
  });

  test("of 64 bits are read back", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => {
        expect(pushed("i64", 0x42, (out) => signedBig(out, n))).toBe(n);
      }),
    );
  });

  test("of floats are read back, with their signs and specials", () => {
    for (const x of [0, -0, 1.5, -2, Infinity, -Infinity, NaN, 2 ** -149]) {
      expect(pushed("f32", 0x43, (out) => float32(out, x))).toBe(x);
      expect(pushed("f64", 0x44, (out) => float64(out, x))).toBe(x);
    }
    expect(pushed("f64", 0x44, (out) => float64(out, 0.1))).toBe(0.1);
  });
});

describe("modules", () => {
  test("have lengths beyond one byte", () => {
    const out: number[] = [];
    unsigned(out, 300);
    expect(out).toEqual([0xac, 0x02]);
    // i32.const 0, then a thousand times i32.const 1, i32.add
    const code = [0x41, 0, ...Array.from({ length: 1000 }, () => [0x41, 1, 0x6a]).flat()];
    const { "0": counted } = instantiated({
      signature: { parameters: [], results: ["i32"] },
      locals: [],
      code,
    });
    expect(counted!()).toBe(1000);
  });

  test("keep locals of mixed types apart, after the parameters", () => {
    // local 3 = parameter 0; local 3 + parameter 1
    const code = [0x20, 0, 0x21, 3, 0x20, 3, 0x20, 1, 0x6a];
    const { "0": added } = instantiated({
      signature: { parameters: ["i32", "i32"], results: ["i32"] },
      locals: ["f64", "i32", "i32", "v128"],
      code,
    });
    expect(added!(20, 22)).toBe(42);
  });

  test("export their functions by number", () => {
    const constant = (n: number): EncodedFunction => ({
      signature: { parameters: [], results: ["i32"] },
      locals: [],
      code: [0x41, n],
    });
    const functions = instantiated(constant(1), constant(2), constant(3));
    expect(Object.keys(functions).map((name) => functions[name]!())).toEqual([1, 2, 3]);
  });
});

describe("functions that others call", () => {
  const half: EncodedFunction = {
    signature: { parameters: ["f64"], results: ["f64"] },
    locals: [],
    code: [0x20, 0, 0x44, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0xa2], // local 0 · 0.5
  };
  const calling = (...times: readonly number[]): EncodedFunction => ({
    signature: { parameters: ["f64"], results: ["f64"] },
    locals: [],
    code: [0x20, 0, ...times.flatMap(() => [0x10, firstCalled])],
    calls: [half],
  });

  test("stand in the module once, and are not exported", () => {
    const exports = instantiated(calling(1), calling(1, 2, 3));
    expect(exports["0"]!(12)).toBe(6);
    expect(exports["1"]!(12)).toBe(1.5);
    expect(Object.keys(exports)).toEqual(["0", "1"]);
  });
});

test("what engines refuse for its size is known before", () => {
  const of = (parameters: number, locals: number, bytes: number): EncodedFunction => ({
    signature: {
      parameters: Array.from({ length: parameters }, () => "i32" as const),
      results: [],
    },
    locals: Array.from({ length: locals }, () => "i32" as const),
    code: Array.from({ length: bytes }, () => 0x01),
  });
  for (const fine of [of(1000, 0, 0), of(10, 49_990, 1), of(0, 0, 7_654_000)]) {
    expect(isTooLarge(fine)).toBe(false);
    expect(() => instantiated(fine)).not.toThrow();
  }
  for (const large of [of(1001, 0, 0), of(10, 49_991, 1), of(0, 0, 7_654_400)]) {
    expect(isTooLarge(large)).toBe(true);
    expect(() => instantiated(large)).toThrow();
  }
});
