// The gradient of products over rows that data bounds. Each row is visited once, from its last
// factor to its first one:
//
//    back(q, behind, t…) = back(q - 1, behind·f(q), t… + behind·before[q]·∂f(q))
//    behind the last factor stands the gradient of the row
//
// The product before each factor was held by the product itself (sparse-products.ts). The product
// behind it is known when the walk reaches it. Contributions to a tensor are added by place, for
// all rows.

import { ofVariable, plus } from "../../affine/term.ts";
import { compared } from "../../ir/integers.ts";
import type { Outcome } from "../../analyse/opposite.ts";
import { isOfCoordinates } from "../../ir/parts.ts";
import type { Clause, Definition, Invocation, Scalar, ScalarFunction } from "../../ir/program.ts";
import type { FloatType } from "../../scalar/types.ts";
import { instantiate, integerScalar, atIndices } from "../../ir/substitute.ts";
import { flattened } from "../transpose/box.ts";
import { asType } from "../sweep/cells.ts";
import { placeOf } from "../data/cotangents.ts";
import { boxOf, named, newParameter, valueOf, whereAll } from "../data/frames.ts";
import { tangentType } from "../legality/handed-on.ts";
import { noTotal } from "../data/kept-data.ts";
import { linearize, type Coefficient } from "../scalar/linearize.ts";
import { typeOf } from "./other-factors.ts";
import { algebraOf, productScalar, withQuotients } from "../scalar/products.ts";
import { totalType } from "../data/pullbacks.ts";
import { keptRows, type Rows } from "./sparse-products.ts";
import { isStepGraph } from "../requests/step-graph.ts";
import type { Adjoint, Sweep } from "../sweep/sweep.ts";
import { addedByCalls, allCells, goingOn } from "../data/totals.ts";
import { dataCall } from "../../ir/simple-scalars.ts";

/**
 * The totals for some tensors, as one value. `undefined` if rows cannot be visited one after
 * another: inside the step of a recurrence, or if data chooses the cell of a factor.
 */
export function rowTotals(
  sweep: Sweep,
  definition: Definition,
  kept: Clause,
  adjoint: Adjoint | undefined,
  targets: readonly Definition[],
): Definition | undefined {
  const rows = keptRows(definition, kept);
  // An `else` value may send contributions, too, and a scalar that all rows share is summed like
  // any other.
  const isByPlace =
    targets.every(({ axes }) => axes.length > 0) &&
    (!kept.otherwise || isOfCoordinates(kept.otherwise));
  const isAlone =
    sweep.lanes.length === 0 && !sweep.recurrence.includes(definition) && !isStepGraph(sweep.graph);
  if (!rows || !isByPlace || !isAlone || !flattened(rows.loops)) return undefined;
  const { variesFor, stopsFor } = sweep.activity;
  const { coefficients } = linearize(rows.factor, variesFor(definition), stopsFor(definition));
  if (coefficients.some(({ over }) => over)) return undefined;
  const type = typeOf(definition);
  const { span } = kept;
  const visitBackward = backwardFunction(definition, rows, type, coefficients, targets);
  const clause = { loops: rows.loops, guards: rows.guards, span };
  const behind = addedByCalls(clause, type, adjoint, (cell, incoming, before) => {
    const by = atIndices(rows.loops, cell);
    const ends = [rows.high, rows.low].map((bound) => instantiate(bound, by));
    return { function: visitBackward, arguments: [...cell, ...ends, incoming, ...before], span };
  });
  const none = targets.map(noTotal);
  const { name } = definition;
  const found =
    rows.loops.length === 0
      ? behind([], [], none)
      : allCells({ name, needs: visitBackward.needs }, clause, [], none, behind);
  const body: Clause["body"] = { kind: "map", value: boxOf(found) };
  return sweep.define(`${name}_totals`, "data", [], [{ loops: [], guards: [], body, span }], span);
}

/**
 * A function that sends the contributions of one factor, and then those of the factors before it.
 */
function backwardFunction(
  definition: Definition,
  rows: Rows,
  type: FloatType,
  coefficients: readonly Coefficient[],
  targets: readonly Definition[],
): ScalarFunction {
  const { span } = definition;
  const around = rows.loops.map((loop) => newParameter(loop.variable.name, "i32"));
  const [q, end, behind] = [
    newParameter("q", "i32"),
    newParameter("end", "i32"),
    newParameter("behind", type),
  ];
  const totals = targets.map((target) => newParameter(`d_${target.name}`, totalType(target)));
  const back: ScalarFunction = {
    name: definition.name,
    parameters: [...around, q, end, behind, ...totals],
    results: [],
    needs: new Set(definition.needs),
    rounds: { loops: rows.factors, guards: [] },
    span,
  };
  const position = plus(ofVariable(q.variable), -1);
  const by = atIndices(rows.loops, around.map(valueOf));
  for (const [k, at] of rows.at(position).entries())
    by.set(rows.factors[k]!.variable, integerScalar(at));
  const here = integerScalar(position);
  const algebra = algebraOf(type, span);
  const counts = rows.filters.map((guard): Outcome => ({
    value: named("counts", instantiate(guard, by)),
    holds: true,
  }));
  const factor = named("factor", instantiate(rows.again(here), by));
  const others = named(
    "others",
    algebra.apply("multiply", valueOf(behind), instantiate(rows.before(here), by)),
  );
  const totalsAfter = targets.map((target, k) => {
    const own = coefficients.filter(({ read }) => read.definition === target);
    return own.reduce((total: Scalar, { read, product, conditions }) => {
      const tangent = tangentType(target);
      const factors = [others, ...product.factors.map((each) => asType(each, type))];
      const sent = asType(
        instantiate(productScalar(withQuotients({ ...product, factors }), type, span), by),
        tangent,
      );
      const under = conditions.map(({ value, holds }): Outcome => ({
        value: instantiate(value, by),
        holds,
      }));
      const place = read.indices.map((index) => instantiate(index, by));
      const extents = target.axes.map((axis) => integerScalar(axis.extent));
      const more = dataCall("add", [total, placeOf(place, extents, span), sent], "data");
      return named("total", whereAll([...counts, ...under], more, total));
    }, valueOf(totals[k]!));
  });
  const running = whereAll(
    counts,
    algebra.apply("multiply", valueOf(behind), factor),
    valueOf(behind),
  );
  const nextRound: Invocation = {
    function: back,
    arguments: [...around.map(valueOf), here, valueOf(end), running, ...totalsAfter],
    span,
  };
  const condition = compared("less", valueOf(end), valueOf(q), span);
  back.results = goingOn(totals, condition, nextRound);
  return back;
}
