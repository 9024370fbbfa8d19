// `.npy` files: files that NumPy saved, and messages for files that cannot be read.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { npyFiles } from "../../test/reference/npy.ts";
import type { ElementType } from "../scalar/types.ts";
import { failed } from "../base/failure.ts";
import { readNpy, writeNpy } from "./npy.ts";
import { fromScalars, scalarValue, zeros } from "../scalar/values/value.ts";
import type { TensorValue } from "../scalar/values/value.ts";

const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const file = (name: keyof typeof npyFiles): Uint8Array => bytesOf(npyFiles[name]);
const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));

/** A version 1 file around a header. */
const withHeader = (header: string, data = ""): Uint8Array =>
  latin1(
    `\u0093NUMPY\u0001\u0000` +
      `${String.fromCharCode(header.length & 255, header.length >> 8)}${header}${data}`,
  );

function written(value: TensorValue): Uint8Array {
  const bytes = writeNpy(value);
  if (failed(bytes)) throw new Error(bytes.error);
  return bytes;
}

describe("reading what NumPy saved", () => {
  it.each<[keyof typeof npyFiles, ElementType]>([
    ["i1", "i8"],
    ["<i2", "i32"],
    [">i2", "i32"],
    ["<i4", "i32"],
    [">i4", "i32"],
    ["<f2", "f16"],
    [">f2", "f16"],
    ["<f4", "f32"],
    [">f4", "f32"],
    ["<f8", "f64"],
    [">f8", "f64"],
  ])("%s as %s", (name, dtype) => {
    expect(readNpy(file(name))).toEqual(fromScalars(dtype, [2, 3], [1, -2, 3, 4, 5, -6]));
  });

  it("int64 in both byte orders", () => {
    const expected = fromScalars("i64", [2, 3], [1n, -2n, 3n, 4n, 5n, -6n]);
    expect(readNpy(file("<i8"))).toEqual(expected);
    expect(readNpy(file(">i8"))).toEqual(expected);
  });

  it("unsigned integers in the next wider type", () => {
    expect(readNpy(file("u1"))).toEqual(fromScalars("i32", [3], [0, 1, 255]));
    expect(readNpy(file("<u2"))).toEqual(fromScalars("i32", [3], [0, 1, 65535]));
    expect(readNpy(file(">u4"))).toEqual(fromScalars("i64", [3], [0n, 1n, 4294967295n]));
  });

  it("bools, scalars, empty arrays, later versions and the edges of float16", () => {
    expect(readNpy(file("bool"))).toEqual(fromScalars("bool", [3], [true, false, true]));
    expect(readNpy(file("scalar"))).toEqual(scalarValue("f64", 2.5));
    expect(readNpy(file("empty"))).toEqual(zeros("f32", [2, 0, 3]));
    expect(readNpy(file("version 2"))).toEqual(fromScalars("f32", [4], [1.5, -0, NaN, Infinity]));
    expect(readNpy(file("version 3"))).toEqual(fromScalars("i64", [1], [7n]));
    expect(readNpy(file("half edges"))).toEqual(
      fromScalars("f16", [4], [65504, 2 ** -24, -Infinity, NaN]),
    );
  });

  it("Fortran order, also with swapped bytes", () => {
    const counted = Array.from({ length: 24 }, (_, k) => k);
    expect(readNpy(file("fortran"))).toEqual(fromScalars("i32", [2, 3, 4], counted));
    expect(readNpy(file("fortran big"))).toEqual(fromScalars("f64", [2, 3], [1, -2, 3, 4, 5, -6]));
  });

  it("from bytes that are a window into a larger buffer", () => {
    const inner = file("<f8");
    const outer = new Uint8Array(inner.length + 3);
    outer.set(inner, 3);
    expect(readNpy(outer.subarray(3))).toEqual(fromScalars("f64", [2, 3], [1, -2, 3, 4, 5, -6]));
  });
});

