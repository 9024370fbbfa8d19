// The left side of a row as a pattern: which name it is found by, and which words stand for what
// the user wrote.

import type { Row } from "./row.ts";

/** An argument of the user's, or what stands before a dot. */
export interface Operand {
  readonly text: string;
  /** Of `axis=0`. */
  readonly name?: string;
  /** Of a tuple or an array that is written out. */
  readonly members?: readonly string[];
}

export interface Pattern {
  readonly row: Row;
  /** The last part of its name: `arange` of `np.arange(n)`. */
  readonly key: string;
  /** Names of the arguments: a tuple has several, and a number such as `-1` stands for itself. */
  readonly parameters: readonly (readonly string[])[];
}

/**
 * `np.full((n, m), a)` has the key `full` and the parameters `n, m` and `a`; `A.T` has the
 * parameter `A`.
 */
export function patternOf(row: Row, isMember = false): Pattern {
  const [, path = "", , given] = /^([\w.]+)(\((.*)\))?$/.exec(row[0]) ?? [];
  const parts = path.split(".");
  const receiver = isMember ? [[parts[0]!]] : [];
  return { row, key: parts.at(-1)!, parameters: [...receiver, ...parametersIn(given ?? "")] };
}

function parametersIn(text: string): readonly (readonly string[])[] {
  const each = text.match(/\([^)]*\)|[^\s,()]+/g) ?? [];
  return each.map((one) => one.match(/-?\w+/g) ?? []);
}

/** What each word of the pattern stands for; nothing where the operands do not fit it. */
export function matched(
  { parameters }: Pattern,
  operands: readonly Operand[],
): ReadonlyMap<string, string> | undefined {
  if (parameters.length !== operands.length) return undefined;
  const found = new Map<string, string>();
  for (const [k, names] of parameters.entries()) {
    const { text, name, members } = operands[k]!;
    const [only = ""] = names;
    if (name !== undefined) return undefined;
    if (names.length > 1) {
      if (members?.length !== names.length) return undefined;
      for (const [n, each] of names.entries()) {
        // An extent of -1 is what is left, and a number stands for itself.
        if ((isNumeral(each) || members[n] === "-1") && members[n] !== each) return undefined;
        found.set(each, members[n]!);
      }
    } else if (isNumeral(only)) {
      if (text !== only) return undefined;
    } else if (members && /^[nm]$/.test(only)) return undefined;
    else found.set(only, text);
  }
  return found;
}

function isNumeral(word: string): boolean {
  return /^-?\d/.test(word);
}
