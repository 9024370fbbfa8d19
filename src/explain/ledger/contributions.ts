// The numbers of a held cell: every output cell that reads it, with what it sends back, enumerated
// as the transposition says.
//
// Of a denominator the cell that is asked for is held; of a value between it and the numerator, the
// first of its cells that the held cell reaches. So the accounts of one explanation are links of
// one chain.

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

/** An account for each passage that has cells; `held` says which cell of a definition to hold. */
export function accountsOf(
  derivation: Derivation,
  words: Wording,
  passages: readonly Passage[],
  probe: Probe,
  held: ReadonlyMap<Definition, readonly number[]>,
): ReadonlyMap<Passage, CellAccount> {
  const { adjoints } = derivation.swept.trace;
  // Definitions that share a gradient share its cells, so a position belongs to the gradient.
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

type At = ReadonlyMap<Variable, number>;

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
  const part = (scalar: Scalar): ((at: At) => NonNullable<Contribution["local"]>) => {
    const here = inverted(scalar);
    const evaluate = probe.evaluator(here);
    return (at) => ({ text: text(settled(instantiate(here, numbers(at)))), value: evaluate(at) });
  };
  const incomingAt = incoming && part(incoming);
  const localAt = local.kind === "constant" && local.value === 1 ? undefined : part(local);
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
    const where = indices.map((index) => Number(index(at)));
    found.push({
      through,
      cell: cellText(output, where.map(String)),
      position: where,
      ...(incomingAt ? { incoming: incomingAt(at) } : {}),
      ...(localAt ? { local: localAt(at) } : {}),
      value: value(at),
    });
  };
  walk(0, atIndices(piece.axes, position));
  return found;
}

function numbers(at: At): ReadonlyMap<Variable, Scalar> {
  return new Map([...at].map(([v, value]) => [v, integerScalar(constant(value))]));
}

/** Indices without coordinates as the numbers that they are. */
function settled(scalar: Scalar): Scalar {
  switch (scalar.kind) {
    case "read":
      return {
        ...scalar,
        indices: scalar.indices.map((index) => numberOf(index) ?? settled(index)),
      };
    case "apply":
      return { ...scalar, operands: scalar.operands.map(settled) };
    case "cast":
      return { ...scalar, operand: settled(scalar.operand) };
    case "select":
      return { ...scalar, then: settled(scalar.then), otherwise: settled(scalar.otherwise) };
    default:
      return scalar;
  }
}

function numberOf(index: Scalar): Scalar | undefined {
  const value = constantOf(termOf(newOpaque(), index, []));
  return value === undefined ? undefined : integerScalar(constant(value));
}
