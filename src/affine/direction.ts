// Which way a term goes when a variable grows: `n - i` falls with `i`.

import { constantOf, ofAtom, type Atom, type Term, type Variable } from "./term.ts";
import { mentions } from "./visit.ts";

/**
 * 1 if a term never falls when a variable grows, -1 if it never rises, 0 if it does not move at
 * all; undefined if it may do both.
 */
export function direction(term: Term, v: Variable): 1 | -1 | 0 | undefined {
  const signs = term.parts.map((part) => {
    const moved = part.factors.filter((atom) => mentions(ofAtom(atom), v));
    if (moved.length === 0) return 0;
    if (part.factors.length > 1) return undefined;
    const signOfAtom = directionOfAtom(moved[0]!, v);
    return signOfAtom === undefined
      ? undefined
      : ((signOfAtom * Math.sign(part.coefficient)) as 1 | -1 | 0);
  });
  return commonSign(signs);
}

function directionOfAtom(atom: Atom, v: Variable): 1 | -1 | 0 | undefined {
  switch (atom.kind) {
    case "variable":
      return atom.variable === v ? 1 : 0;
    case "floor": {
      const divisor = constantOf(atom.divisor);
      return divisor !== undefined && divisor > 0 ? direction(atom.dividend, v) : undefined;
    }
    case "min":
    case "max":
      return commonSign(atom.members.map((member) => direction(member, v)));
    default:
      return atom satisfies never;
  }
}

function commonSign(signs: readonly (1 | -1 | 0 | undefined)[]): 1 | -1 | 0 | undefined {
  let found: 1 | -1 | 0 = 0;
  for (const sign of signs) {
    if (sign === undefined || (sign !== 0 && found === -sign)) return undefined;
    if (sign !== 0) found = sign;
  }
  return found;
}
