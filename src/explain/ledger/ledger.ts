// Makes the coordinate ledger of one pullback from the solution of the transposition. A coordinate
// that the held cell alone determines is kept or restored. A coordinate that is summed, or depends
// on a summed coordinate, is a path coordinate.
//
//    C[i, j] = sum[k](A[i, k] * B[k, j])   for the read A[i, k]:   kept i, restored k, path j

import type { Pullback } from "../../autodiff/sweep/sweep.ts";
import { equal, ofVariable, type Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { eachScalar, partsOf, readsIn } from "../../ir/parts.ts";
import type { Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import { instantiate } from "../../ir/substitute.ts";
import type { Ledger } from "./explanation.ts";
import { written } from "../source/uses.ts";

/** `text` prints scalars in the coordinates of the held cell and of the sum. */
export function ledgerOf(
  pullback: Pullback,
  text: (scalar: Scalar) => string,
  isPrimal: (definition: Definition) => boolean,
): Ledger {
  const { through, loops, read, piece } = pullback;
  const clause = through.kind === "clause" ? through.clause : undefined;
  const output = (clause?.loops ?? loops).filter((loop) => !loop.fixed);
  const consumed = clause?.body.kind === "reduce" ? clause.body.loops : [];
  const summed = new Set(piece.summed.map((loop) => loop.variable));
  /**
   * Does the guard come from a rule? A rule for a winner asks whether there is a winner at all. The
   * forward program does not ask.
   */
  const isOfRule = (guard: Scalar): boolean =>
    readsIn([guard]).some(({ definition }) => !isPrimal(definition));
  /**
   * Is it a path coordinate? A coordinate without a solution has the position of a winner: data
   * determines it, so it is none.
   */
  const isOpen = ({ variable }: Loop): boolean => mentionsAny(piece.inverse.get(variable), summed);
  const names = (list: readonly Loop[]): readonly string[] => [
    ...new Set(list.map(({ variable }) => written(variable))),
  ];
  return {
    output: names(output),
    operand: [
      ...new Set(
        piece.axes.map(
          (axis, k) => bareName(read.indices[k]!, loops) ?? text(coordinateScalar(axis)),
        ),
      ),
    ],
    path: names(output.filter(isOpen)),
    kept: names(output.filter((loop) => !isOpen(loop))),
    consumed: names(consumed),
    restored: names(consumed.filter((loop) => !isOpen(loop))),
    supplied: oncePerCoordinate(suppliedIn(pullback, output, text)),
    solved: loops.flatMap(({ variable, fixed }) => {
      if (fixed) return [];
      const value = piece.inverse.get(variable);
      const shown = value && text(value);
      return shown === undefined || shown === variable.name
        ? []
        : [{ coordinate: variable.name, value: shown }];
    }),
    guards: [...new Set(piece.ranges.map(text))],
    filters: [...new Set(piece.guards.filter((guard) => !isOfRule(guard)).map(text))],
    ties: piece.ties.map(text),
    held: [...new Set(piece.axes.map((axis) => packOf(axis) ?? text(coordinateScalar(axis))))],
  };
}

/** The axes of a pack have one name, so they are listed once. */
function oncePerCoordinate(supplied: Ledger["supplied"]): Ledger["supplied"] {
  return supplied.filter(
    ({ coordinate }, k) => supplied.findIndex((other) => other.coordinate === coordinate) === k,
  );
}

function coordinateScalar(loop: Loop): Scalar {
  return { kind: "integer", type: "i32", term: ofVariable(loop.variable) };
}

/** The coordinate that an index consists of. */
function bareName(index: Scalar, loops: readonly Loop[]): string | undefined {
  if (index.kind !== "integer") return undefined;
  const walking = loops.find(({ variable }) => equal(index.term, ofVariable(variable)));
  return walking && written(walking.variable);
}

function mentionsAny(scalar: Scalar | undefined, wanted: ReadonlySet<Variable>): boolean {
  let found = false;
  if (!scalar) return false;
  eachScalar(scalar, (part) => {
    if (part.kind === "integer" && [...variablesOf(part.term)].some((v) => wanted.has(v)))
      found = true;
  });
  return found;
}

/**
 * For each coordinate of the held cell that the output cells do not determine, the scalars that
 * have it: factors, or else computed positions, or else conditions.
 */
function suppliedIn(
  { local, piece }: Pullback,
  output: readonly Loop[],
  text: (scalar: Scalar) => string,
): Ledger["supplied"] {
  const here = instantiate(local, piece.inverse);
  const factors = readsIn([here]);
  const positions = positionsIn(here);
  const conditions = [...piece.ties, ...piece.ranges, ...piece.guards];
  return piece.axes.flatMap((axis) => {
    const own = new Set([axis.variable]);
    if (output.some(({ variable }) => mentionsAny(piece.inverse.get(variable), own))) return [];
    const scalarsWithIt = [factors, positions, conditions].map((list) =>
      list.filter((each) => mentionsAny(each, own)),
    );
    const by = scalarsWithIt.find((list) => list.length > 0) ?? [];
    return [
      {
        coordinate: packOf(axis) ?? text(coordinateScalar(axis)),
        by: [...new Set(by.map(text))],
      },
    ];
  });
}

export function packOf({ variable }: Loop): string | undefined {
  return variable.pack === undefined ? undefined : written(variable);
}

/** Values that are computed from positions alone: `i as f32`. */
function positionsIn(scalar: Scalar): readonly Scalar[] {
  const found: Scalar[] = [];
  // A local that is used often is visited once. Written out at every use, it could be very large.
  const seen = new Set<Local>();
  const visit = (part: Scalar): void => {
    if (part.kind === "read" || (part.kind === "local" && seen.has(part.local))) return;
    if (part.kind === "local") seen.add(part.local);
    const isComputed = part.kind === "integer" || part.kind === "cast";
    if (isComputed && readsIn([part]).length === 0) found.push(part);
    else for (const inner of partsOf(part)) visit(inner);
  };
  visit(scalar);
  return found;
}
