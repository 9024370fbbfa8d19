// Replaces an expression by a read of a map that has already computed it, at whatever coordinates.
//
//   let e[i] = exp(x[i]);
//   let s = sum[j](exp(x[j + 1]));    // becomes sum[j](e[j + 1])

import { isOff } from "../ir/rewrites.ts";
import { constantOf, equal, type Term, type Variable } from "../affine/term.ts";
import { substitute, variablesOf } from "../affine/visit.ts";
import type { Clause, Definition, Scalar } from "../ir/program.ts";
import { integerScalar } from "../ir/substitute.ts";
import { integerTermOf, isSameScalar, isVariable } from "./same.ts";
import { withoutLocals } from "../ir/parts.ts";

type Sizes = (term: Term) => number;

/** The maps that keep their cells, by the outermost operation of their bodies. */
interface Shared {
  /** Adds a map whose cells can be read. */
  add(definition: Definition, clause: Clause): void;
  /** The read that replaces an expression of a reader; `undefined` where no map has computed it. */
  readFor(reader: Definition, scalar: Scalar): Scalar | undefined;
}

interface Candidate {
  readonly definition: Definition;
  readonly clause: Clause;
  readonly value: Scalar;
}

/** The outermost operation of a scalar. */
function operationOf(scalar: Scalar): string | undefined {
  if (scalar.kind === "select") return "select";
  return scalar.kind === "apply" && scalar.operands.length > 0 ? scalar.operation : undefined;
}

export function newShared(
  sizes: Sizes,
  isWorthReading: (scalar: Scalar) => boolean,
  canRead: (reader: Definition, definition: Definition) => boolean,
): Shared {
  const byOperation = new Map<string, Candidate[]>();
  return {
    add(definition, clause) {
      if (clause.body.kind !== "map") return;
      const value = withoutLocals(clause.body.value);
      const operation = operationOf(value);
      if (operation)
        byOperation.set(operation, [
          ...(byOperation.get(operation) ?? []),
          { definition, clause, value },
        ]);
    },
    readFor(reader, scalar) {
      const operation = operationOf(scalar);
      const candidates = operation === undefined ? undefined : byOperation.get(operation);
      if (!candidates || isOff("share") || !isWorthReading(scalar)) return undefined;
      for (const { definition, clause, value } of candidates) {
        if (definition === reader || definition.element !== scalar.type) continue;
        const indices = indicesOfEqualCell(clause, value, scalar, sizes);
        if (!indices) continue;
        if (!canRead(reader, definition)) continue;
        return { kind: "read", type: definition.element, definition, indices, span: clause.span };
      }
      return undefined;
    },
  };
}

/**
 * Finds the indices at which the body of a map equals a scalar. Gives `undefined` where there are
 * none, or where the map might have no cell at these indices.
 */
function indicesOfEqualCell(
  { loops }: Clause,
  pattern: Scalar,
  scalar: Scalar,
  sizes: Sizes,
): readonly Scalar[] | undefined {
  const bound = new Map<Variable, Term>();
  const extents = new Map<Variable, number>();
  const free = new Set(loops.map(({ variable }) => variable));
  const unify = (a: Scalar, b: Scalar): boolean => {
    const [x, y] = [withoutLocals(a), withoutLocals(b)];
    if (x.type !== y.type) return false;
    const [patternTerm, scalarTerm] = [integerTermOf(x), integerTermOf(y)];
    if (patternTerm && scalarTerm) return unifyTerms(patternTerm, scalarTerm);
    if (x.kind === "read" && y.kind === "read") {
      if (x.definition !== y.definition) return false;
      x.indices.forEach((index, axis) => {
        const variable = index.kind === "integer" ? asSingleVariable(index.term) : undefined;
        if (variable && free.has(variable))
          extents.set(variable, sizes(x.definition.axes[axis]!.extent));
      });
      return x.indices.every((index, axis) => unify(index, y.indices[axis]!));
    }
    if (x.kind === "apply" && y.kind === "apply")
      return (
        x.operation === y.operation &&
        x.operands.every((operand, k) => unify(operand, y.operands[k]!))
      );
    if (x.kind === "cast" && y.kind === "cast") return unify(x.operand, y.operand);
    if (x.kind === "select" && y.kind === "select")
      return (
        unify(x.condition, y.condition) && unify(x.then, y.then) && unify(x.otherwise, y.otherwise)
      );
    return isSameScalar(x, y);
  };
  const unifyTerms = (own: Term, other: Term): boolean => {
    const variable = asSingleVariable(own);
    if (variable && free.has(variable) && !bound.has(variable)) {
      bound.set(variable, other);
      return true;
    }
    if ([...variablesOf(own)].some((each) => free.has(each) && !bound.has(each))) return false;
    return equal(substitute(own, bound), other);
  };
  if (!unify(pattern, scalar)) return undefined;
  const isSure = loops.every(({ variable, from, to }) => {
    // The coordinate indexes an axis of another tensor that is as long as the loop. The scalar
    // reads this axis at the matched index, so the index is also within the loop.
    if (from.kind !== "integer" || to.kind !== "integer" || !bound.has(variable)) return false;
    return constantOf(from.term) === 0 && extents.get(variable) === sizes(to.term);
  });
  return isSure ? loops.map(({ variable }) => integerScalar(bound.get(variable)!)) : undefined;
}

function asSingleVariable(term: Term): Variable | undefined {
  const [part, ...more] = term.parts;
  const [atom] = part?.factors ?? [];
  if (more.length > 0 || atom?.kind !== "variable") return undefined;
  return isVariable(term, atom.variable) ? atom.variable : undefined;
}
