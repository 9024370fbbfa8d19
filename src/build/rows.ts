// Which dimensions a program computes row by row: each cell at a position of the dimension is made
// of cells at the same position, or of cells that have no such coordinate. Any number of rows can
// then be computed with kernels for a few of them.

import { constantOf, equal, ofVariable, type Term, type Variable } from "../affine/term.ts";
import { variablesOf } from "../affine/visit.ts";
import { partsOf, scalarsOf } from "../ir/parts.ts";
import type { Clause, Definition, Program, Scalar } from "../ir/program.ts";

/** The axis of a definition along which its rows lie, if there is one. */
export function rowAxis({ axes }: Definition, dimension: Variable): number | undefined {
  const found = axes.findIndex(({ extent }) => equal(extent, ofVariable(dimension)));
  return found < 0 ? undefined : found;
}

/**
 * The first definition that is not computed row by row along a dimension; nothing where all are.
 */
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
  /** Which row is read is this one; elsewhere neither the row nor the number of rows may count. */
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
