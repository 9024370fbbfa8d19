// Lists: arrays of tuples, structs and enums. There is a tensor for each part of the elements:
//
//   [Point { x: 1.0, y: 2.0 }, …]      x = [1.0, …],  y = [2.0, …]
//   ps[i].x                            x[i]

import type { Span } from "../../base/source.ts";
import { constant } from "../../affine/term.ts";
import { mustAgree } from "../statements/agree.ts";
import { zerosLike } from "../values/choose.ts";
import { completed } from "../types/completed.ts";
import { notBuilt, refuse, report, wrongAt, type Place } from "../context.ts";
import type { Remade } from "../calls/held/function-lists.ts";
import { inReferences } from "./references.ts";
import { holdsFunction, isRecursiveType } from "../types/declared-types.ts";
import { rowAt } from "./rows/rows-of.ts";
import { boxedIn, functionsIn, isOfFunctions, membersOf } from "../values/tuples.ts";
import type { Binder, Typed } from "../types/typed.ts";
import {
  element,
  showType,
  tensor,
  type Axis,
  type ListType,
  type TensorType,
  type Type,
} from "../types/types.ts";
import { cellOfWindow } from "./rows/windows.ts";
import { functionAt, functionsOf, functionsOver } from "../calls/held/function-lists.ts";
import { referenceTo } from "./form-of.ts";
import { sameType, mergedType } from "../types/same-type.ts";
import { boxOf } from "../calls/instances/spread.ts";
import { readAt } from "../ranges/reads.ts";

/**
 * Whether a value can be an element of a list. It can be a reference, a function, or data whose
 * parts are all tensors.
 */
function canBeListed(place: Place, value: Typed): boolean {
  const { type } = value;
  if (type.kind === "tensor" || type.kind === "absent" || isOfFunctions(type) || boxedIn(value))
    return true;
  if (type.kind === "data" && isRecursiveType(place, type))
    return referenceTo(place, type) !== undefined;
  if (type.kind !== "tuple" && type.kind !== "data" && type.kind !== "list") return false;
  return membersOf(value)?.every((member) => canBeListed(place, member)) ?? false;
}

function notListed(place: Place, what: string, { type, span }: Typed): Typed {
  return notBuilt(place, `${what} of ${showType(type)}`, span);
}

/** `[p, q]` of data. */
export function listOf(place: Place, elements: readonly Typed[], span: Span): Typed {
  const [first] = elements;
  let type: Type = first!.type;
  for (const item of elements) {
    if (!canBeListed(place, item) && !holdsFunction(place, item.type))
      return notListed(place, "an array", item);
    if (!sameType(place, type, item.type)) {
      return refuse(
        place,
        "E0401",
        `the elements of an array must have one type: ${showType(type)} and ${showType(item.type)}`,
        item.span,
        {
          labels: [{ span: first!.span, text: `this is ${showType(first!.type)}` }],
          help: isOfOtherLength(type, item.type) ? ofOneLength : undefined,
        },
      );
    }
    type = mergedType(type, item.type);
  }
  const axis: Axis = {
    extent: constant(elements.length),
    origin: { span, text: `${elements.length} elements` },
  };
  const whole = elements.map((item) => completed(place, item, type));
  // Elements that cannot be listed hold functions. They are told apart by position, like functions.
  if (!elements.every((item) => canBeListed(place, item)))
    return functionsOf(whole, listType(type, [axis]), span);
  return stackElements(place, whole, type, axis, span);
}

function stackElements(
  place: Place,
  elements: readonly Typed[],
  of: Type,
  axis: Axis,
  span: Span,
): Typed {
  const present = elements.find((item) => item.type.kind !== "absent");
  if (!present) return { kind: "absent", type: { kind: "absent" }, span };
  if (isOfFunctions(of))
    return functionsOf(
      elements.map((item) => (item.type.kind === "absent" ? present : item)),
      listType(of, [axis]),
      span,
    );
  const boxed = elements.map(boxedIn).find((item) => item !== undefined);
  const reference = referenceTo(place, of.kind === "list" ? of.of : of) ?? boxed?.form;
  if (reference) {
    const boxes = elements.map((item) => boxOf(item, reference));
    if (boxes.some((box) => box.kind === "wrong")) return wrongAt(span);
    const rows = walkedAxes(boxed?.box.type ?? of);
    const box: Typed = {
      kind: "array",
      elements: boxes,
      type: tensor(element("data"), [axis, ...rows]),
      span,
    };
    return { ...inReferences(reference, box, span), type: listType(of, [axis]) } as Typed;
  }
  const filled = elements.map((item) => (item.type.kind === "absent" ? zerosLike(present) : item));
  if (present.type.kind === "tensor") {
    const { element, axes } = present.type;
    if (!filled.every((item) => agreesInShape(place, present, item))) return wrongAt(span);
    return { kind: "array", elements: filled, type: tensor(element, [axis, ...axes]), span };
  }
  const parts = filled.map((item) => membersOf(item)!);
  const members = parts[0]!.map((_, k) =>
    stackElements(
      place,
      parts.map((each) => each[k]!),
      partType(parts, k),
      axis,
      span,
    ),
  );
  const wrong = members.find((member) => member.kind === "wrong");
  return wrong ?? { kind: "tuple", members, type: listType(of, [axis]), span };
}

