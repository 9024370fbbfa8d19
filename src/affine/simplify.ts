// Removes from a term what the assumptions decide: quotients that are known, and members of min and
// max that never win.
//
//   k·d ≤ e < (k + 1)·d   ⇒  ⌊e/d⌋ = k      (tried for k = 0, -1, 1)
//   a ≤ b                 ⇒  min(a, b) = a, max(a, b) = b

import { atMost, holds, holdsWithin } from "./prove.ts";
import type { Assumptions } from "./prove.ts";
import type { Range } from "./range.ts";
import { constant, extremum, floorDiv, scale } from "./term.ts";
import type { Atom, Term } from "./term.ts";
import { rewrite } from "./visit.ts";

export function simplify(term: Term, assumptions: Assumptions): Term {
  return rewrite(term, (atom) => simplifiedAtom(atom, assumptions));
}

export function simplifyRange(range: Range, assumptions: Assumptions): Range {
  return { from: simplify(range.from, assumptions), to: simplify(range.to, assumptions) };
}

function simplifiedAtom(atom: Atom, assumptions: Assumptions): Term | undefined {
  switch (atom.kind) {
    case "variable":
      return undefined;
    case "floor": {
      const dividend = simplify(atom.dividend, assumptions);
      const divisor = simplify(atom.divisor, assumptions);
      for (const k of [0, -1, 1]) {
        const range = { from: scale(divisor, k), to: scale(divisor, k + 1) };
        if (holdsWithin(dividend, range, assumptions)) return constant(k);
      }
      return dividend === atom.dividend && divisor === atom.divisor
        ? undefined
        : floorDiv(dividend, divisor);
    }
    case "min":
    case "max": {
      const members = atom.members.map((member) => simplify(member, assumptions));
      let kept = members;
      for (const member of members) {
        const others = kept.filter((other) => other !== member);
        const beaten = others.some((other) =>
          holds(atom.kind === "min" ? atMost(other, member) : atMost(member, other), assumptions),
        );
        if (beaten) kept = others;
      }
      if (kept === members && members.every((member, k) => member === atom.members[k]))
        return undefined;
      return extremum(atom.kind, kept);
    }
    default:
      return atom satisfies never;
  }
}
