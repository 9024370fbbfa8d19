// Whether two tuples, structs or enums are equal: part by part, down to scalars and texts.

import type { Span } from "../../base/source.ts";
import { ofVariable, zero, type Term } from "../../affine/term.ts";
import { sameExtent } from "../statements/agree.ts";
import { completed } from "../types/completed.ts";
import { both, decidedBy, knownNumber, truth } from "../expressions/conditions.ts";
import { notBuilt, refuse, type Place } from "../context.ts";
import { newBinder } from "../ranges/coordinates.ts";
import { apply } from "../expressions/operators.ts";
import { extentRange } from "../ranges/ranges.ts";
import { sameText } from "../expressions/strings.ts";
import { boxedIn, holdsFunctions, membersOf } from "./tuples.ts";
import type { Binder, Typed } from "../types/typed.ts";
import { isScalar, scalar, showType, type Axis, type TensorType, isText } from "../types/types.ts";
import { sameType } from "../types/same-type.ts";
import { readAt } from "../ranges/reads.ts";

export function sameParts(place: Place, left: Typed, right: Typed, span: Span): Typed {
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
  return equal(place, a, b, span);
}

/** Whether two cells are equal. */
type Compared = (left: Typed, right: Typed) => Typed;

/** Whether two tensors have one shape and are equal in every cell. */
function sameTensor(
  place: Place,
  left: Typed,
  right: Typed,
  span: Span,
  compared: Compared,
): Typed {
  const { axes } = left.type as TensorType;
  const others = (right.type as TensorType).axes;
  const isAsLong = axes.flatMap(({ extent = zero }, k): readonly Typed[] => {
    const other = others[k]!.extent ?? zero;
    if (sameExtent(place.checker, extent, other) === "true") return [];
    return [apply(place, "equal", [integer(extent, span), integer(other, span)], span)];
  });
  return isAsLong.reduceRight<Typed>(
    (then, condition) => decidedBy(condition, then, truth(false, span)),
    sameCells(place, left, right, axes, span, compared),
  );
}

function integer(term: Term, span: Span): Typed {
  return { kind: "integer", term, type: scalar("i32"), span };
}

/** Whether two tensors of one shape are equal in every cell. */
function sameCells(
  place: Place,
  left: Typed,
  right: Typed,
  axes: readonly Axis[],
  span: Span,
  compared: Compared,
): Typed {
  const binders = axes.map((axis): Binder => {
    const binder = newBinder(axis.name ?? "i", span, true);
    extentRange(binder, axis);
    return binder;
  });
  const indices = binders.map(({ variable }): Typed => ({
    kind: "integer",
    term: ofVariable(variable),
    type: scalar("i32"),
    span,
  }));
  const cell = (of: Typed): Typed =>
    readAt(
      place,
      of,
      indices,
      span,
      indices.map(() => span),
    );
  const body = compared(cell(left), cell(right));
  if (body.kind === "wrong") return body;
  return { kind: "reduce", reduction: "all", binders, items: [], body, type: scalar("bool"), span };
}

function equal(place: Place, left: Typed, right: Typed, span: Span): Typed {
  // Two values of one variant both have its payload, and zeros where they have no other.
  if (left.type.kind === "absent" || right.type.kind === "absent") return truth(true, span);
  if (isText(left.type)) return sameText(place, left, right, span);
  if (left.type.kind === "tensor") {
    if (left.type.axes.length > 0)
      return sameTensor(place, left, right, span, (a, b) => apply(place, "equal", [a, b], span));
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
      : sameTensor(place, one.box, other.box, span, same);
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
    condition = both(condition, equal(place, member, b[k]!, span));
    // The tag of an enum comes first: other variants have nothing to compare.
    if (condition.kind === "wrong" || (condition.kind === "constant" && condition.value === false))
      break;
  }
  return condition;
}
