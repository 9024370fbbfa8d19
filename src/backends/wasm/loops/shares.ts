// A logsumexp and the shares of its terms: what is subtracted, the exponentials where the shares
// will be, added up, and divided by their sum.

import { ofVariable } from "../../../affine/term.ts";
import type { Local, Scalar } from "../../../ir/program.ts";
import type { OperationName } from "../../../scalar/operations.ts";
import { instantiate, integerScalar } from "../../../ir/substitute.ts";
import { freshVariable, type Reduced, type Side } from "../../../plan/regions/regions.ts";
import { withoutWidening, inType } from "../../../plan/narrow.ts";
import type { Shares } from "../../../plan/reductions/shares.ts";
import { branch } from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import { emitMap, type Piece } from "../code/maps.ts";
import { emitPasses, loopOf, sideOf, type Line, type Step } from "../rows/passes.ts";
import { emitValue } from "../code/scalars.ts";
import { overSides } from "./sides.ts";
import { store } from "../code/stores.ts";

/** Cell by cell. */
export function emitWithShares(
  kernel: Kernel,
  piece: Piece,
  shares: Shares,
  free: readonly Side[],
): void {
  const line = { variable: freshVariable("term"), length: shares.shape.at(-1)! };
  overSides(kernel, free, () =>
    emitPasses(kernel, line, stepsOfShares(kernel, piece, shares, line)),
  );
}

/**
 * One cell: the greatest term, the exponentials of the differences to it, their sum, and what each
 * of them is of it.
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
  const position = integerScalar(ofVariable(line.variable));
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
  const part: Scalar = {
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
        store(kernel, sized, indices, emitValue(kernel, only.value));
        // Where the greatest is not finite, a share of the sum is not what the difference to its
        // logarithm gives.
        const difference = apply("subtract", greatest.body.value, only.value);
        branch(
          kernel.emitter,
          emitValue(kernel, isFinite),
          () => undefined,
          () => emitMap(kernel, written(apply("exp", difference)), [sideOf(line)]),
        );
      },
    },
    { kind: "cells", piece: written(apply("multiply", share, part)) },
  ];
}

/**
 * A reduction of one loop with its terms along a line; results of the others stay what they are
 * bound to.
 */
export function alongLine(
  { name, body }: Reduced,
  others: readonly Reduced[],
  line: Line,
): Reduced {
  const names = new Map<Local, Local>(others.map((each) => [each.name, each.name]));
  const by = new Map([[body.loops[0]!.variable, integerScalar(ofVariable(line.variable))]]);
  const own = (scalar: Scalar): Scalar => instantiate(scalar, by, names);
  return {
    name,
    body: { ...body, loops: [loopOf(line)], guards: body.guards.map(own), value: own(body.value) },
  };
}
