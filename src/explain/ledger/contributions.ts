// Lists the numbers behind one cell of each gradient: every output cell that reads the held cell,
// and its contribution.
//
// Of a denominator, the held cell is the cell that the user asks for. Of a value between the
// denominator and the numerator, it is the first cell that the held cell of the denominator
// reaches. So the accounts of one explanation form a chain.

import type { Pullback } from "../../autodiff/sweep/sweep.ts";
import type { Probe } from "../../run/probe.ts";
import { get } from "../../scalar/values/value.ts";
import { constant, constantOf, type Variable } from "../../affine/term.ts";
import { newOpaque, termOf } from "../../analyse/facts.ts";
import type { Wording } from "../../print/print.ts";
import type { Definition, Scalar } from "../../ir/program.ts";
import { instantiate, integerScalar, atIndices } from "../../ir/substitute.ts";
import { cellText, outputIndices, ownerName, textOfPullback, type Passage } from "./explain.ts";
import type { Derivation } from "../source/derived-source.ts";
import type { CellAccount, Contribution } from "./explanation.ts";

/** An account for each passage that has cells. `held` gives the held cell of a definition. */
export function accountsOf(
  derivation: Derivation,
  words: Wording,
  passages: readonly Passage[],
  probe: Probe,
  held: ReadonlyMap<Definition, readonly number[]>,
): ReadonlyMap<Passage, CellAccount> {
  const { adjoints } = derivation.swept.trace;
  // Definitions with one gradient share its held cell, so positions are kept for gradients.
  const positions = new Map<Definition, readonly number[]>();
  for (const [definition, position] of held) {
    const adjoint = adjoints.get(definition);
    if (adjoint) positions.set(adjoint, position);
  }
  const accounts = new Map<Passage, CellAccount>();
  for (const passage of [...passages].reverse()) {
    const { definition, adjoint, pullbacks } = passage;
    const value = probe.valueOf(adjoint);
    const position = held.get(definition) ?? positions.get(adjoint) ?? value.shape.map(() => 0);
    if (position.some((at, axis) => at >= value.shape[axis]!)) continue;
    const contributions = pullbacks.flatMap((pullback, through) =>
      contributionsOf(derivation, words, adjoint, pullback, through, position, probe),
    );
    for (const { through, position: at } of contributions) {
      const reached = adjoints.get(pullbacks[through]!.output);
      if (reached && !positions.has(reached)) positions.set(reached, at);
    }
    accounts.set(passage, {
      type: value.dtype,
      position,
      contributions,
      value: get(value, position),
    });
  }
  return accounts;
}

type Position = ReadonlyMap<Variable, number>;

function contributionsOf(
  derivation: Derivation,
  words: Wording,
  adjoint: Definition,
  pullback: Pullback,
  through: number,
  position: readonly number[],
  probe: Probe,
): readonly Contribution[] {
  const { piece, incoming, local } = pullback;
  const text = textOfPullback(words, adjoint, pullback);
  const output = ownerName(derivation, words, pullback.output);
  const inverted = (scalar: Scalar): Scalar => instantiate(scalar, piece.inverse);
  const conditions = [...piece.ranges, ...piece.guards, ...piece.ties].map(probe.evaluator);
  const bounds = piece.summed.map(
    (loop) => [probe.evaluator(loop.from), probe.evaluator(loop.to)] as const,
  );
  const indices = outputIndices(pullback).map((index) => probe.evaluator(inverted(index)));
  const value = probe.evaluator(piece.value);
  const factorAt = (scalar: Scalar): ((at: Position) => NonNullable<Contribution["local"]>) => {
    const here = inverted(scalar);
    const evaluate = probe.evaluator(here);
    return (at) => ({
      text: text(withIndexValues(instantiate(here, positionScalars(at)))),
      value: evaluate(at),
    });
  };
  const incomingAt = incoming && factorAt(incoming);
  const localAt = local.kind === "constant" && local.value === 1 ? undefined : factorAt(local);
  const found: Contribution[] = [];
  const walk = (depth: number, at: Map<Variable, number>): void => {
    const loop = piece.summed[depth];
    if (loop) {
      const [from, to] = bounds[depth]!;
      const end = Number(to(at));
      for (let step = Number(from(at)); step < end; step++)
        walk(depth + 1, at.set(loop.variable, step));
      at.delete(loop.variable);
      return;
    }
    if (!conditions.every((holds) => holds(at) === true)) return;
    const outputPosition = indices.map((index) => Number(index(at)));
    found.push({
      through,
      cell: cellText(output, outputPosition.map(String)),
      position: outputPosition,
      ...(incomingAt ? { incoming: incomingAt(at) } : {}),
      ...(localAt ? { local: localAt(at) } : {}),
      value: value(at),
    });
  };
  walk(0, atIndices(piece.axes, position));
  return found;
}

function positionScalars(at: Position): ReadonlyMap<Variable, Scalar> {
  return new Map([...at].map(([v, value]) => [v, integerScalar(constant(value))]));
}

/** Replaces indices without coordinates by their values: `x[3 - 1]` becomes `x[2]`. */
function withIndexValues(scalar: Scalar): Scalar {
  switch (scalar.kind) {
    case "read":
      return {
        ...scalar,
        indices: scalar.indices.map((index) => indexValue(index) ?? withIndexValues(index)),
      };
    case "apply":
      return { ...scalar, operands: scalar.operands.map(withIndexValues) };
    case "cast":
      return { ...scalar, operand: withIndexValues(scalar.operand) };
    case "select":
      return {
        ...scalar,
        then: withIndexValues(scalar.then),
        otherwise: withIndexValues(scalar.otherwise),
      };
    default:
      return scalar;
  }
}

function indexValue(index: Scalar): Scalar | undefined {
  const value = constantOf(termOf(newOpaque(), index, []));
  return value === undefined ? undefined : integerScalar(constant(value));
}
