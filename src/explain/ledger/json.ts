// Prints explanations as JSON: a ledger entry and an entry of steps for each read that contributes
// to a gradient.

import type {
  CellAccount,
  Contribution,
  Explanation,
  GradientStep,
  PullbackStep,
} from "./explanation.ts";
import { shareOfPart } from "./part-of-cell.ts";
import { jsonScalar, type JsonScalar } from "../../host/json.ts";
import type { ElementType } from "../../scalar/types.ts";

interface ExplanationJson {
  readonly ledger: readonly object[];
  readonly steps: readonly object[];
  /** The inputs that have drawn values. */
  readonly drawn: readonly string[];
  readonly source: string;
}

export function explanationJson(explanations: readonly Explanation[]): ExplanationJson {
  const pairs = explanations.flatMap((explanation) =>
    explanation.gradients.flatMap((gradient) =>
      gradient.pullbacks.map((pullback, part) => ({ explanation, gradient, pullback, part })),
    ),
  );
  return {
    ledger: pairs.map(({ explanation, gradient, pullback, part }) => ({
      ...requestAndPart(explanation, gradient, part),
      ...ledgerEntry(gradient, pullback),
    })),
    steps: pairs.map(({ explanation, gradient, pullback, part }) => ({
      ...requestAndPart(explanation, gradient, part),
      ...stepEntry(gradient, pullback, part),
    })),
    drawn: [...new Set(explanations.flatMap(({ drawn }) => drawn))],
    source: explanations.map(({ source }) => source).join("\n"),
  };
}

/** The request of a step, and the number of its part among the parts that are added up. */
function requestAndPart(
  { request }: Explanation,
  { pullbacks, expression }: GradientStep,
  part: number,
): object {
  return {
    request,
    part,
    parts: pullbacks.length,
    ...(expression === undefined ? {} : { expression }),
  };
}

function ledgerEntry({ value, gradient }: GradientStep, { forward, ledger }: PullbackStep): object {
  return {
    of: forward.output,
    wrt: value,
    gradient,
    forward: forward.text,
    line: forward.line ?? null,
    ...ledger,
  };
}

function stepEntry(
  { value, gradient, lines, cell }: GradientStep,
  pullback: PullbackStep,
  part: number,
): object {
  const { forward, hold, cells, incoming, local, bindings, over, sum } = pullback;
  return {
    of: forward.output,
    wrt: value,
    gradient,
    hold,
    cells: cells.cell,
    every: cells.every,
    where: cells.where,
    incoming: incoming ?? "1",
    local: local ?? "1",
    bindings,
    over,
    sum,
    lines,
    ...(cell ? { cell: cellEntry(cell, part) } : {}),
  };
}

/** `value` is the sum of the listed contributions. `total` is the cell with all its parts. */
function cellEntry(cell: CellAccount, part: number): object {
  const { type, position } = cell;
  const { contributions, value } = shareOfPart(cell, part);
  return {
    position,
    contributions: contributions.map((contribution) => contributionEntry(type, contribution)),
    value: jsonScalar(type, value),
    total: jsonScalar(type, cell.value),
  };
}

function contributionEntry(
  type: ElementType,
  { cell, position, incoming, local, value }: Contribution,
): object {
  const factor = (of: Contribution["local"]): { text: string; value: JsonScalar } =>
    of ? { text: of.text, value: jsonScalar(type, of.value) } : { text: "1", value: 1 };
  return {
    cell,
    position,
    incoming: factor(incoming),
    local: factor(local),
    value: jsonScalar(type, value),
  };
}
