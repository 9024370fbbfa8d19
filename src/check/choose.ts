// One of two values by a condition: tensors become a select, tuples, structs and enums choose part by part, functions stay
// two functions until they are called.

import { castAllowed } from "../ir/scalar/casts.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { textOf, type Span } from "../syntax/source.ts";
import { knownTruth } from "./conditions.ts";
import { countOf } from "./accepted-positions.ts";
import { eitherArray } from "./arrays.ts";
import { mustAgree, sameExtent } from "./agree.ts";
import { newBinder } from "./coordinates.ts";
import { extentRange } from "./ranges.ts";
import { resolved } from "./sizes.ts";
import { ofVariable, type Term } from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import { notBuilt, report, wrongAt, type Place } from "./context.ts";
import { inBlock, isCompound, share, type Shared } from "./share.ts";
import { emptyBox } from "./spread.ts";
import { boxedIn, membersOf } from "./tuples.ts";
import type { Typed } from "./typed.ts";
import { decided, isScalar, scalar, showType, unify, unit, type Axis, type Type } from "./types.ts";

/** What a message calls the two sides. */
export type Sides = "branches of `if`" | "arms of `match`" | "alternatives of this pattern";

export function choose(place: Place, condition: Typed, then: Typed, otherwise: Typed, span: Span, sides: Sides): Typed {
  if (condition.kind === "wrong" || then.kind === "wrong" || otherwise.kind === "wrong") return wrongAt(span);
  const longer =
    ofEitherLength(place, condition, then, otherwise, span) ?? eitherArray(place, condition, then, otherwise, span);
  if (longer) return longer;
  const type = joined(place, then, otherwise, span, sides);
  if (!type) return wrongAt(span);
  if (type === unit) return { kind: "tuple", members: [], type, span };
  if (type.kind === "tensor" || type.kind === "function") return select(condition, then, otherwise, type, span);
  if (!isCompound(type)) return notBuilt(place, `a choice of ${showType(type)}`, span);
  // The condition is asked once for all parts, unless it costs nothing or the solver can use it as it stands.
  const asked = isCheap(condition)
    ? { bindings: [], value: condition }
    : share(place, { text: "condition", span: condition.span }, condition);
  return inBlock(asked.bindings, chooseParts(asked.value, then, otherwise, type, span));
}

function select(condition: Typed, then: Typed, otherwise: Typed, type: Type, span: Span): Typed {
  return { kind: "select", condition, then, otherwise, type, span };
}

/** Two tensors whose lengths only a run can tell: the choice is as long as the one that is taken. */
function ofEitherLength(place: Place, condition: Typed, then: Typed, otherwise: Typed, span: Span): Typed | undefined {
  const [a, b] = [then.type, otherwise.type];
  if (place.indexed || a.kind !== "tensor" || b.kind !== "tensor" || a.axes.length !== b.axes.length) return undefined;
  const [one, other] = [a.axes[0]?.extent, b.axes[0]?.extent];
  if (!one || !other || sameExtent(place.checker, one, other) === "true") return undefined;
  if (![one, other].some((extent) => isOfRun(place, extent))) return undefined;
  const behind = { ...a, axes: a.axes.slice(1) };
  if (!sameType(place, behind, { ...b, axes: b.axes.slice(1) })) return undefined;

  const named = (text: string, value: Typed): Shared => share(place, { text, span: value.span }, value);
  const parts = [named("condition", condition), named("then", then), named("otherwise", otherwise)] as const;
  const [asked, first, second] = parts.map((part) => part.value) as [Typed, Typed, Typed];
  const integer = (term: Term): Typed => ({ kind: "integer", term, type: scalar("i32"), span });
  const length = countOf(place, "length", select(asked, integer(one), integer(other), scalar("i32"), span));
  const axis: Axis = { extent: length.term, domain: {}, origin: { span, text: "the one that is taken" } };
  const binder = newBinder("i", span, true);
  extentRange(binder, axis);
  const at = (base: Typed): Typed => ({
    kind: "read",
    base,
    indices: [integer(ofVariable(binder.variable))],
    type: behind,
    span: base.span,
  });
  const body = select(asked, at(first), at(second), behind, span);
  const type = { ...a, axes: [axis, ...behind.axes] };
  return inBlock([...parts.flatMap((part) => part.bindings), length.binding], {
    kind: "abstract",
    binders: [binder],
    body,
    type,
    span,
  });
}

/** Whether an extent is known to a run alone, rather than when sizes are pinned. */
function isOfRun({ checker }: Place, extent: Term): boolean {
  return [...variablesOf(resolved(extent))].some((v) => checker.scalars.has(v) || checker.opaqueValue.has(v));
}

function chooseParts(condition: Typed, then: Typed, otherwise: Typed, type: Type, span: Span): Typed {
  const [one, other] = [boxedIn(then), boxedIn(otherwise)];
  if (one && other) return { ...one, box: select(condition, one.box, other.box, one.box.type, span), span };
  const [a, b] = [membersOf(then)!, membersOf(otherwise)!];
  const members = a.map((member, k) => choosePart(condition, member, b[k]!, span));
  return { kind: "tuple", members, type, span };
}

