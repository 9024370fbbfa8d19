// Texts that identify scalars: two scalars have the same key exactly if they have the same
// structure.
//
//   x[i] + 1.0, at two places of a program     one key
//   x[i] + 1.0 and 1.0 + x[i]                  two keys

import { variable, type Variable } from "../affine/term.ts";
import { integerOf } from "./integers.ts";
import type { Scalar } from "./program.ts";

const identities = new WeakMap<object, number>();
let identityCount = 0;

function identity(of: object): number {
  let id = identities.get(of);
  if (id === undefined) identities.set(of, (id = ++identityCount));
  return id;
}

/** One scalar for each key. */
export function onceEach(scalars: readonly Scalar[]): readonly Scalar[] {
  return scalars.length < 2
    ? scalars
    : [...new Map(scalars.map((scalar) => [keyOf(scalar), scalar])).values()];
}

const keys = new WeakMap<Scalar, string>();

/**
 * A text that is the same for scalars of the same structure. A long key is replaced by a digest of
 * 128 bits.
 */
export function keyOf(scalar: Scalar): string {
  let key = keys.get(scalar);
  if (key === undefined)
    keys.set(scalar, (key = digestIfLonger(longestKey, structureOf(scalar, keyOf))));
  return key;
}

/**
 * The longest key before it is replaced by a digest. Without a limit, the keys of a thousand nested
 * sines would be as long as the nest, for every level of the nest.
 */
const longestKey = 200;

const placeholders: Variable[] = [];

/**
 * A variable that stands for coordinate number k, for comparisons that disregard the names of
 * coordinates.
 */
export function placeholder(k: number): Variable {
  return (placeholders[k] ??= variable(`#${k}`));
}

const numbers = new WeakMap<Scalar, string>();

/**
 * A short text that is the same for scalars that compute the same. A local is replaced by its
 * value, and an integer expression by its term, so that `i + 1 + 1` and `i + 2` agree.
 */
export function numberOf(scalar: Scalar): string {
  if (scalar.kind === "local") return numberOf(scalar.local.value);
  let number = numbers.get(scalar);
  if (number === undefined) {
    const term = scalar.kind === "apply" ? integerOf(scalar) : undefined;
    const structure = structureOf(term ? { kind: "integer", type: "i32", term } : scalar, numberOf);
    numbers.set(scalar, (number = digestIfLonger(longestNumber, structure)));
  }
  return number;
}

/** The longest text of `numberOf` before it is replaced by a digest. */
const longestNumber = 40;

function digestIfLonger(longest: number, structure: string): string {
  return structure.length <= longest ? structure : digestOf(structure);
}

/**
 * 128 bits that depend on every letter of a text. We rely on it that no two texts of a program
 * share them.
 */
function digestOf(text: string): string {
  let [a, b, c, d] = [0x2545f491, 0x6c078965, 0x5851f42d, 0x14057b7e];
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    a = Math.imul(a ^ letter, 0x01000193);
    b = Math.imul(b + letter, 0x2c1b3c6d) ^ (a >>> 15);
    c = Math.imul(c ^ (letter + b), 0x297a2d39) ^ (c >>> 13);
    d = Math.imul(d + (letter ^ c), 0x1b873593) ^ (d >>> 16);
  }
  return `#${[a, b, c, d].map((word) => (word >>> 0).toString(36)).join(".")}`;
}

function structureOf(scalar: Scalar, part: (part: Scalar) => string): string {
  switch (scalar.kind) {
    case "constant":
      return `${scalar.type}:${String(scalar.value)}`;
    case "integer":
      return `i(${scalar.term.constant}${scalar.term.parts
        .map((part) => `+${part.coefficient}${part.key}`)
        .join("")})`;
    case "read":
      return `r${identity(scalar.definition)}[${scalar.indices.map(part).join()}]`;
    case "apply":
      return `${scalar.operation}(${scalar.operands.map(part).join()})`;
    case "cast":
      return `${scalar.type}(${part(scalar.operand)})`;
    case "select":
      return `?(${[scalar.condition, scalar.then, scalar.otherwise].map(part).join()})`;
    case "local":
      return `l${identity(scalar.local)}`;
    case "call": {
      const { function: called, arguments: given } = scalar.invocation;
      return `f${identity(called)}.${scalar.member}(${given.map(part).join()})`;
    }
    case "text":
      return `${scalar.function}${scalar.format ?? ""}(${scalar.operands.map(part).join()})`;
    case "data":
      return `${scalar.function}.${scalar.member}(${scalar.operands.map(part).join()})`;
    case "parameter":
      return `p${identity(scalar.parameter.variable)}`;
    default:
      return scalar satisfies never;
  }
}
