// Reads the left side of a row as a pattern: the name by which the row is found, and the words that
// stand for texts of the user.

import type { Row } from "./row.ts";

/** An argument of the user, or the expression before a dot. */
export interface Operand {
  readonly text: string;
  /** The name of a named argument: `axis` of `axis=0`. */
  readonly name?: string;
  /** The members of a tuple or array that is written out. */
  readonly members?: readonly string[];
}

export interface Pattern {
  readonly row: Row;
  /** The last part of the name: `arange` of `np.arange(n)`. */
  readonly key: string;
  /**
   * The words of each argument. A tuple has several words. A number such as `-1` stands for itself.
   */
  readonly parameters: readonly (readonly string[])[];
}

/**
 * `np.full((n, m), a)` has the key `full` and the parameters `n, m` and `a`. `A.T` has the
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

/** The text for each word of the pattern. `undefined` if the operands do not fit the pattern. */
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
        // An extent of -1 means "the rest" and is no value. A number stands for itself.
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
