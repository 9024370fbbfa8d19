// The form of a recursive function's result before its body has been checked. It is declared, or it
// is seen in the last expression of the body.

import type * as ast from "../../../syntax/tree/ast.ts";
import type { Place } from "../../context.ts";
import { dataAt } from "../../data/data-at.ts";
import { functionValue } from "../held/closures.ts";
import { lookUp, lookUpFunction } from "../../names/scope.ts";
import { declaredForm } from "../../data/form-of.ts";
import type { Typed } from "../../types/typed.ts";
import { scalar, tensor, unit, waitingElement } from "../../types/types.ts";
import type { Bound } from "../bound.ts";
import type { Form } from "../../data/form.ts";

/**
 * The form of a recursive function's result: declared, or guessed from the last expression of the
 * body. Otherwise it is a scalar of an open type.
 */
export function resultForm(
  place: Place,
  { name, result, body }: ast.Fn,
  parameters: ReadonlyMap<string, Form>,
  packs: Bound["packs"],
): Form | undefined {
  if (result) return declaredForm(place, withoutPacks(result, packs));
  if (givesNothing(place, body, new Set([name.text])))
    return { kind: "parts", type: unit, members: [] };
  return formOfLast(place, body, parameters) ?? { kind: "scalar", element: waitingElement() };
}

/** A declared result type with an axis for each axis of its packs. */
function withoutPacks(type: ast.Type, packs: Bound["packs"]): ast.Type {
  if (type.kind === "tuple")
    return { ...type, members: type.members.map((member) => withoutPacks(member, packs)) };
  if (type.kind !== "tensor" || !type.dims) return type;
  const dims = type.dims.flatMap((dim): readonly ast.Dim[] =>
    dim.kind === "pack"
      ? (packs.get(dim.name.text) ?? []).map(() => ({ kind: "unknown", span: dim.span }))
      : [dim],
  );
  return dims.length === 0 ? type.element : { ...type, dims };
}

/** The function that a body gives, if the last expression is a function. */
export function functionGiven(place: Place, e: ast.Expression): ast.Expression | undefined {
  const ofPart = (part: ast.Expression | undefined): ast.Expression | undefined =>
    part && functionGiven(place, part);
  switch (e.kind) {
    case "lambda":
      return e;
    case "path":
      return e.segments.length === 1 &&
        !lookUp(place.scope, e.segments[0]!.text) &&
        functionValue(place, e)
        ? e
        : undefined;
    case "block":
      return ofPart(e.value);
    case "if":
      return ofPart(e.then) ?? ofPart(e.otherwise);
    case "match":
      return e.arms.map((arm) => ofPart(arm.body)).find((found) => found !== undefined);
    default:
      return undefined;
  }
}

function formOfLast(
  place: Place,
  e: ast.Expression,
  parameters: ReadonlyMap<string, Form>,
): Form | undefined {
  const ofPart = (part: ast.Expression): Form | undefined => formOfLast(place, part, parameters);
  switch (e.kind) {
    case "array":
    case "comprehension": {
      if (!place.arrays) return undefined;
      const [row] = e.kind === "array" ? e.elements : [e.element];
      const inner = row && ofPart(row);
      return {
        kind: "array",
        element: waitingElement(),
        rank: 1 + (inner?.kind === "array" ? inner.rank : 0),
      };
    }
    case "call":
      return e.callee.kind === "path" ? variantForm(place, e.callee, parameters) : undefined;
    case "path": {
      if (e.segments.length > 1) return variantForm(place, e, parameters);
      const form = e.segments.length === 1 ? parameters.get(e.segments[0]!.text) : undefined;
      return form?.kind === "parts" ? form : place.arrays && form ? arrayFormLike(form) : undefined;
    }
    case "tuple": {
      const members = e.members.map(
        (member): Form => ofPart(member) ?? { kind: "scalar", element: waitingElement() },
      );
      return { kind: "parts", type: { kind: "tuple", members: members.map(typeOfForm) }, members };
    }
    case "struct-literal": {
      const data = dataAt(place, e.path);
      if (!data || data === "wrong" || data.declaration.generics.length > 0) return undefined;
      return declaredForm(place, {
        kind: "named",
        path: e.path.segments,
        arguments: [],
        span: e.span,
      });
    }
    case "block":
      return e.value && ofPart(e.value);
    case "if":
      return ofPart(e.then) ?? (e.otherwise && ofPart(e.otherwise));
    case "match":
      return e.arms.map((arm) => ofPart(arm.body)).find((form) => form !== undefined);
    default:
      return undefined;
  }
}

/** The form of an array that the function makes, if it gives back a tensor of its arguments. */
function arrayFormLike(form: Form): Form | undefined {
  const type = typeOfForm(form);
  if (type.kind !== "tensor" || type.axes.length === 0) return undefined;
  return { kind: "array", element: type.element, rank: type.axes.length };
}

/** Whether a body always ends with an effect, or with a call of a function that does. */
function givesNothing(place: Place, e: ast.Expression, open: ReadonlySet<string>): boolean {
  const again = (part: ast.Expression): boolean => givesNothing(place, part, open);
  switch (e.kind) {
    case "block":
      return !e.value || again(e.value);
    case "if":
      return !e.otherwise || (again(e.then) && again(e.otherwise));
    case "match":
      return e.arms.every((arm) => again(arm.body));
    case "call": {
      const called =
        e.callee.kind === "path" && e.callee.segments.length === 1
          ? e.callee.segments[0]!.text
          : "";
      if (called === "print" || called === "assert" || open.has(called)) return true;
      const { declaration } = lookUpFunction(place.scope, called) ?? {};
      if (!declaration || declaration.result) return false;
      return givesNothing(place, declaration.body, new Set([...open, called]));
    }
    default:
      return false;
  }
}

/**
 * The form of the enum that a variant belongs to. The form of a generic enum is known only from a
 * parameter.
 */
function variantForm(
  place: Place,
  { segments, span }: ast.Path,
  parameters: ReadonlyMap<string, Form>,
): Form | undefined {
  const path: ast.Path = { kind: "path", segments: segments.slice(0, -1), span };
  const data = segments.length > 1 ? dataAt(place, path) : undefined;
  if (!data || data === "wrong") return undefined;
  if (data.declaration.generics.length === 0)
    return declaredForm(place, { kind: "named", path: path.segments, arguments: [], span });
  return [...parameters.values()].find(
    (form) =>
      form.kind === "parts" &&
      form.type.kind === "data" &&
      form.type.of.declaration === data.declaration,
  );
}

export function typeOfForm(form: Form): Typed["type"] {
  if (form.kind === "scalar") return scalar(form.element);
  if (form.kind === "window") return form.base.type;
  if (form.kind === "array")
    return tensor(
      form.element,
      Array.from({ length: form.rank }, () => ({})),
    );
  if (form.kind === "references")
    return { kind: "list", of: form.of.type, axes: Array.from({ length: form.rank }, () => ({})) };
  if (form.kind === "functions") return form.of.type;
  return form.kind === "fixed" ? form.value.type : form.type;
}
