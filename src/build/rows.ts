// Finds out whether a program computes a dimension row by row. Each cell at a position of the
// dimension must be computed from cells at the same position, or from cells without this dimension.
// Kernels for a few rows can then compute any number of rows.
//
//   let y[b, j] = sum[k](x[b, k] * W[k, j]);  // row by row along `b`

import { constantOf, equal, ofVariable, type Term, type Variable } from "../affine/term.ts";
import { variablesOf } from "../affine/visit.ts";
import { partsOf, scalarsOf } from "../ir/parts.ts";
import type { Clause, Definition, Program, Scalar } from "../ir/program.ts";

/** The axis of a definition that is the dimension, if there is one. */
export function rowAxis({ axes }: Definition, dimension: Variable): number | undefined {
  const found = axes.findIndex(({ extent }) => equal(extent, ofVariable(dimension)));
  return found < 0 ? undefined : found;
}

/** The first definition that is not computed row by row along a dimension. Undefined if all are. */
export function notByRows(
  { agreements }: Program,
  needed: Iterable<Definition>,
  dimension: Variable,
): Definition | "an agreement" | undefined {
  if (agreements.some(({ left, right }) => mentions(left, dimension) || mentions(right, dimension)))
    return "an agreement";
  for (const definition of needed) if (!isByRows(definition, dimension)) return definition;
  return undefined;
}

function isByRows(definition: Definition, dimension: Variable): boolean {
  const own = rowAxis(definition, dimension);
  const isRow = definition.axes.every(
    ({ extent, ragged }, axis) => axis === own || (!ragged && !mentions(extent, dimension)),
  );
  return isRow && definition.clauses.every((clause) => isClauseByRows(clause, own, dimension));
}

function isClauseByRows(clause: Clause, own: number | undefined, dimension: Variable): boolean {
  const row = own === undefined ? undefined : clause.loops[own]!;
  if (
    row &&
    !(
      isTerm(row.from, (term) => constantOf(term) === 0) &&
      isTerm(row.to, (term) => equal(term, ofVariable(dimension)))
    )
  )
    return false;
  const isHere = (index: Scalar): boolean =>
    row !== undefined && isTerm(index, (term) => equal(term, ofVariable(row.variable)));
  const seen = new Set<Scalar>();
  /**
   * Reads of rows must be at the same row. Apart from that, no expression may depend on the row or
   * on the number of rows.
   */
  const isFine = (scalar: Scalar): boolean => {
    if (seen.has(scalar)) return true;
    seen.add(scalar);
    if (scalar.kind === "call") return false;
    if (scalar.kind === "integer")
      return !mentions(scalar.term, dimension) && !(row && mentions(scalar.term, row.variable));
    if (scalar.kind !== "read") return partsOf(scalar).every(isFine);
    const axis = rowAxis(scalar.definition, dimension);
    return scalar.indices.every((index, k) => (k === axis ? isHere(index) : isFine(index)));
  };
  const others = clause.loops.filter((loop) => loop !== row);
  return scalarsOf({ ...clause, loops: others }).every(isFine);
}

function isTerm(scalar: Scalar, holds: (term: Term) => boolean): boolean {
  return scalar.kind === "integer" && holds(scalar.term);
}

function mentions(term: Term, v: Variable): boolean {
  return [...variablesOf(term)].includes(v);
}
