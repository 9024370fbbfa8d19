// Equality of tuples, structs, enums and lists: part by part, down to scalars and texts.
//
//   (a, [b, c]) == (d, [e, f])      a == d && b == e && c == f

import { integerValue } from "./integer-value.ts";
import type { Span } from "../../base/source.ts";
import { ofVariable, zero } from "../../affine/term.ts";
import { sameExtent } from "../statements/agree.ts";
import { completed } from "../types/completed.ts";
import { both, decidedBy, knownNumber, truth } from "../expressions/conditions.ts";
import { notBuilt, refuse, type Place } from "../context.ts";
import { apply } from "../expressions/operators.ts";
import { sameText } from "../expressions/strings.ts";
import { boxedIn, holdsFunctions, membersOf } from "./tuples.ts";
import type { Typed } from "../types/typed.ts";
import { isScalar, scalar, showType, type Axis, type TensorType, isText } from "../types/types.ts";
import { sameType } from "../types/same-type.ts";
import { readAt } from "../ranges/reads.ts";
import { binderAlong } from "../ranges/ranges.ts";

/** `left == right` for two values that are made of parts. */
export function compareParts(place: Place, left: Typed, right: Typed, span: Span): Typed {
  if (!sameType(place, left.type, right.type)) {
    const [a, b] = [showType(left.type), showType(right.type)];
    return refuse(place, "E0401", `\`==\` cannot compare ${a} and ${b}`, span, {
      labels: [
        { span: left.span, text: `this is ${a}` },
        { span: right.span, text: `this is ${b}` },
      ],
    });
  }
  const [a, b] = [completed(place, left, right.type), completed(place, right, left.type)];
  return compareValues(place, a, b, span);
}

/** How two cells are compared. */
type CellComparison = (left: Typed, right: Typed) => Typed;

/** Whether two tensors have equal extents and equal cells. */
function compareTensors(
  place: Place,
  left: Typed,
  right: Typed,
  span: Span,
  compareCell: CellComparison,
): Typed {
  const { axes } = left.type as TensorType;
  const others = (right.type as TensorType).axes;
  const isAsLong = axes.flatMap(({ extent = zero }, k): readonly Typed[] => {
    const other = others[k]!.extent ?? zero;
    if (sameExtent(place.checker, extent, other) === "true") return [];
    return [apply(place, "equal", [integerValue(extent, span), integerValue(other, span)], span)];
  });
  return isAsLong.reduceRight<Typed>(
    (then, condition) => decidedBy(condition, then, truth(false, span)),
    compareCells(place, left, right, axes, span, compareCell),
  );
}

/** Whether two tensors of one shape have equal cells. */
function compareCells(
  place: Place,
  left: Typed,
  right: Typed,
  axes: readonly Axis[],
  span: Span,
  compareCell: CellComparison,
): Typed {
  const binders = axes.map((axis) => binderAlong(axis, span));
  const indices = binders.map(({ variable }) => integerValue(ofVariable(variable), span));
  const cell = (of: Typed): Typed =>
    readAt(
      place,
      of,
      indices,
      span,
      indices.map(() => span),
    );
  const body = compareCell(cell(left), cell(right));
  if (body.kind === "wrong") return body;
  return { kind: "reduce", reduction: "all", binders, items: [], body, type: scalar("bool"), span };
}

function compareValues(place: Place, left: Typed, right: Typed, span: Span): Typed {
  // Two values of one variant both have its payload. The payloads of other variants are zeros in
  // both.
  if (left.type.kind === "absent" || right.type.kind === "absent") return truth(true, span);
  if (isText(left.type)) return sameText(place, left, right, span);
  if (left.type.kind === "tensor") {
    if (left.type.axes.length > 0)
      return compareTensors(place, left, right, span, (a, b) =>
        apply(place, "equal", [a, b], span),
      );
    const [a, b] = [knownNumber(place.checker, left), knownNumber(place.checker, right)];
    return a !== undefined && b !== undefined
      ? truth(a === b, span)
      : apply(place, "equal", [left, right], span);
  }
  const [one, other] = [boxedIn(left), boxedIn(right)];
  if (one && other) {
    const { layout } = one.form;
    const same = (a: Typed, b: Typed): Typed => {
      return {
        kind: "data",
        function: "same",
        operands: [a, b],
        member: 0,
        layout,
        type: scalar("bool"),
        span,
      };
    };
    return isScalar(one.box.type)
      ? same(one.box, other.box)
      : compareTensors(place, one.box, other.box, span, same);
  }
  const [a, b] = [membersOf(left), membersOf(right)];
  if (holdsFunctions(left)) {
    return refuse(place, "E0401", "functions cannot be compared", span, {
      help: "compare what they give: `f(x) == g(x)`",
    });
  }
  if (!a || !b) return notBuilt(place, `comparing ${showType(left.type)}`, span);
  let condition = truth(true, span);
  for (const [k, member] of a.entries()) {
    condition = both(condition, compareValues(place, member, b[k]!, span));
    // The tag of an enum comes first. If the tags differ, the payloads need no comparison.
    if (condition.kind === "wrong" || (condition.kind === "constant" && condition.value === false))
      break;
  }
  return condition;
}
