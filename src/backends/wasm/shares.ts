// A logsumexp with the shares of its terms: the exponentials are written where the shares will be, added up, and divided by their sum.

import { constant, ofVariable } from "../../ir/affine/term.ts";
import type { Scalar } from "../../ir/program.ts";
import { integerScalar } from "../../ir/substitute.ts";
import type { OperationName } from "../../ir/scalar/operations.ts";
import { freshVariable, type Reduced, type Side } from "../../optimise/regions.ts";
import type { Shares } from "../../optimise/shares.ts";
import { instantiate } from "../../ir/substitute.ts";
import { branch } from "./emitter.ts";
import type { Kernel } from "./kernel.ts";
import { emitMap, reduceCell, type Piece } from "./maps.ts";
import { emitValue } from "./scalars.ts";
import { overSides } from "./sides.ts";
import { store } from "./stores.ts";

/** Cell by cell: the greatest term, the exponentials of the differences to it, their sum, and what each of them is of it. */
export function emitWithShares(
  kernel: Kernel,
  { sized, indices, only }: Piece,
  shares: Shares,
  free: readonly Side[],
): void {
  const [greatest, sum] = only.reductions as readonly [Reduced, Reduced];
  const { element } = shares;
  const { span } = sum.body;
  const length = shares.shape.at(-1)!;
  const number = (value: number): Scalar => ({ kind: "constant", type: element, value });
  const apply = (operation: OperationName, ...operands: readonly Scalar[]): Scalar => ({
    kind: "apply",
    type: operation === "less" ? "bool" : element,
    within: element,
    operation,
    operands,
    span,
  });
  const share = (at: Scalar): Scalar => ({
    kind: "read",
    type: element,
    definition: shares.definition,
    indices: [...indices, at],
    span,
  });
  /** Writes something at every position of the terms. */
  const writeAll = (value: (at: Scalar) => Scalar): void => {
    const side: Side = { variable: freshVariable("term"), from: 0, to: length };
    const at = integerScalar(ofVariable(side.variable));
    const piece: Piece = {
      sized: { ...shares, regions: [] },
      indices: [...indices, at],
      only: { guards: [], reductions: [], value: value(at) },
    };
    emitMap(kernel, piece, [side]);
  };
  const { variable } = sum.body.loops[0]!;
  const termAt = (at: Scalar): Scalar => instantiate(sum.body.value, new Map([[variable, at]]), kept(greatest));
  const terms = { ...sum.body.loops[0]!, from: integerScalar(constant(0)), to: integerScalar(constant(length)) };
  const total: Reduced = {
    name: sum.name,
    body: { ...sum.body, loops: [terms], value: share(integerScalar(ofVariable(variable))) },
  };
  const [m, s]: readonly Scalar[] = [greatest, sum].map(({ name }) => ({ kind: "local", type: element, local: name }));
  overSides(kernel, free, () => {
    reduceCell(kernel, [greatest], sized.definition);
    writeAll(termAt);
    reduceCell(kernel, [total], sized.definition);
    store(kernel, sized, indices, emitValue(kernel, only.value));
    // Where the greatest is not finite, a share of the sum is not what the difference to its logarithm gives.
    const isFinite = emitValue(kernel, apply("less", apply("abs", m!), number(Infinity)));
    const part = apply("divide", number(1), s!);
    branch(
      kernel.emitter,
      isFinite,
      () => writeAll((at) => apply("multiply", share(at), part)),
      () => writeAll((at) => apply("exp", apply("subtract", differenceAt(at), only.value))),
    );
  });

  /** The term itself, without what is subtracted before its exponential is taken. */
  function differenceAt(at: Scalar): Scalar {
    return instantiate(greatest.body.value, new Map([[greatest.body.loops[0]!.variable, at]]));
  }
}

/** Results of reductions stay what they are bound to. */
function kept({ name }: Reduced): Map<Reduced["name"], Reduced["name"]> {
  return new Map([[name, name]]);
}
