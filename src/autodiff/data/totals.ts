// Totals behind all cells: what the cells of a clause bring together in the tensors around them, in
// a loop that takes them one after another.
//
//   totals = all(0, t…)      all(k, t…) = all(k + 1, behind(u, t…)…),  u the k-th cell

import { ofVariable, plus, zero } from "../../affine/term.ts";
import { withoutImplied } from "../../analyse/implied.ts";
import { compared } from "../../ir/integers.ts";
import type {
  Clause,
  Definition,
  Invocation,
  Parameter,
  Scalar,
  ScalarFunction,
} from "../../ir/program.ts";
import type { FloatType } from "../../scalar/types.ts";
import { instantiate, integerScalar, atIndices, coordinateScalar } from "../../ir/substitute.ts";
import { flattened } from "../transpose/box.ts";
import { asType } from "../sweep/cells.ts";
import { placeOf } from "./cotangents.ts";
import { named, newParameter, partAt, valueOf, whereAll } from "./frames.ts";
import { tangentType } from "../legality/handed-on.ts";
import { algebraOf } from "../scalar/products.ts";
import { loopsFor, supportAt, type Adjoint, type Sweep } from "../sweep/sweep.ts";
import { dataCall } from "../../ir/simple-scalars.ts";

/** The totals with what one cell adds to those before it. */
export type Behind = (
  lanes: readonly Scalar[],
  cell: readonly Scalar[],
  before: readonly Scalar[],
) => readonly Scalar[];

/** A call that adds what one cell sends back to the totals before it, given what comes in there. */
type CallAt = (cell: readonly Scalar[], incoming: Scalar, before: readonly Scalar[]) => Invocation;

/** The totals with what each cell adds by a call, where its guards hold and something comes in. */
export function addedByCalls(
  { loops, guards, span }: Pick<Clause, "loops" | "guards" | "span">,
  type: FloatType,
  adjoint: Adjoint | undefined,
  callAt: CallAt,
): Behind {
  return (lanes, cell, before) => {
    const by = atIndices(loops, cell);
    const indices = [...lanes, ...cell];
    const isGiven = adjoint && adjoint.constant === undefined;
    const incoming: Scalar = isGiven
      ? asType(
          {
            kind: "read",
            type: adjoint.definition.element,
            definition: adjoint.definition,
            indices,
            span,
          },
          type,
        )
      : { kind: "constant", type, value: adjoint?.constant ?? 1 };
    const algebra = algebraOf(type, span);
    const conditions = [
      ...guards.map((guard) => instantiate(guard, by)),
      ...(adjoint?.support ? supportAt(adjoint.support, indices) : []),
      ...(isGiven && adjoint.zeros !== "none"
        ? [algebra.apply("notEqual", incoming, algebra.number(0))]
        : []),
    ];
    const outcomes = withoutImplied(conditions).map((value) => ({
      value: named("counts", value),
      holds: true,
    }));
    const invocation = callAt(cell, incoming, before);
    return before.map((total, member) =>
      whereAll(outcomes, { kind: "call", type: total.type, invocation, member }, total),
    );
  };
}

/** The totals behind all cells, beginning with those of nothing. */
export function allCells(
  { name, needs }: Pick<ScalarFunction, "name" | "needs">,
  { loops, guards, span }: Pick<Clause, "loops" | "guards" | "span">,
  lanes: readonly Scalar[],
  none: readonly Scalar[],
  behind: Behind,
): readonly Scalar[] {
  const { size, at } = flattened(loops)!;
  const around = lanes.map((_, k) => newParameter(`lane_${k}`, "i32"));
  const done = newParameter("done", "i32");
  const totals = none.map(({ type }, k) => newParameter(`total_${k}`, type));
  const parameters = [...around, done, ...totals];
  const rounds = { loops, guards };
  const all: ScalarFunction = { name, parameters, results: [], needs, rounds, span };
  const position = ofVariable(done.variable);
  const after = behind(around.map(valueOf), at(position).map(integerScalar), totals.map(valueOf));
  const again = {
    function: all,
    arguments: [...around.map(valueOf), integerScalar(plus(position, 1)), ...after],
    span,
  };
  const condition = compared("less", valueOf(done), integerScalar(size), span);
  all.results = goingOn(totals, condition, again);
  const invocation = { function: all, arguments: [...lanes, integerScalar(zero), ...none], span };
  return totals.map(({ type }, member) => ({ kind: "call", type, invocation, member }));
}

/**
 * What a round of a loop gives: the totals of the rounds behind it, as long as a condition holds,
 * and then those that have come together.
 */
export function goingOn(
  totals: readonly Parameter[],
  condition: Scalar,
  again: Invocation,
): readonly Scalar[] {
  return totals.map((total, member) => ({
    kind: "select",
    type: total.type,
    condition,
    then: { kind: "call", type: total.type, invocation: again, member },
    otherwise: valueOf(total),
  }));
}

/** The adjoint of a tensor, from the k-th of some totals. */
export function fromTotals(
  sweep: Sweep,
  target: Definition,
  definition: Definition,
  k: number,
): Clause {
  const { span } = target;
  const loops = loopsFor(sweep, target);
  const lanes = loops.slice(0, sweep.lanes.length).map(coordinateScalar);
  const cell = loops.slice(sweep.lanes.length).map(coordinateScalar);
  const totals: Scalar = { kind: "read", type: "data", definition, indices: lanes, span };
  const type = tangentType(target);
  const value =
    cell.length === 0 ? partAt(totals, k, type) : totalAt(partAt(totals, k, "data"), target, cell);
  return { loops, guards: [], body: { kind: "map", value }, span };
}

/** What has come together for one cell of a tensor. */
export function totalAt(totals: Scalar, target: Definition, cell: readonly Scalar[]): Scalar {
  const extents = target.axes.map((axis) => integerScalar(axis.extent));
  return dataCall("total", [totals, placeOf(cell, extents, target.span)], tangentType(target));
}
