// This folder works on whole checked values: it chooses, shares, compares and takes apart tuples,
// structs, enums and functions. It does not elaborate expressions.
//
// This file chooses one of two values by a condition. Tensors become a select; tuples, structs and
// enums are chosen part by part; functions stay two functions until they are called.
//
//   let (a, b) = if c { (1, x) } else { (2, y) };
//   a = if c { 1 } else { 2 },   b = if c { x } else { y }

import { interpolated, write, type Repair } from "../../diagnostics/fixes.ts";
import { castAllowed } from "../../scalar/casts.ts";
import { isFloat } from "../../scalar/types.ts";
import { textOf, type Span } from "../../base/source.ts";
import { sameExtent } from "../statements/agree.ts";
import { variable, zero, type Term, type Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { completed } from "../types/completed.ts";
import { notBuilt, refuse, report, wrongAt, type Place } from "../context.ts";
import { askedOnce, inBlock } from "./share.ts";
import { emptyBox } from "../data/references.ts";
import { resolved } from "../types/sizes.ts";
import { ofOwnLength } from "../calls/instances/spread.ts";
import { boxedIn, functionsIn, membersOf } from "./tuples.ts";
import type { Functions, Typed } from "../types/typed.ts";
import {
  decided,
  isScalar,
  showType,
  unit,
  type Axis,
  type DataType,
  type ListType,
  type TensorType,
  type Type,
  isCompound,
  isNothing,
} from "../types/types.ts";
import { asLongAsTaken, eitherArray } from "./either-length.ts";
import { sameType, mergedType } from "../types/same-type.ts";
import { withoutBlocks } from "../types/typed.ts";

/** The words of a message for the two sides. */
type Sides = "branches of `if`" | "arms of `match`" | "alternatives of this pattern";

export function choose(
  place: Place,
  condition: Typed,
  one: Typed,
  other: Typed,
  span: Span,
  sides: Sides,
): Typed {
  if (condition.kind === "wrong" || one.kind === "wrong" || other.kind === "wrong")
    return wrongAt(span);
  const [then, otherwise] = [withListType(one, other), withListType(other, one)];
  const longer =
    chooseLengths(place, condition, then, otherwise, span) ??
    chooseRunArrays(place, condition, then, otherwise, span);
  if (longer) return longer;
  const type =
    typeOfEitherList(place, then, otherwise) ?? jointType(place, then, otherwise, span, sides);
  if (!type) return wrongAt(span);
  if (type === unit) return { kind: "tuple", members: [], type, span };
  if (type.kind === "tensor" || type.kind === "function")
    return select(condition, then, otherwise, type, span);
  if (!isCompound(type)) return notBuilt(place, `a choice of ${showType(type)}`, span);
  const asked = askedOnce(place, condition);
  const [a, b] = [completed(place, then, type), completed(place, otherwise, type)];
  return inBlock(asked.bindings, chooseParts(place, asked.value, a, b, type, span));
}

/** One of two arrays in a function that makes arrays while it runs. */
function chooseRunArrays(
  place: Place,
  condition: Typed,
  then: Typed,
  otherwise: Typed,
  span: Span,
): Typed | undefined {
  const hasAxes = then.type.kind === "tensor" && then.type.axes.length > 0;
  return hasAxes && (place.arrays || place.indexed)
    ? eitherArray(place, condition, then, otherwise, span)
    : undefined;
}

function select(condition: Typed, then: Typed, otherwise: Typed, type: Type, span: Span): Typed {
  return { kind: "select", condition, then, otherwise, type, span };
}

/**
 * A choice of two tensors whose lengths differ, where only a run can tell one of the lengths, or
 * where they are rows of a comprehension.
 */
function chooseLengths(
  place: Place,
  condition: Typed,
  then: Typed,
  otherwise: Typed,
  span: Span,
): Typed | undefined {
  const [a, b] = [then.type, otherwise.type];
  if (
    place.recursion ||
    a.kind !== "tensor" ||
    b.kind !== "tensor" ||
    a.axes.length !== b.axes.length
  )
    return undefined;
  const [one, other] = [a.axes[0]?.extent, b.axes[0]?.extent];
  if (!one || !other || sameExtent(place.checker, one, other) === "true") return undefined;
  if (!place.rows && ![one, other].some((extent) => dependsOnData(place, extent))) return undefined;
  if (!sameType(place, { ...a, axes: a.axes.slice(1) }, { ...b, axes: b.axes.slice(1) }))
    return undefined;
  return asLongAsTaken(place, condition, then, otherwise, span);
}

/** Whether two tensors of one rank are known to have equal extents. */
function haveEqualExtents({ checker }: Place, a: TensorType, b: TensorType): boolean {
  return a.axes.every(
    ({ extent }, k) => sameExtent(checker, extent ?? zero, b.axes[k]!.extent ?? zero) === "true",
  );
}

/**
 * Whether an extent depends on data. An extent of dimensions alone is known when the sizes of the
 * inputs are pinned.
 */
function dependsOnData({ checker, indexed }: Place, extent: Term): boolean {
  // Under a coordinate the two lengths may depend on it, so they are compared at each position.
  const isFromRun = (v: Variable): boolean => !indexed && checker.opaqueValue.has(v);
  const isPinned = (v: Variable): boolean =>
    checker.extents.has(v) && !checker.scalars.has(v) && !isFromRun(v);
  return ![...variablesOf(resolved(extent))].every(isPinned);
}

/** The type of one of two lists. The lists may have different lengths. */
function typeOfEitherList(place: Place, then: Typed, otherwise: Typed): Type | undefined {
  const [a, b] = [then.type, otherwise.type];
  if (a.kind !== "list" || b.kind !== "list" || a.axes.length !== b.axes.length) return undefined;
  // In a recursive function the length may differ from call to call. An array of references is
  // still one value, whatever its length.
  if (place.recursion && !place.arrays && !(boxedIn(then) && boxedIn(otherwise))) return undefined;
  return sameType(place, a.of, b.of) ? { ...a, of: mergedType(a.of, b.of) } : undefined;
}

/** `[]` as a list without elements, if the other side is a list. */
function withListType(value: Typed, other: Typed): Typed {
  return other.type.kind === "list" && isNothing(value.type) ? emptied(other, value.span) : value;
}

/** A list of the same type without elements. */
function emptied(like: Typed, span: Span): Typed {
  const { type } = like;
  const none: Axis = { extent: zero, origin: { span, text: "0 elements" } };
  const boxed = boxedIn(like);
  if (type.kind === "tensor")
    return {
      kind: "array",
      elements: [],
      type: { ...type, axes: [none, ...type.axes.slice(1)] },
      span,
    };
  if (type.kind !== "list") return like;
  const empty: ListType = { ...type, axes: [none, ...type.axes.slice(1)] };
  if (boxed) return { ...boxed, box: emptied(boxed.box, span), type: empty, span };
  const functions = functionsIn(like);
  if (functions)
    return {
      ...functions,
      codes: functions.codes.map((code) => emptied(code, span)),
      type: empty,
      span,
    };
  return {
    kind: "tuple",
    members: membersOf(like)!.map((member) => emptied(member, span)),
    type: empty,
    span,
  };
}

function chooseParts(
  place: Place,
  condition: Typed,
  then: Typed,
  otherwise: Typed,
  type: Type,
  span: Span,
): Typed {
  const [one, other] = [boxedIn(then), boxedIn(otherwise)];
  if (one && other) {
    const box = choosePart(place, condition, one.box, other.box, span);
    if (box.kind === "wrong") return box;
    const form = one.form.ofType(mergedType(one.form.type, other.form.type) as DataType);
    return { kind: "boxed", form, box, type: ofOwnLength(type, [box]), span };
  }
  const [these, those] = [functionsIn(then), functionsIn(otherwise)];
  if (these && those)
    return chooseFunctions(place, condition, these, those, type as ListType, span);
  const [a, b] = [membersOf(then)!, membersOf(otherwise)!];
  const members = a.map((member, k) => choosePart(place, condition, member, b[k]!, span));
  return members.some((member) => member.kind === "wrong")
    ? wrongAt(span)
    : { kind: "tuple", members, type: ofOwnLength(type, members), span };
}

/**
 * One of two arrays of functions. The codes are chosen; if the codes of the two arrays mean
 * different functions, each code stands for a choice of these functions.
 */
function chooseFunctions(
  place: Place,
  condition: Typed,
  then: Functions,
  otherwise: Functions,
  type: ListType,
  span: Span,
): Typed {
  const count = Math.max(then.codes.length, otherwise.codes.length);
  const codeOf = ({ codes }: Functions, k: number): Typed => codes[k] ?? zerosLike(codes[0]!);
  const codes = Array.from({ length: count }, (_, k) =>
    choosePart(place, condition, codeOf(then, k), codeOf(otherwise, k), span),
  );
  const wrong = codes.find((code) => code.kind === "wrong");
  if (wrong) return wrong;
  const chosenType = ofOwnLength(type, codes) as ListType;
  if (then.identity === otherwise.identity) return { ...then, codes, type: chosenType, span };
  const at: Functions["at"] = (asking, given, asked) => {
    const [one, other] = [then, otherwise].map((each) =>
      each.at(asking, given.slice(0, each.codes.length), asked),
    );
    return oneOf(asking, condition, one!, other!, asked);
  };
  const among = [...then.among, ...otherwise.among];
  return {
    kind: "functions",
    codes,
    at,
    identity: codes,
    among,
    since: variable("functions"),
    type: chosenType,
    span,
  };
}

/** One of two functions, or of two values that contain functions. */
export function oneOf(
  place: Place,
  condition: Typed,
  then: Typed,
  otherwise: Typed,
  span: Span,
): Typed {
  if (then.type.kind === "function") return select(condition, then, otherwise, then.type, span);
  return choose(place, condition, then, otherwise, span, "branches of `if`");
}

/**
 * One of two parts. A part that only one side has keeps its condition. The other side has zeros in
 * its place, which are never read.
 */
function choosePart(
  place: Place,
  condition: Typed,
  then: Typed,
  otherwise: Typed,
  span: Span,
): Typed {
  const [noThen, noOther] = [then.type.kind === "absent", otherwise.type.kind === "absent"];
  if (noThen && noOther) return then;
  const unusedLike = place.arrays ? emptyLike : zerosLike;
  const a = noThen ? unusedLike(otherwise) : then;
  const b = noOther ? unusedLike(then) : otherwise;
  if (areSameConstant(a, b)) return a;
  if (isCompound(a.type))
    return chooseParts(place, condition, a, b, mergedType(a.type, b.type), span);
  return chooseTensor(place, condition, a, b, span);
}

function chooseTensor(
  place: Place,
  condition: Typed,
  then: Typed,
  otherwise: Typed,
  span: Span,
): Typed {
  const [a, b] = [then.type, otherwise.type];
  const haveOneShape = a.kind !== "tensor" || b.kind !== "tensor" || haveEqualExtents(place, a, b);
  if (haveOneShape) return select(condition, then, otherwise, a, span);
  const array = chooseRunArrays(place, condition, then, otherwise, span);
  if (array) return array;
  if (!place.recursion) return asLongAsTaken(place, condition, then, otherwise, span);
  if (sameType(place, a, b)) return select(condition, then, otherwise, a, span);
  return refuse(
    place,
    "E0401",
    `the two sides hold tensors of different shapes: ${showType(a)} and ${showType(b)}`,
    span,
    {
      labels: [
        { span: then.span, text: `this is ${showType(a)}` },
        { span: otherwise.span, text: `this is ${showType(b)}` },
      ],
    },
  );
}

/** Whether both sides are the same constant. The tags of enums often are. */
function areSameConstant(a: Typed, b: Typed): boolean {
  const [x, y] = [withoutBlocks(a), withoutBlocks(b)];
  return x.kind === "constant" && y.kind === "constant" && x.value === y.value;
}

/** A value of the same type with zeros in it, for a place that is never read. */
export function zerosLike(like: Typed): Typed {
  const { type, span } = like;
  if (type.kind === "tensor") {
    const cell = decided(type.element);
    if (cell === "str") return { kind: "text", parts: [], type, span };
    return { kind: "constant", value: cell === "bool" ? false : 0, type, span };
  }
  const boxed = boxedIn(like);
  if (boxed) return { ...boxed, box: { ...emptyBox(span), type: boxed.box.type } as Typed };
  const members = membersOf(like);
  return members ? { kind: "tuple", members: members.map(zerosLike), type, span } : like;
}

/**
 * The same in a function that makes arrays while it runs. Its axes have extent 0, because nothing
 * asks for the length of a value that is never read.
 */
function emptyLike(like: Typed): Typed {
  const zeros = zerosLike(like);
  const shrunk = (value: Typed): Typed => {
    const { type } = value;
    if (value.kind === "tuple") return { ...value, members: value.members.map(shrunk) };
    if (value.kind === "boxed") {
      const box = shrunk(value.box);
      return { ...value, box, type: ofOwnLength(type, [box]) };
    }
    if (type.kind !== "tensor" || isScalar(type)) return value;
    return {
      ...value,
      type: { ...type, axes: type.axes.map((axis): Axis => ({ ...axis, extent: zero })) },
    };
  };
  return shrunk(zeros);
}

/** The common type of both sides; different types are reported. */
function jointType(
  place: Place,
  then: Typed,
  otherwise: Typed,
  span: Span,
  sides: Sides,
): Type | undefined {
  const [a, b] = [then.type, otherwise.type];
  const refuseTypes = (): undefined => {
    report(
      place,
      "E0401",
      `the ${sides} have different types: ${showType(a)} and ${showType(b)}`,
      span,
      {
        labels: [
          { span: then.span, text: `this is ${showType(a)}` },
          { span: otherwise.span, text: `this is ${showType(b)}` },
        ],
        ...repairOfTypes(then, otherwise),
      },
    );
    return undefined;
  };
  return sameType(place, a, b) ? mergedType(a, b) : refuseTypes();
}

/**
 * The repair for two types: a number beside a text is written into a text, other scalars are cast.
 */
function repairOfTypes(then: Typed, otherwise: Typed): Repair {
  if (!isScalar(then.type) || !isScalar(otherwise.type)) return {};
  const [a, b] = [decided(then.type.element), decided(otherwise.type.element)];
  if (a === "str" || b === "str")
    return interpolated("make a text of the other one too", (a === "str" ? otherwise : then).span);
  const [from, to] = isFloat(b) && !isFloat(a) ? [then, b] : [otherwise, a];
  const text = textOf(from.span);
  const cast = `${/^[\w.]+$/.test(text) ? text : `(${text})`} as ${to}`;
  return castAllowed(to === b ? a : b, to) ? write(from.span, cast) : {};
}
