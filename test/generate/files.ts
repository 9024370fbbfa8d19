// Random data files and damages to them: values of every element type in every format, and edits as
// they come from a bad transfer, another program or an attacker.

import { roundTo } from "../../src/scalar/round.ts";
import { allocate, isInteger, type ElementType, type FloatType } from "../../src/scalar/types.ts";
import { store, type TensorValue } from "../../src/scalar/values/value.ts";
import { chance, integer, pick, type Random } from "./random.ts";

export const formats = ["npy", "npz", "safetensors", "csv", "json"] as const;
export type Format = (typeof formats)[number];

const dtypes: readonly ElementType[] = ["f32", "f64", "f16", "i8", "i32", "i64", "bool"];

/** The element types that a format can hold. */
export function dtypeFor(random: Random, format: Format): ElementType {
  const isText = format === "csv" || format === "json";
  return pick(random, isText ? ["f32", "f64", "i32", "i64", "bool"] : dtypes);
}

export function valueOf(random: Random, dtype: ElementType, format: Format): TensorValue {
  const rank = format === "csv" ? 2 : integer(random, 0, 4);
  const shape = Array.from({ length: rank }, () => integer(random, 1, 5));
  const size = shape.reduce((all, extent) => all * extent, 1);
  const data = allocate(dtype as "f64", size);
  for (let at = 0; at < size; at++) store(data, at, cell(random, dtype));
  return { dtype, shape, data };
}

function cell(random: Random, dtype: ElementType): number | bigint | boolean {
  if (dtype === "bool") return chance(random, 0.5);
  if (dtype === "i64") return BigInt(integer(random, -9, 9)) * 1_000_000_000_000_000_00n;
  if (isInteger(dtype)) return integer(random, 0, 100);
  const number = pick(random, [
    0,
    1,
    -1,
    0.1,
    -1e-3,
    12.5,
    65_000,
    integer(random, -1000, 1000) / 7,
  ]);
  return roundTo(dtype as FloatType, number);
}

/** Words that other programs write, or that have a meaning for the engine. */
const hostile: readonly string[] = [
  "__proto__",
  "constructor",
  "toString",
  "NaN",
  "nan",
  "-inf",
  "Infinity",
  "1e999",
  "-1e999",
  "0x10",
  "1_000",
  "1,000",
  "true",
  "null",
  '""',
  '"1"',
  "1e",
  "--1",
  "+1",
  ".5",
  "1.",
  "\u22121",
  "\ufeff",
  "\0",
  "\r",
  "\n\n",
  ";",
  "\t",
  "../../evil",
  "9007199254740993",
  "99999999999999999999999",
  "[".repeat(5000),
  "1,".repeat(5000),
  "{}",
  "{",
  "]",
  "}",
];

const numbers: readonly string[] = [
  "0",
  "-1",
  "4294967296",
  "18446744073709551616",
  "1e9",
  "65",
  "2147483647",
];

/** One to three edits of a file's bytes. */
export function damaged(random: Random, file: Uint8Array): Uint8Array {
  let bytes = file;
  for (let left = integer(random, 1, 3); left > 0; left--) bytes = once(random, bytes);
  return bytes;
}

function once(random: Random, bytes: Uint8Array): Uint8Array {
  const at = integer(random, 0, Math.max(0, bytes.length - 1));
  const end = Math.min(bytes.length, at + integer(random, 1, 12));
  const replaced = (by: Uint8Array, from = at, to = end): Uint8Array =>
    Uint8Array.from([...bytes.subarray(0, from), ...by, ...bytes.subarray(to)]);
  switch (integer(random, 0, 7)) {
    case 0:
      return replaced(Uint8Array.of(integer(random, 0, 255)), at, Math.min(bytes.length, at + 1));
    case 1:
      return bytes.slice(0, at);
    case 2:
      return replaced(new Uint8Array());
    case 3:
      return replaced(bytes.slice(at, end), at, at);
    case 4:
      return replaced(encoded(pick(random, hostile)), at, at);
    case 5:
      return replaced(encoded(pick(random, hostile)));
    case 6:
      return withNumber(random, bytes);
    default:
      // The lengths in the heads of binary files.
      return replaced(
        Uint8Array.of(255, 255, 255, 127).subarray(0, integer(random, 1, 4)),
        at,
        Math.min(bytes.length, at + 4),
      );
  }
}

/** Replaces a number that is written in digits by another one. */
function withNumber(random: Random, bytes: Uint8Array): Uint8Array {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const found = [...text.matchAll(/\d+/g)];
  if (found.length === 0) return bytes;
  const { index, 0: digits } = pick(random, found);
  const own = pick(random, numbers);
  return Uint8Array.from([
    ...bytes.subarray(0, index),
    ...encoded(own),
    ...bytes.subarray(index + digits.length),
  ]);
}

export function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
