// Splitting contractions (split-contractions.ts) and long expressions (split-expressions.ts) before they are differentiated, once somebody has brought
// that: a page loads it for derivatives through what may have to be split.

import { eachScalar } from "../ir/parts.ts";
import type { Definition, Scalar } from "../ir/program.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { PartMissing } from "../part-missing.ts";
import type * as contractions from "./split-contractions.ts";
import type * as expressions from "./split-expressions.ts";
import type { Workshop } from "./sweep.ts";

export type Splits = Pick<typeof contractions, "splitContractions"> & Pick<typeof expressions, "splitExpressions">;

let brought: Splits | undefined;

export function bringSplits(all: Splits): void {
  brought = all;
}

/** Nothing where nobody has brought it: what is only to be read may stay whole. */
export function broughtSplits(): Partial<Splits> {
  return brought ?? {};
}

export const splitBroughtContractions: NonNullable<Workshop["splitContractions"]> = (definition, define) => {
  const isLarge = ({ body }: Definition["clauses"][number]): boolean =>
    body.kind === "reduce" && body.reduction === "sum" && countsOf(body.value, () => true).numbers > 2;
  if (!brought && definition.clauses.some(isLarge)) throw new PartMissing("derivatives");
  brought?.splitContractions(definition, define);
};

export const splitBroughtExpressions: NonNullable<Workshop["splitExpressions"]> = (definition, around, define) => {
  if (!brought && definition.clauses.some(({ body }) => isLong(body.value, around.varies)))
    throw new PartMissing("derivatives");
  brought?.splitExpressions(definition, around, define);
};

/** Several numbers that vary, joined by several operations: fewer have derivatives that share little. Those of calls are functions. */
export function isLong(value: Scalar, varies: (definition: Definition) => boolean): boolean {
  const { operations, numbers, calls } = countsOf(value, varies);
  return operations > 2 && numbers > 2 && calls === 0;
}

function countsOf(
  value: Scalar,
  varies: (definition: Definition) => boolean,
): { readonly operations: number; readonly numbers: number; readonly calls: number } {
  const counts = { operations: 0, numbers: 0, calls: 0 };
  eachScalar(value, (part) => {
    if (part.kind === "apply" && isFloat(part.type)) counts.operations++;
    if (part.kind === "read" && varies(part.definition)) counts.numbers++;
    if (part.kind === "call" || part.kind === "data") counts.calls++;
  });
  return counts;
}
