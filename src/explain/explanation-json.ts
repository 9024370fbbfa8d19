// Explanations as JSON: one ledger entry and one entry of steps for each read that a gradient comes through.

import type { CellAccount, Contribution, Explanation, GradientStep, PullbackStep } from "./explanation.ts";
import { jsonScalar, type JsonScalar } from "../host/json.ts";
import type { ElementType } from "../ir/scalar/types.ts";

export interface ExplanationJson {
  readonly ledger: readonly object[];
  readonly steps: readonly object[];
  readonly source: string;
}

export function explanationJson(explanations: readonly Explanation[]): ExplanationJson {
  const pairs = explanations.flatMap((explanation) =>
    explanation.gradients.flatMap((gradient) =>
      gradient.pullbacks.map((pullback, part) => ({ explanation, gradient, pullback, part })),
    ),
  );
  return {
    ledger: pairs.map(({ gradient, pullback }) => ledgerEntry(gradient, pullback)),
    steps: pairs.map(({ gradient, pullback, part }) => stepEntry(gradient, pullback, part)),
    source: explanations.map(({ source }) => source).join("\n"),
  };
}

function ledgerEntry({ value, gradient }: GradientStep, { forward, ledger }: PullbackStep): object {
  return { of: forward.output, wrt: value, gradient, forward: forward.text, line: forward.line ?? null, ...ledger };
}

function stepEntry({ value, gradient, lines, cell }: GradientStep, pullback: PullbackStep, part: number): object {
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

function cellEntry({ type, position, contributions, value }: CellAccount, part: number): object {
  return {
    position,
    contributions: contributions
      .filter(({ through }) => through === part)
      .map((contribution) => contributionEntry(type, contribution)),
    value: jsonScalar(type, value),
  };
}

function contributionEntry(type: ElementType, { cell, position, incoming, local, value }: Contribution): object {
  const factor = (of: Contribution["local"]): { text: string; value: JsonScalar } =>
    of ? { text: of.text, value: jsonScalar(type, of.value) } : { text: "1", value: 1 };
  return { cell, position, incoming: factor(incoming), local: factor(local), value: jsonScalar(type, value) };
}
