// How scalars move with the cells of a tensor around functions: a number for each cell, in totals
// by place, which a loop over the cells makes.
//
//   moved = all(x…, 0, [])
//   all(x…, k, t) = if k < n { all(x…, k + 1, t with ∂y/∂w[k] at place k) } else { t }
//
// Where the parameters x move with the tensor too, their own totals are among what the scalar may
// speak of, and the k-th number of each is its tangent.

import { ofVariable, plus, zero, type Variable } from "../../../affine/term.ts";
import { compared } from "../../../ir/integers.ts";
import type {
  Definition,
  Invocation,
  Parameter,
  Scalar,
  ScalarFunction,
} from "../../../ir/program.ts";
import { integerScalar } from "../../../ir/substitute.ts";
import type { Span } from "../../../base/source.ts";
import { flattened } from "../../transpose/box.ts";
import { wholeLoops } from "../../sweep/cells.ts";
import { newParameter, nothing, valueOf } from "../frames.ts";
import { dualOf } from "../functions.ts";
import { movingCell, type Others } from "./moving-tensors.ts";
import { dataCall } from "../../../ir/simple-scalars.ts";

/** What a scalar may speak of, and the totals that some of it has. */
interface Scope {
  readonly parameters: readonly Parameter[];
  readonly totals: ReadonlyMap<Parameter, Parameter>;
}

/** How a scalar moves with each cell of a tensor; nothing where it stays. */
export function movedByCells(
  scalar: Scalar,
  tensor: Definition,
  others: Others,
  { parameters, totals }: Scope,
  span: Span,
): Scalar | undefined {
  const tangents = new Map(
    [...totals.keys()].map((each) => [each, newParameter(`d_${each.name}`, each.type)]),
  );
  const at = tensor.axes.map((axis, k) => newParameter(`at_${axis.name ?? k}`, "i32"));
  const byVariable = new Map(
    [...tangents].map(([{ variable }, tangent]): [Variable, Parameter] => [variable, tangent]),
  );
  const { tangent } = dualOf(byVariable, movingCell(tensor, at.map(valueOf), others), span)(scalar);
  if (!tangent) return undefined;
  const moved: ScalarFunction = {
    name: "moved",
    parameters: [...parameters, ...tangents.values(), ...at],
    results: [tangent],
    needs: new Set(),
    span,
  };
  const [done, total] = [newParameter("done", "i32"), newParameter("total", "data")];
  const loops = wholeLoops(tensor);
  const { size, at: cellAt } = flattened(loops)!;
  const position = ofVariable(done.variable);
  const own = parameters.map(valueOf);
  const numbers = [...totals].map(([{ type }, each]) =>
    dataCall("total", [valueOf(each), valueOf(done)], type),
  );
  const move: Scalar = {
    kind: "call",
    type: tangent.type,
    invocation: {
      function: moved,
      arguments: [...own, ...numbers, ...cellAt(position).map(integerScalar)],
      span,
    },
    member: 0,
  };
  const all: ScalarFunction = {
    name: "all_moved",
    parameters: [...parameters, done, total],
    results: [],
    needs: new Set(),
    rounds: { loops, guards: [] },
    span,
  };
  const from = (round: Scalar, before: Scalar): Scalar => {
    const invocation: Invocation = { function: all, arguments: [...own, round, before], span };
    return { kind: "call", type: "data", invocation, member: 0 };
  };
  const after = dataCall("add", [valueOf(total), valueOf(done), move], "data");
  all.results = [
    {
      kind: "select",
      type: "data",
      condition: compared("less", valueOf(done), integerScalar(size), span),
      then: from(integerScalar(plus(position, 1)), after),
      otherwise: valueOf(total),
    },
  ];
  return from(integerScalar(zero), nothing);
}
