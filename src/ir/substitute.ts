// Scalars with coordinates replaced: by other coordinates, by terms, or by anything that gives an
// integer.

import {
  attempt,
  constant,
  ofVariable,
  type Atom,
  type Term,
  type Variable,
} from "../affine/term.ts";
import { writtenOut } from "../affine/write-out.ts";
import { substitute, variablesOf } from "../affine/visit.ts";
import { integerOf } from "./integers.ts";
import { eachScalar, mapParts, somewhere } from "./parts.ts";
import type { Local, Loop, Scalar } from "./program.ts";
import { nowhere } from "../base/source.ts";

export type Replacements = ReadonlyMap<Variable, Scalar>;

/**
 * A scalar under the replacements; locals are copied, and what stands in several places is replaced
 * once.
 */
export function instantiate(
  scalar: Scalar,
  by: Replacements,
  locals: Map<Local, Local> = new Map(),
): Scalar {
  return replacing(by)(scalar, locals);
}

/**
 * Replaces in several scalars, what they have in common once: of the guards `a < b` and `f(a) < b`, `a` and `b`. Locals
 * are copied for each of them.
 */
export function replacing(
  by: Replacements,
): (scalar: Scalar, locals?: Map<Local, Local>) => Scalar {
  const common = new Map<Scalar, Scalar>();
  const hasLocals = somewhere(({ kind }) => kind === "local");
  return (scalar, locals = new Map()) => {
    const own = new Map<Scalar, Scalar>();
    const again = (part: Scalar): Scalar => {
      if (part.kind === "integer")
        return isReplaced(part.term, by) ? instantiateTerm(part.term, by) : part;
      if (part.kind === "constant" || part.kind === "parameter") return part;
      const known = hasLocals(part) ? own : common;
      let made = known.get(part);
      if (!made) known.set(part, (made = replaced(part)));
      return made;
    };
    const replaced = (part: Scalar): Scalar => {
      if (part.kind === "local") return { ...part, local: copied(part.local, again, locals) };
      return mapParts(part, part.kind === "read" ? (index) => gathered(again(index)) : again);
    };
    return again(scalar);
  };
}

function isReplaced(term: Term, by: Replacements): boolean {
  for (const v of variablesOf(term)) if (by.has(v)) return true;
  return false;
}

/**
 * A position into which a sum came, `t + 1 - 1`, is written as one, and so is one that is a number.
 */
function gathered(index: Scalar): Scalar {
  if (index.kind !== "apply") return index;
  let isSum = false;
  eachScalar(index, (part) => {
    if (part.kind === "integer")
      isSum ||= part.term.parts.length + (part.term.constant === 0 ? 0 : 1) > 1;
  });
  const term = attempt(() => integerOf(index));
  return term && (isSum || term.parts.length === 0) ? integerScalar(term) : index;
}

/** One copy of a local, however often it is used. */
export function copied(
  local: Local,
  change: (part: Scalar) => Scalar,
  locals: Map<Local, Local>,
): Local {
  let copy = locals.get(local);
  if (!copy) {
    const { name, value, slope } = local;
    const asked = slope && { ...slope, of: change(slope.of), by: change(slope.by) };
    locals.set(local, (copy = { name, value: change(value), ...(asked ? { slope: asked } : {}) }));
  }
  return copy;
}

/** Terms stay terms where what comes in is one; otherwise the arithmetic is written out. */
export function instantiateTerm(term: Term, by: Replacements): Scalar {
  const used = [...variablesOf(term)].filter((v) => by.has(v));
  if (used.every((v) => by.get(v)!.kind === "integer")) {
    const terms = new Map(
      used.map((v) => [v, (by.get(v) as Extract<Scalar, { kind: "integer" }>).term]),
    );
    return integerScalar(used.length === 0 ? term : substitute(term, terms));
  }
  return writtenOut<Scalar>(term, {
    constant: (value) => integerScalar(constant(value)),
    atom: (atom) => atomScalar(atom, by),
    apply: arithmetic,
  });
}

export function integerScalar(term: Term): Scalar {
  return { kind: "integer", type: "i32", term };
}

function atomScalar(atom: Atom, by: Replacements): Scalar {
  switch (atom.kind) {
    case "variable":
      return by.get(atom.variable) ?? integerScalar(ofVariable(atom.variable));
    case "floor":
      return arithmetic(
        "divide",
        instantiateTerm(atom.dividend, by),
        instantiateTerm(atom.divisor, by),
      );
    case "min":
    case "max":
      return atom.members
        .map((member) => instantiateTerm(member, by))
        .reduce((a, b) => arithmetic(atom.kind, a, b));
    default:
      return atom satisfies never;
  }
}

/** An operation on integers that the compiler makes. */
export function arithmetic(
  operation: "add" | "subtract" | "multiply" | "divide" | "min" | "max",
  a: Scalar,
  b: Scalar,
): Scalar {
  return { kind: "apply", type: "i32", within: "i32", operation, operands: [a, b], span: nowhere };
}

export function instantiateLoop(loop: Loop, by: Replacements): Loop {
  return { ...loop, from: instantiate(loop.from, by), to: instantiate(loop.to, by) };
}
