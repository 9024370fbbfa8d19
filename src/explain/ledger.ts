// The coordinate ledger of one pullback, read off the transposition's own solution: a coordinate that the solution gives in
// terms of the held cell alone is kept or restored, one that is summed or depends on a summed one is a path coordinate.

import type { Pullback } from "../autodiff/sweep.ts";
import { equal, ofVariable, type Variable } from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import { eachScalar, type Loop, type Scalar } from "../ir/program.ts";
import { instantiate } from "../ir/substitute.ts";
import type { Ledger } from "./explanation.ts";

/** `text` writes scalars in the coordinates of the held cell and of what is summed. */
export function ledgerOf(pullback: Pullback, text: (scalar: Scalar) => string): Ledger {
  const { through, loops, read, piece } = pullback;
  const clause = through.kind === "clause" ? through.clause : undefined;
  const output = (clause?.loops ?? loops).filter((loop) => !loop.fixed);
  const consumed = clause?.body.kind === "reduce" ? clause.body.loops : [];
  const summed = new Set(piece.summed.map((loop) => loop.variable));
  /** A coordinate without a place in the solution was put where a winner is: data fixes it. */
  const isOpen = ({ variable }: Loop): boolean => mentionsAny(piece.inverse.get(variable), summed);
  const names = (list: readonly Loop[]): readonly string[] => list.map((loop) => loop.variable.name);
  return {
    output: names(output),
    operand: piece.axes.map((axis, k) => bareName(read.indices[k]!, loops) ?? text(at(axis))),
    path: names(output.filter(isOpen)),
    kept: names(output.filter((loop) => !isOpen(loop))),
    consumed: names(consumed),
    restored: names(consumed.filter((loop) => !isOpen(loop))),
    supplied: suppliedIn(pullback, text),
    solved: loops.flatMap(({ variable, fixed }) => {
      if (fixed) return [];
      const value = piece.inverse.get(variable);
      const shown = value && text(value);
      return shown === undefined || shown === variable.name ? [] : [{ coordinate: variable.name, value: shown }];
    }),
    guards: piece.ranges.map(text),
    filters: piece.guards.map(text),
    ties: piece.ties.map(text),
  };
}

function at(loop: Loop): Scalar {
  return { kind: "integer", type: "i32", term: ofVariable(loop.variable) };
}

/** The coordinate that an index consists of. */
function bareName(index: Scalar, loops: readonly Loop[]): string | undefined {
  if (index.kind !== "integer") return undefined;
  return loops.find(({ variable }) => equal(index.term, ofVariable(variable)))?.variable.name;
}

function mentionsAny(scalar: Scalar | undefined, wanted: ReadonlySet<Variable>): boolean {
  let found = false;
  if (!scalar) return false;
  eachScalar(scalar, (part) => {
    if (part.kind === "integer" && [...variablesOf(part.term)].some((v) => wanted.has(v))) found = true;
  });
  return found;
}

/** For each coordinate of the held cell that the incoming gradient does not have: the factors that do, or else the conditions. */
function suppliedIn({ incoming, local, piece }: Pullback, text: (scalar: Scalar) => string): Ledger["supplied"] {
  const gradient = incoming && instantiate(incoming, piece.inverse);
  const factors = readsIn(instantiate(local, piece.inverse));
  const conditions = [...piece.ties, ...piece.ranges, ...piece.guards];
  return piece.axes.flatMap((axis) => {
    const own = new Set([axis.variable]);
    if (mentionsAny(gradient, own)) return [];
    const having = factors.filter((factor) => mentionsAny(factor, own));
    const by = (having.length > 0 ? having : conditions.filter((each) => mentionsAny(each, own))).map(text);
    return [{ coordinate: text(at(axis)), by: [...new Set(by)] }];
  });
}

function readsIn(scalar: Scalar): readonly Scalar[] {
  const found: Scalar[] = [];
  eachScalar(scalar, (part) => {
    if (part.kind === "read") found.push(part);
  });
  return found;
}
