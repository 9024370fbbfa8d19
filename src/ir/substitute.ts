// Replaces coordinates in scalars, by integer scalars of any kind.
//
//   x[2 * i + 1]   with i = j - 1      x[2 * j - 1]
//   x[2 * i + 1]   with i = at[k]      x[2 * at[k] + 1]

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
import { nowhere, type Span } from "../base/source.ts";

export type Replacements = ReadonlyMap<Variable, Scalar>;

/**
 * A scalar under the replacements. Locals are copied. A part that stands in several places is
 * replaced once.
 */
export function instantiate(
  scalar: Scalar,
  by: Replacements,
  locals: Map<Local, Local> = new Map(),
): Scalar {
  return replacing(by)(scalar, locals);
}

/**
 * A function that replaces in several scalars and replaces their common parts once: `a` and `b` of
 * the guards `a < b` and `f(a) < b`. Each of the scalars gets its own copies of locals.
 */
export function replacing(
  by: Replacements,
): (scalar: Scalar, locals?: Map<Local, Local>) => Scalar {
  const knownWithoutLocals = new Map<Scalar, Scalar>();
  const hasLocals = somewhere(({ kind }) => kind === "local");
  return (scalar, locals = new Map()) => {
    const knownWithLocals = new Map<Scalar, Scalar>();
    const replaceIn = (part: Scalar): Scalar => {
      if (part.kind === "integer")
        return isReplaced(part.term, by) ? instantiateTerm(part.term, by) : part;
      if (part.kind === "constant" || part.kind === "parameter") return part;
      const known = hasLocals(part) ? knownWithLocals : knownWithoutLocals;
      let result = known.get(part);
      if (!result) known.set(part, (result = newReplacement(part)));
      return result;
    };
    const newReplacement = (part: Scalar): Scalar => {
      if (part.kind === "local") return { ...part, local: copied(part.local, replaceIn, locals) };
      return mapParts(
        part,
        part.kind === "read" ? (index) => asOneTerm(replaceIn(index)) : replaceIn,
      );
    };
    return replaceIn(scalar);
  };
}

function isReplaced(term: Term, by: Replacements): boolean {
  for (const v of variablesOf(term)) if (by.has(v)) return true;
  return false;
}

/**
 * An index as one term if a replacement brought in a sum or made the index a number: `t + 1 - 1`
 * becomes `t`.
 */
function asOneTerm(index: Scalar): Scalar {
  if (index.kind !== "apply") return index;
  let isSum = false;
  eachScalar(index, (part) => {
    if (part.kind === "integer")
      isSum ||= part.term.parts.length + (part.term.constant === 0 ? 0 : 1) > 1;
  });
  const term = attempt(() => integerOf(index));
  return term && (isSum || term.parts.length === 0) ? integerScalar(term) : index;
}

/** The copy of a local: one copy, however often the local is used. */
export function copied(
  local: Local,
  change: (part: Scalar) => Scalar,
  locals: Map<Local, Local>,
): Local {
  let copy = locals.get(local);
  if (!copy) {
    const { name, value, slope } = local;
    const newSlope = slope && { ...slope, of: change(slope.of), by: change(slope.by) };
    locals.set(
      local,
      (copy = { name, value: change(value), ...(newSlope ? { slope: newSlope } : {}) }),
    );
  }
  return copy;
}

/** A term under the replacements: a term if all replacements are terms, else arithmetic. */
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

/** The coordinate of a loop. */
export function coordinateScalar({ variable }: Pick<Loop, "variable">): Scalar {
  return integerScalar(ofVariable(variable));
}

/** Indices in the place of coordinates: those of a read for the loops of what it reads. */
export function atIndices<Index>(
  loops: readonly Pick<Loop, "variable">[],
  indices: readonly Index[],
): Map<Variable, Index> {
  return new Map(loops.map(({ variable }, k) => [variable, indices[k]!]));
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

/** An integer operation that the compiler makes. */
export function arithmetic(
  operation: "add" | "subtract" | "multiply" | "divide" | "remainder" | "min" | "max",
  a: Scalar,
  b: Scalar,
  span: Span = nowhere,
): Scalar {
  return { kind: "apply", type: "i32", within: "i32", operation, operands: [a, b], span };
}

export function instantiateLoop(loop: Loop, by: Replacements): Loop {
  return { ...loop, from: instantiate(loop.from, by), to: instantiate(loop.to, by) };
}