/**
 * Whether the tensors in one part of the elements have one shape, so that they lie in one tensor.
 */
function agreesInShape(place: Place, first: Typed, item: Typed): boolean {
  const [a, b] = [first.type as TensorType, item.type as TensorType];
  return a.axes.every((own, k) =>
    mustAgree(place, own, b.axes[k]!, item.span, () =>
      report(place, "E0408", "what the elements of an array hold must have one shape", item.span, {
        labels: [{ span: first.span, text: `here it is ${showType(a)}` }],
        text: `this is ${showType(b)}`,
        help: ofOneLength,
      }),
    ),
  );
}

const ofOneLength =
  "give them one length, or keep rows of other lengths as `jagged` rows, of numbers, " +
  "bools or texts: one such value for each part";

function isOfOtherLength(a: Type, b: Type): boolean {
  return a.kind === "list" && b.kind === "list" && a.axes.length === b.axes.length;
}

function partType(parts: readonly (readonly Typed[])[], k: number): Type {
  return parts.map((each) => each[k]!.type).reduce(mergedType);
}

function listType(of: Type, axes: readonly Axis[]): ListType {
  return of.kind === "list" ? { ...of, axes: [...axes, ...of.axes] } : { kind: "list", of, axes };
}

/** The list whose element at a coordinate is `body`, which is data. */
export function listOver(
  place: Place,
  binder: Binder,
  axis: Axis,
  body: Typed,
  remade: Remade,
  span: Span,
): Typed {
  if (!canBeListed(place, body)) {
    return holdsFunction(place, body.type)
      ? functionsOver(binder, listType(body.type, [axis]), body, remade, span)
      : notListed(place, "a comprehension", body);
  }
  return overBinders(place, [binder], [axis], body, remade, span);
}

/**
 * The tensor or list whose element at some coordinates is `body`. The body contains no functions.
 */
export function elementsOver(
  place: Place,
  binders: readonly Binder[],
  axes: readonly Axis[],
  body: Typed,
  span: Span,
): Typed {
  if (!canBeListed(place, body)) return notListed(place, "a comprehension", body);
  return overBinders(place, binders, axes, body, { code: body, again: () => body }, span);
}

function overBinders(
  place: Place,
  binders: readonly Binder[],
  axes: readonly Axis[],
  body: Typed,
  remade: Remade,
  span: Span,
): Typed {
  const { type } = body;
  const over = (part: Typed, partRemade: Remade): Typed =>
    overBinders(place, binders, axes, part, partRemade, span);
  if (type.kind === "absent" || body.kind === "wrong") return body;
  if (isOfFunctions(type))
    return functionsOver(binders[0]!, listType(type, axes), body, remade, span);
  const boxed = boxedIn(body);
  const reference = boxed?.form ?? referenceTo(place, type);
  if (reference) {
    const box = over(boxed?.box ?? boxOf(body, reference), remade);
    return { kind: "boxed", form: reference, box, type: listType(type, axes), span };
  }
  if (type.kind === "tensor")
    return {
      kind: "abstract",
      binders,
      body,
      type: tensor(type.element, [...axes, ...type.axes]),
      span,
    };
  const member = (k: number): Remade => ({
    ...remade,
    again: (at, code) => membersOf(remade.again(at, code))![k]!,
  });
  const members = membersOf(body)!.map((part, k) => over(part, member(k)));
  return { kind: "tuple", members, type: listType(type, axes), span };
}

/** The element of a tensor, a list or ragged rows at checked indices. */
export function elementAt(
  place: Place,
  base: Typed,
  indices: readonly Typed[],
  span: Span,
  spans: readonly Span[],
): Typed {
  if (base.type.kind === "jagged") return rowAt(place, base, indices, span, spans);
  if (base.type.kind !== "list") {
    const [index] = indices;
    const cell = indices.length === 1 ? cellOfWindow(place, base, index!, span) : undefined;
    return cell ?? readAt(place, base, indices, span, spans);
  }
  const rest = base.type.axes.slice(indices.length);
  const boxed = boxedIn(base);
  if (boxed) {
    const box = elementAt(place, { ...boxed.box, span: base.span }, indices, span, spans);
    if (box.kind === "wrong") return box;
    return {
      ...boxed,
      box,
      type: rest.length > 0 ? { ...base.type, axes: rest } : base.type.of,
      span,
    };
  }
  const functions = functionsIn(base);
  if (functions) return functionAt(place, functions, indices, span, spans);
  const members = membersOf(base);
  if (!members) return wrongAt(span);
  const of =
    base.type.of.kind === "data" || base.type.of.kind === "tuple" ? base.type.of : undefined;
  const parts = members.map((member) =>
    member.type.kind === "absent"
      ? member
      : elementAt(place, { ...member, span: base.span }, indices, span, spans),
  );
  const type: Type = rest.length > 0 || !of ? { ...base.type, axes: rest } : of;
  return { kind: "tuple", members: parts, type, span };
}

/** The axes along which a value can be walked. */
export function walkedAxes(type: Type): readonly Axis[] {
  return type.kind === "tensor" || type.kind === "list" ? type.axes : [];
}
