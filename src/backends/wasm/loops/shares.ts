// Emits a logsumexp together with the shares of its terms:
//
//   m = max x,  e[j] = exp(x[j] - m) in the cells of the shares,  s = Σ e,
//   l = m + log s,  p[j] = e[j] / s

import type { Local, Scalar } from "../../../ir/program.ts";
import type { OperationName } from "../../../scalar/operations.ts";
import { instantiate, coordinateScalar } from "../../../ir/substitute.ts";
import { freshVariable, type Reduced, type Side } from "../../../plan/regions/regions.ts";
import { withoutWidening, inType } from "../../../plan/narrow.ts";
import type { Shares } from "../../../plan/reductions/shares.ts";
import { branch } from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import { emitMap, type Piece } from "../code/maps.ts";
import { emitPasses, loopOf, sideOf, type Line, type Step } from "../rows/passes.ts";
import { emitValue } from "../code/scalars.ts";
import { emitOverSides } from "./sides.ts";
import { emitStore } from "../code/stores.ts";

/** Emits all cells, one after the other. */
export function emitWithShares(
  kernel: Kernel,
  piece: Piece,
  shares: Shares,
  free: readonly Side[],
): void {
  const line = { variable: freshVariable("term"), length: shares.shape.at(-1)! };
  emitOverSides(kernel, free, () =>
    emitPasses(kernel, line, stepsOfShares(kernel, piece, shares, line)),
  );
}

/**
 * The passes for one cell: the greatest term, the exponentials of the differences from it, their
 * sum, and the quotients.
 */
export function stepsOfShares(
  kernel: Kernel,
  { sized, indices, only }: Piece,
  shares: Shares,
  line: Line,
): readonly Step[] {
  const [greatest, sum] = only.reductions.map((reduced) =>
    alongLine(reduced, only.reductions, line),
  ) as [Reduced, Reduced];
  const { element } = shares;
  const { span } = sum.body;
  const number = (value: number): Scalar => ({ kind: "constant", type: element, value });
  const apply = (operation: OperationName, ...operands: readonly Scalar[]): Scalar => ({
    kind: "apply",
    type: operation === "less" ? "bool" : element,
    within: element,
    operation,
    operands,
    span,
  });
  const position = coordinateScalar(line);
  const share: Scalar = {
    kind: "read",
    type: element,
    definition: shares.definition,
    indices: [...indices, position],
    span,
  };
  const written = (value: Scalar): Piece => ({
    sized: { ...shares, regions: [] },
    indices: [...indices, position],
    only: { guards: [], reductions: [], value },
  });
  const { type } = sum.body.value;
  const m: Scalar = { kind: "local", type: element, local: greatest.name };
  const s = inType(element, { kind: "local", type, local: sum.name });
  const isFinite = apply("less", apply("abs", m), number(Infinity));
  const factor: Scalar = {
    kind: "select",
    type: element,
    condition: isFinite,
    then: apply("divide", number(1), s),
    otherwise: number(1),
  };
  return [
    { kind: "sum", sum: greatest },
    { kind: "cells", piece: written(withoutWidening(sum.body.value)) },
    { kind: "sum", sum: { name: sum.name, body: { ...sum.body, value: inType(type, share) } } },
    {
      kind: "once",
      definition: sized.definition,
      reads: [only.value, greatest.body.value],
      emit() {
        emitStore(kernel, sized, indices, emitValue(kernel, only.value));
        // If the greatest term is not finite, the share is not e[j] / s. It is computed from the
        // logarithm, as exp(x[j] - l).
        const difference = apply("subtract", greatest.body.value, only.value);
        branch(
          kernel.emitter,
          emitValue(kernel, isFinite),
          () => undefined,
          () => emitMap(kernel, written(apply("exp", difference)), [sideOf(line)]),
        );
      },
    },
    { kind: "cells", piece: written(apply("multiply", share, factor)) },
  ];
}

/**
 * A reduction of one loop, rewritten to walk along a line. The results of other reductions keep
 * their names.
 */
export function alongLine(
  { name, body }: Reduced,
  others: readonly Reduced[],
  line: Line,
): Reduced {
  const names = new Map<Local, Local>(others.map((each) => [each.name, each.name]));
  const renaming = new Map([[body.loops[0]!.variable, coordinateScalar(line)]]);
  const renamed = (scalar: Scalar): Scalar => instantiate(scalar, renaming, names);
  return {
    name,
    body: {
      ...body,
      loops: [loopOf(line)],
      guards: body.guards.map(renamed),
      value: renamed(body.value),
    },
  };
}