/** A part that only one side has keeps its condition, and stands for zeros elsewhere, where nothing looks at it. */
function choosePart(condition: Typed, then: Typed, otherwise: Typed, span: Span): Typed {
  const [noThen, noOther] = [then.type.kind === "absent", otherwise.type.kind === "absent"];
  if (noThen && noOther) return then;
  const a = noThen ? zerosLike(otherwise) : then;
  const b = noOther ? zerosLike(then) : otherwise;
  if (isSame(a, b)) return a;
  if (isCompound(a.type)) {
    return chooseParts(condition, a, b, mergedType(a.type, b.type), span);
  }
  return select(condition, a, b, a.type, span);
}

/** One number on both sides: the tag of a variant, most of the time. */
function isSame(a: Typed, b: Typed): boolean {
  const [x, y] = [withoutBlocks(a), withoutBlocks(b)];
  return x.kind === "constant" && y.kind === "constant" && x.value === y.value;
}

function withoutBlocks(value: Typed): Typed {
  return value.kind === "block" ? withoutBlocks(value.value) : value;
}

/** A value of the same type that is never looked at. */
export function zerosLike(like: Typed): Typed {
  const { type, span } = like;
  if (type.kind === "tensor") {
    const cell = decided(type.element);
    if (cell === "str") return { kind: "text", parts: [], type: scalar("str"), span };
    return { kind: "constant", value: cell === "bool" ? false : 0, type, span };
  }
  const boxed = boxedIn(like);
  if (boxed) return { ...boxed, box: { ...emptyBox(span), type: boxed.box.type } as Typed };
  const members = membersOf(like);
  return members ? { kind: "tuple", members: members.map(zerosLike), type, span } : like;
}

/** Conditions that are repeated rather than named. */
function isCheap(value: Typed): boolean {
  switch (value.kind) {
    case "constant":
    case "integer":
    case "reference":
      return true;
    case "apply":
      return value.operands.every(isCheap);
    case "read":
      return isCheap(value.base) && value.indices.every(isCheap);
    default:
      return knownTruth(value) !== undefined;
  }
}

/** The one type of both sides. */
export function joined(place: Place, then: Typed, otherwise: Typed, span: Span, sides: Sides): Type | undefined {
  const [a, b] = [then.type, otherwise.type];
  const differ = (): undefined => {
    report(place, "E0401", `the ${sides} have different types: ${showType(a)} and ${showType(b)}`, span, {
      labels: [
        { span: then.span, text: `this is ${showType(a)}` },
        { span: otherwise.span, text: `this is ${showType(b)}` },
      ],
      help: oneType(then, otherwise),
    });
    return undefined;
  };
  return sameType(place, a, b) ? mergedType(a, b) : differ();
}

/** A number beside a text is written into one; other scalars are cast. */
function oneType(then: Typed, otherwise: Typed): string | undefined {
  if (!isScalar(then.type) || !isScalar(otherwise.type)) return undefined;
  const [a, b] = [decided(then.type.element), decided(otherwise.type.element)];
  if (a === "str" || b === "str")
    return `make a text of the other one too: \`"{${textOf((a === "str" ? otherwise : then).span)}}"\``;
  const [from, to] = isFloat(b) && !isFloat(a) ? [then, b] : [otherwise, a];
  const text = textOf(from.span);
  const cast = `${/^[\w.]+$/.test(text) ? text : `(${text})`} as ${to}`;
  return castAllowed(to === b ? a : b, to) ? `write \`${cast}\`` : undefined;
}

/** For axes that no place in the source stands for. */
const nowhere: Span = { source: { name: "<compiler>", text: "" }, start: 0, end: 0 };

/** Makes two types one where they can be. */
export function sameType(place: Place, a: Type, b: Type): boolean {
  if (a.kind === "absent" || b.kind === "absent") return true;
  if (a.kind === "tensor" && b.kind === "tensor") {
    if (a.axes.length !== b.axes.length || !unify(a.element, b.element)) return false;
    return a.axes.every((axis, k) =>
      mustAgree(place, axis, b.axes[k]!, b.axes[k]!.origin?.span ?? axis.origin?.span ?? nowhere, () => undefined),
    );
  }
  if (a.kind === "tuple" && b.kind === "tuple") {
    return a.members.length === b.members.length && a.members.every((m, k) => sameType(place, m, b.members[k]!));
  }
  if (a.kind === "data" && b.kind === "data") {
    return (
      a.of.declaration === b.of.declaration &&
      a.arguments.every((argument, k) => sameType(place, argument, b.arguments[k]!))
    );
  }
  if (a.kind === "list" && b.kind === "list") {
    if (a.axes.length !== b.axes.length || !sameType(place, a.of, b.of)) return false;
    return a.axes.every((axis, k) =>
      mustAgree(place, axis, b.axes[k]!, b.axes[k]!.origin?.span ?? axis.origin?.span ?? nowhere, () => undefined),
    );
  }
  if (a.kind === "jagged" && b.kind === "jagged") return unify(a.element, b.element);
  if (a.kind === "function" && b.kind === "function") return a.arity === b.arity;
  return a.kind === b.kind;
}

/** The type that has what either of two compatible types knows. */
export function mergedType(a: Type, b: Type): Type {
  if (a.kind === "absent") return b;
  if (a.kind === "data" && b.kind === "data") {
    return { ...a, arguments: a.arguments.map((argument, k) => mergedType(argument, b.arguments[k]!)) };
  }
  if (a.kind === "list" && b.kind === "list") return { ...a, of: mergedType(a.of, b.of) };
  if (a.kind === "tuple" && b.kind === "tuple") {
    return { ...a, members: a.members.map((member, k) => mergedType(member, b.members[k]!)) };
  }
  return a;
}
