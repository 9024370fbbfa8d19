// Computes the values that a term can take when its coordinates lie in known intervals. With i in
// 0..8, the term 2·i + 1 lies in 1..15. This decides most guards once sizes are numbers.

import { constantOf, subtract, type Atom, type Term, type Variable } from "../../affine/term.ts";
import type { OperationName } from "../../scalar/operations.ts";

/** Both ends are included. */
export interface Interval {
  readonly least: number;
  readonly most: number;
}

export type Intervals = ReadonlyMap<Variable, Interval>;

const anything: Interval = { least: -Infinity, most: Infinity };

/** 0 times an infinite bound is 0, because the bound stands for an unknown finite number. */
function timesBound(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}

function product(a: Interval, b: Interval): Interval {
  const corners = [
    timesBound(a.least, b.least),
    timesBound(a.least, b.most),
    timesBound(a.most, b.least),
    timesBound(a.most, b.most),
  ];
  return { least: Math.min(...corners), most: Math.max(...corners) };
}

export function intervalOf(term: Term, known: Intervals): Interval {
  let least = term.constant;
  let most = term.constant;
  for (const part of term.parts) {
    let value: Interval = { least: part.coefficient, most: part.coefficient };
    for (const factor of part.factors) value = product(value, intervalOfAtom(factor, known));
    least += value.least;
    most += value.most;
  }
  return { least, most };
}

function intervalOfAtom(atom: Atom, known: Intervals): Interval {
  switch (atom.kind) {
    case "variable":
      return known.get(atom.variable) ?? anything;
    case "floor": {
      const dividend = intervalOf(atom.dividend, known);
      const divisor = intervalOf(atom.divisor, known);
      if (divisor.least < 1) return anything;
      const corners = [divisor.least, divisor.most].flatMap((by) =>
        by === Infinity
          ? [dividend.least < 0 ? -1 : 0]
          : [Math.floor(dividend.least / by), Math.floor(dividend.most / by)],
      );
      return { least: Math.min(...corners), most: Math.max(...corners) };
    }
    case "min":
    case "max": {
      const members = atom.members.map((member) => intervalOf(member, known));
      const pick = atom.kind === "min" ? Math.min : Math.max;
      return {
        least: pick(...members.map((m) => m.least)),
        most: pick(...members.map((m) => m.most)),
      };
    }
    default:
      return atom satisfies never;
  }
}

/** The outcome of a comparison if it is the same everywhere. */
export function decide(
  operation: OperationName,
  a: Term,
  b: Term,
  known: Intervals,
): boolean | undefined {
  const difference = subtract(a, b);
  const fixed = constantOf(difference);
  const { least, most } =
    fixed === undefined ? intervalOf(difference, known) : { least: fixed, most: fixed };
  switch (operation) {
    case "less":
      return most < 0 ? true : least >= 0 ? false : undefined;
    case "lessEqual":
      return most <= 0 ? true : least > 0 ? false : undefined;
    case "greater":
      return least > 0 ? true : most <= 0 ? false : undefined;
    case "greaterEqual":
      return least >= 0 ? true : most < 0 ? false : undefined;
    case "equal":
      return least === 0 && most === 0 ? true : least > 0 || most < 0 ? false : undefined;
    case "notEqual":
      return least === 0 && most === 0 ? false : least > 0 || most < 0 ? true : undefined;
    default:
      return undefined;
  }
}
