// Array literals, `.shape`, and values with a declared type: `let x: [f32; 3] = [1.0, 2.0, 3.0];`.

import type * as ast from "../../syntax/tree/ast.ts";
import { constant } from "../../affine/term.ts";
import { cover, type Span } from "../../base/source.ts";
import { mustAgree } from "../statements/agree.ts";
import { annotationFor, sameShape } from "./annotations.ts";
import { castRepair } from "./cast-repair.ts";
import { counted } from "../lints/count.ts";
import { completed } from "./completed.ts";
import { refuse, report, wrongAt, type Checker, type Place } from "../context.ts";
import { extentValue } from "./extents.ts";
import { asRagged } from "../data/rows/jagged-help.ts";
import { listOf } from "../data/lists.ts";
import { canBeCell } from "../expressions/strings.ts";
import { holdsFunctions } from "../values/tuples.ts";
import type { Typed } from "./typed.ts";
import {
  element,
  openElement,
  showType,
  tensor,
  unify,
  type Axis,
  type TensorType,
  type Type,
  isText,
} from "./types.ts";
import { asDeclared } from "../calls/held/fitting-functions.ts";
import { sameType, mergedType } from "./same-type.ts";
import { partWithValue } from "../elaborate.ts";
import { integerValue } from "../values/integer-value.ts";

/** The extents of some axes, as an `i32` tensor of rank 1. */
export function shapeTensor(checker: Checker, axes: readonly Axis[], span: Span): Typed {
  const elements = axes.map((axis): Typed => {
    const extent = axis.extent ?? constant(0);
    return integerValue(extentValue(checker, extent), span);
  });
  const axis: Axis = { extent: constant(elements.length), origin: { span, text: "the rank" } };
  return { kind: "array", elements, type: tensor(element("i32"), [axis]), span };
}

export function arrayOf(place: Place, e: ast.ArrayLiteral): Typed {
  const elements = e.elements.map((item) => partWithValue(place, item));
  if (elements.some((item) => item.kind === "wrong")) return wrongAt(e.span);
  const length: Axis = {
    extent: constant(elements.length),
    origin: { span: e.span, text: counted(elements.length, "element") },
  };
  const [first, ...rest] = elements;
  if (!first)
    return { kind: "array", elements, type: tensor(openElement(), [length]), span: e.span };
  if (elements.some((item) => isText(item.type) && !canBeCell(place, item))) return wrongAt(e.span);
  if (first.type.kind !== "tensor") return listOf(place, elements, e.span);
  for (const [k, item] of rest.entries()) {
    const type = item.type;
    if (type.kind !== "tensor" || type.axes.length !== first.type.axes.length) {
      return refuse(place, "E0408", "the elements of an array must have one shape", item.span, {
        labels: [{ span: first.span, text: `the first is ${showType(first.type)}` }],
        text: `element ${k + 2} of ${elements.length} is ${showType(type)}`,
      });
    }
    if (!unify(first.type.element, type.element)) {
      return refuse(
        place,
        "E0401",
        "the elements of an array must have one type: " +
          `${showType(first.type)} and ${showType(type)}`,
        item.span,
        {
          labels: [{ span: first.span, text: `this is ${showType(first.type)}` }],
        },
      );
    }
    const agree = first.type.axes.every((axis, n) =>
      mustAgree(place, axis, type.axes[n]!, item.span, () =>
        report(place, "E0408", "the rows of an array must have one length", item.span, {
          labels: [{ span: first.span, text: `the first is ${showType(first.type)}` }],
          text: `element ${k + 2} of ${elements.length} is ${showType(type)}`,
          ...asRagged(e, type.element),
        }),
      ),
    );
    if (!agree) return wrongAt(e.span);
  }
  return {
    kind: "array",
    elements,
    type: tensor(first.type.element, [length, ...first.type.axes]),
    span: e.span,
  };
}

/** A value under its written type. */
export function underDeclaredType(place: Place, value: Typed, type: ast.Type): Typed {
  const asFunctions = holdsFunctions(value) ? asDeclared(place, type, value) : value;
  return ascribe(place, asFunctions, annotationFor(place, type, asFunctions), type.span);
}

/**
 * A value under a declared type: element types unify, extents must agree, and the axes get the
 * declared names.
 */
function ascribe(place: Place, value: Typed, declared: Type, span: Span): Typed {
  if (value.kind === "wrong" || declared.kind === "error") return wrongAt(value.span);
  if (declared.kind !== "tensor" || value.type.kind !== "tensor") {
    if (sameType(place, value.type, declared)) {
      const completedValue = completed(place, value, declared);
      return declared.kind === "data"
        ? ({ ...completedValue, type: mergedType(completedValue.type, declared) } as Typed)
        : completedValue;
    }
    return refuse(
      place,
      "E0411",
      `this is ${showType(value.type)}, declared as ${showType(declared)}`,
      value.span,
      {
        labels: [{ span, text: "declared here" }],
      },
    );
  }
  if (!unify(value.type.element, declared.element)) {
    return refuse(
      place,
      "E0411",
      `this is ${showType(value.type)}, declared as ${showType(declared)}`,
      value.span,
      {
        ...castRepair(value, declared.element, { span, text: "declared here" }),
      },
    );
  }
  const axes = sameShape(place, value, declared, cover(span, span));
  return axes ? withType(value, tensor(declared.element, axes)) : wrongAt(value.span);
}

function withType(value: Typed, type: TensorType): Typed {
  return { ...value, type };
}
