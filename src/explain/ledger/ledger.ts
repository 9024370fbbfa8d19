// The coordinate ledger of one pullback, read off the transposition's own solution: a coordinate
// that the solution gives in terms of the held cell alone is kept or restored, one that is summed
// or depends on a summed one is a path coordinate.

import type { Pullback } from "../../autodiff/sweep/sweep.ts";
import { equal, ofVariable, type Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { eachScalar, partsOf } from "../../ir/parts.ts";
import type { Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import { instantiate } from "../../ir/substitute.ts";
import type { Ledger } from "./explanation.ts";
import { written } from "../source/uses.ts";

/** `text` writes scalars in the coordinates of the held cell and of what is summed. */
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
   * Whether there is a winner at all is the rule's own question: the forward program does not ask
   * it.
   */
  const isOfRule = (guard: Scalar): boolean =>
    readsIn(guard).some((each) => each.kind === "read" && !isPrimal(each.definition));
  /** A coordinate without a place in the solution was put where a winner is: data fixes it. */
  const isOpen = ({ variable }: Loop): boolean => mentionsAny(piece.inverse.get(variable), summed);
  const names = (list: readonly Loop[]): readonly string[] => [
    ...new Set(list.map(({ variable }) => written(variable))),
  ];
  return {
    output: names(output),
    operand: [
      ...new Set(piece.axes.map((axis, k) => bareName(read.indices[k]!, loops) ?? text(at(axis)))),
    ],
    path: names(output.filter(isOpen)),
    kept: names(output.filter((loop) => !isOpen(loop))),
    consumed: names(consumed),
    restored: names(consumed.filter((loop) => !isOpen(loop))),
    supplied: distinct(suppliedIn(pullback, output, text)),
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
    held: [...new Set(piece.axes.map((axis) => packOf(axis) ?? text(at(axis))))],
  };
}

/** A pack has its axes under one name. */
function distinct(supplied: Ledger["supplied"]): Ledger["supplied"] {
  return supplied.filter(
    ({ coordinate }, k) => supplied.findIndex((other) => other.coordinate === coordinate) === k,
  );
}

function at(loop: Loop): Scalar {
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
 * For each coordinate of the held cell that the output's cells do not decide: the factors that have
 * it, or the places where its position itself is computed with, or else the conditions.
 */
function suppliedIn(
  { local, piece }: Pullback,
  output: readonly Loop[],
  text: (scalar: Scalar) => string,
): Ledger["supplied"] {
  const here = instantiate(local, piece.inverse);
  const factors = readsIn(here);
  const positions = positionsIn(here);
  const conditions = [...piece.ties, ...piece.ranges, ...piece.guards];
  return piece.axes.flatMap((axis) => {
    const own = new Set([axis.variable]);
    if (output.some(({ variable }) => mentionsAny(piece.inverse.get(variable), own))) return [];
    const having = [factors, positions, conditions].map((list) =>
      list.filter((each) => mentionsAny(each, own)),
    );
    const by = having.find((list) => list.length > 0) ?? [];
    return [{ coordinate: packOf(axis) ?? text(at(axis)), by: [...new Set(by.map(text))] }];
  });
}

export function packOf({ variable }: Loop): string | undefined {
  return variable.pack === undefined ? undefined : written(variable);
}

/** What is computed from positions without reading anything: `i as f32`. */
function positionsIn(scalar: Scalar): readonly Scalar[] {
  const found: Scalar[] = [];
  // A local that is used often is looked at once: written out, it could be without end.
  const seen = new Set<Local>();
  const visit = (part: Scalar): void => {
    if (part.kind === "read" || (part.kind === "local" && seen.has(part.local))) return;
    if (part.kind === "local") seen.add(part.local);
    const isComputed = part.kind === "integer" || part.kind === "cast";
    if (isComputed && readsIn(part).length === 0) found.push(part);
    else for (const inner of partsOf(part)) visit(inner);
  };
  visit(scalar);
  return found;
}

function readsIn(scalar: Scalar): readonly Scalar[] {
  const found: Scalar[] = [];
  eachScalar(scalar, (part) => {
    if (part.kind === "read") found.push(part);
  });
  return found;
}
