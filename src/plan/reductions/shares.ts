// Computes a logsumexp and the shares of its terms together, with one exponential for each cell.
// The shares are a softmax.
//
//   l[r] = logsumexp[j](x[r, j]),  p[r, j] = exp(x[r, j] - l[r])   becomes
//   e[j] = exp(x[r, j] - m),  s = Σ e,  l[r] = m + log s,  p[r, j] = e[j] / s

import { isOff } from "../../ir/rewrites.ts";
import { constantOf, type Term, type Variable } from "../../affine/term.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { instantiate, coordinateScalar } from "../../ir/substitute.ts";
import type { Sized } from "../regions/regions.ts";
import { noted } from "../rules.ts";
import { isSameScalar, isVariable } from "../same.ts";
import { withoutLocals } from "../../ir/parts.ts";

type Sizes = (term: Term) => number;

/** Where the shares are written; the last coordinate is that of the terms. */
export type Shares = Pick<Sized, "definition" | "element" | "shape">;

/**
 * The logsumexp whose shares a map computes. The map must define all its cells. `undefined` for any
 * other map.
 */
export function logsumexpOf(
  { loops, body }: Clause,
  clausesOf: (definition: Definition) => readonly Clause[],
  sizes: Sizes,
): Definition | undefined {
  const value = withoutLocals(body.value);
  if (isOff("shares")) return undefined;
  if (body.kind !== "map" || value.kind !== "apply" || value.operation !== "exp") return undefined;
  const difference = withoutLocals(value.operands[0]!);
  if (difference.kind !== "apply" || difference.operation !== "subtract") return undefined;
  const [term, total] = difference.operands.map(withoutLocals);
  if (
    total?.kind !== "read" ||
    total.type !== value.type ||
    total.definition.element !== value.type
  )
    return undefined;
  const [only, ...more] = clausesOf(total.definition);
  if (!only || more.length > 0 || only.guards.length > 0 || only.body.kind !== "reduce")
    return undefined;
  const { reduction, loops: reduced, guards, value: x } = only.body;
  const [inner, ...others] = reduced;
  if (reduction !== "logsumexp" || !inner || others.length > 0 || guards.length > 0)
    return undefined;
  const [last, ...rows] = [loops.at(-1), ...loops.slice(0, -1)];
  if (!last || rows.length !== only.loops.length) return undefined;
  const isOwnRow = rows.every(({ variable }, axis) => {
    const index = total.indices[axis]!;
    return index.kind === "integer" && isVariable(index.term, variable);
  });
  const startsAtZero = [inner, last].every(
    ({ from }) => from.kind === "integer" && constantOf(from.term) === 0,
  );
  if (!isOwnRow || !startsAtZero || lengthFromZero(inner, sizes) !== lengthFromZero(last, sizes))
    return undefined;
  const renamed = new Map<Variable, Scalar>(
    [...only.loops, inner].map(({ variable }, k) => [variable, coordinateScalar(loops[k]!)]),
  );
  return isSameScalar(instantiate(x, renamed), term!) ? total.definition : undefined;
}

function lengthFromZero({ to }: Loop, sizes: Sizes): number {
  return to.kind === "integer" ? sizes(to.term) : NaN;
}

/**
 * Makes a logsumexp also compute the shares. Leaves it unchanged where its cells are computed in a
 * special way, for example by a scan.
 */
export function withShares(sized: Sized, shares: Shares): Sized {
  const [region, ...others] = sized.regions;
  const [only, ...more] = region?.cases ?? [];
  const isSingleLogsumexp =
    others.length === 0 && more.length === 0 && only?.reductions.length === 2;
  if (!isSingleLogsumexp || region?.scan || region?.scatters || sized.contractions) return sized;
  if (!only.reductions.every(({ body }) => body.loops.length === 1 && body.guards.length === 0))
    return sized;
  noted("shares", (names) => `with ${names.definition(shares.definition)}`, sized.definition);
  return { ...sized, shares };
}
