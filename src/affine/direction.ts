// Which way a term goes when a variable grows.

import { constantOf, ofAtom, type Atom, type Term, type Variable } from "./term.ts";
import { mentions } from "./visit.ts";

/**
 * Whether a term never falls (1), never rises (-1) or does not move at all (0) when a variable
 * grows; absent where it may do both.
 */
export function direction(term: Term, v: Variable): 1 | -1 | 0 | undefined {
  const signs = term.parts.map((part) => {
    const moved = part.factors.filter((atom) => mentions(ofAtom(atom), v));
    if (moved.length === 0) return 0;
    if (part.factors.length > 1) return undefined;
    const own = directionOfAtom(moved[0]!, v);
    return own === undefined ? undefined : ((own * Math.sign(part.coefficient)) as 1 | -1 | 0);
  });
  return common(signs);
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
      return common(atom.members.map((member) => direction(member, v)));
    default:
      return atom satisfies never;
  }
}

function common(signs: readonly (1 | -1 | 0 | undefined)[]): 1 | -1 | 0 | undefined {
  let found: 1 | -1 | 0 = 0;
  for (const sign of signs) {
    if (sign === undefined || (sign !== 0 && found === -sign)) return undefined;
    if (sign !== 0) found = sign;
  }
  return found;
}