describe("writing", () => {
  it("gives the very bytes that NumPy gives", () => {
    const numbers = [1, -2, 3, 4, 5, -6];
    expect(written(fromScalars("f32", [2, 3], numbers))).toEqual(file("<f4"));
    expect(written(fromScalars("f16", [2, 3], numbers))).toEqual(file("<f2"));
    expect(written(fromScalars("i8", [2, 3], numbers))).toEqual(file("i1"));
    expect(written(fromScalars("i64", [2, 3], numbers.map(BigInt)))).toEqual(file("<i8"));
    expect(written(fromScalars("bool", [3], [true, false, true]))).toEqual(file("bool"));
    expect(written(scalarValue("f64", 2.5))).toEqual(file("scalar"));
    expect(written(zeros("f32", [2, 0, 3]))).toEqual(file("empty"));
  });

  it("is read back", () => {
    fc.assert(
      fc.property(fc.array(fc.double()), (xs) => {
        const value = fromScalars("f64", [xs.length], xs);
        expect(readNpy(written(value))).toEqual(value);
      }),
    );
  });

  it("refuses what the format lacks", () => {
    expect(writeNpy(zeros("bf16", [1]))).toEqual({
      error: "a .npy file cannot hold bf16; cast it first: `as f32`",
    });
    expect(writeNpy(zeros("str", [1]))).toEqual({ error: "a .npy file cannot hold strings" });
  });
});

describe("messages", () => {
  const form = "save it as bool, an integer of up to 32 bits, int64, float16, float32 or float64";
  it.each<[string, Uint8Array, string]>([
    ["an empty file", new Uint8Array(0), "the .npy file is empty"],
    [
      "another format",
      latin1("PK\u0003\u0004...."),
      'this is not a .npy file: it does not begin with "\\x93NUMPY"',
    ],
    [
      "a cut header",
      file("<f4").slice(0, 40),
      "the .npy file is truncated: it ends within its header",
    ],
    [
      "a cut version",
      file("<f4").slice(0, 6),
      "the .npy file is truncated: it ends within its header",
    ],
    [
      "cut data",
      file("<f4").slice(0, -1),
      "the .npy file is truncated: the shape [2, 3] of <f4 needs 24 bytes, 23 are there",
    ],
    [
      "more than it says",
      Uint8Array.from([...file("<f4"), 0]),
      "the .npy file is too long: the shape [2, 3] of <f4 needs 24 bytes, 25 are there",
    ],
    [
      "a later version",
      latin1("\u0093NUMPY\u0009\u0000\u0000\u0000"),
      "version 9 of the .npy format is not known; 1, 2 and 3 are",
    ],
    ["no dict", withHeader("hello\n"), "the header of the .npy file is malformed: hello"],
    [
      "an open dict",
      withHeader("{'descr': '<f4', 'shape': (1,"),
      "the header of the .npy file is malformed: {'descr': '<f4', 'shape': (1,",
    ],
    [
      "a missing key",
      withHeader("{'descr': '<f4', 'shape': (1,), }\n"),
      "the header of the .npy file has no usable 'fortran_order': " +
        "{'descr': '<f4', 'shape': (1,), }",
    ],
    [
      "a wrong kind of shape",
      withHeader("{'descr': '<f4', 'fortran_order': False, 'shape': 'x'}"),
      "the header of the .npy file has no usable 'shape': " +
        "{'descr': '<f4', 'fortran_order': False, 'shape': 'x'}",
    ],
    [
      "an absurd shape",
      withHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999)}"),
      "the shape (99999999999, 99999999999) in the .npy file is too large",
    ],
    [
      "an absurd shape without cells",
      withHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 99999999999999999999)}"),
      "the shape (0, 100000000000000000000) in the .npy file is too large",
    ],
    [
      "very many axes",
      withHeader(
        `{'descr': '<f4', 'fortran_order': False, 'shape': (${"1, ".repeat(5000)})}`,
        "1234",
      ),
      "the shape has 5000 axes; a tensor from outside has at most 64",
    ],
    [
      "an unknown dtype",
      withHeader("{'descr': 'hasOwnProperty', 'fortran_order': False, 'shape': ()}"),
      `the dtype 'hasOwnProperty' of the .npy file has no counterpart; ${form}`,
    ],
    [
      "objects",
      file("object"),
      `the .npy file holds Python objects (dtype '|O'), which are not numbers; ${form}`,
    ],
    [
      "complex numbers",
      file("complex"),
      "the .npy file holds complex numbers (dtype '<c16'); " +
        "save the real and imaginary parts separately",
    ],
    ["strings", file("text"), `the .npy file holds strings (dtype '<U1'); ${form}`],
    ["uint64", file("uint64"), `the dtype '<u8' of the .npy file has no counterpart; ${form}`],
    [
      "records",
      file("records"),
      "the .npy file holds records with several fields; save each field as an array of its own",
    ],
  ])("for %s", (_, bytes, error) => {
    expect(readNpy(bytes)).toEqual({ error });
  });
});
