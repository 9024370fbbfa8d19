// The body of a called function: its statements, and its value under the declared result type. A
// dimension name of the result type may be a coordinate of the value:
//
//   fn double(x: [f32; n]) -> [f32; n] { 2.0 * x[n] }

import { castRepair } from "../types/cast-repair.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { ofVariable } from "../../affine/term.ts";
import { newFrame, refuse, report, silent, wrongAt, type Place, type Use } from "../context.ts";
import { coordinateValue, declareCoordinate, newBinder } from "../ranges/coordinates.ts";
import { hasDamagedEnd } from "../statements/damaged.ts";
import { mustAgree } from "../statements/agree.ts";
import { declaredValue } from "../types/declared-value.ts";
import { extentRange, checkLayout, inferRanges } from "../ranges/ranges.ts";
import { scopeInside, type CoordinateBinding, type Scope } from "../names/scope.ts";
import {
  isAnyRank,
  matchParameter,
  resultLayout,
  type ResultAxis,
  isTensorType,
  isArrayOfData,
} from "./signatures.ts";
import { declaredAs } from "./result-help.ts";
import { standsIn } from "../ranges/stands-in.ts";
import { holdsFunctions } from "../values/tuples.ts";
import type { Binder, TensorBinding, Typed, ValueBinding } from "../types/typed.ts";
import {
  isScalar,
  scalar,
  showElement,
  showType,
  tensor,
  unify,
  unit,
  type Axis,
  type Element,
} from "../types/types.ts";
import { heldTo } from "./held/held-functions.ts";
import type { Bound } from "./bound.ts";
import { expression, statements } from "../elaborate.ts";
import { integerValue } from "../values/integer-value.ts";

export function bodyOf(place: Place, declaration: ast.Fn, bound: Bound): Typed {
  const { body } = declaration;
  const inside: Place = { ...place, scope: scopeInside(place.scope), inner: true };
  const bindings = statements(inside, body.statements).flatMap((action) =>
    action.kind === "bind" ? [action.binding] : [],
  );
  const value = valueOfBody(inside, declaration, bound, bindings);
  // The other statements of the body are still checked later, unless the call stands under
  // coordinates.
  if (value.kind === "wrong" && !place.indexed && !place.recursion)
    place.checker.salvaged.push(...bindings);
  return value;
}

function valueOfBody(
  inside: Place,
  declaration: ast.Fn,
  bound: Bound,
  bindings: readonly (ValueBinding | TensorBinding)[],
): Typed {
  const { body, result } = declaration;
  if (hasDamagedEnd(inside.checker, body)) return silent(inside, body.span);
  if (!body.value) {
    if (result)
      return refuse(
        inside,
        "E0411",
        `\`${declaration.name.text}\` declares a result and its body ends without one`,
        body.span,
        {
          help: "the last expression is the value: leave out its `;`",
        },
      );
    return { kind: "tuple", members: [], type: unit, span: body.span };
  }
  if (
    result &&
    (isAnyRank(result) ||
      !isTensorType(inside.scope, result) ||
      isArrayOfData(inside.scope, result))
  ) {
    const given = withoutLayout(inside, body.value, result);
    if (given.kind === "wrong" || !matchParameter(inside, bound, result, given, "the result"))
      return wrongAt(body.span);
    const value = holdsFunctions(given) ? heldTo(inside, bound, result, given) : given;
    return bindings.length === 0
      ? value
      : { kind: "block", bindings, value, type: value.type, span: body.span };
  }
  const layout = result && resultLayout(inside, bound, result);
  if (result && !layout) return wrongAt(body.span);
  const value = layout
    ? underLayout(inside, body.value, layout, result, bound)
    : withoutLayout(inside, body.value);
  if (value.kind === "wrong" || bindings.length === 0) return value;
  return { kind: "block", bindings, value, type: value.type, span: body.span };
}

function withoutLayout(place: Place, e: ast.Expression, result?: ast.Type): Typed {
  const frame = place.indexed ? place.frame : newFrame();
  const inside = { ...place, frame };
  const value = declaredValue(inside, e, result);
  if (!place.indexed && value.kind !== "wrong") inferRanges(inside, frame, "result");
  return value;
}

/** A value under a declared tensor type. The names of that type are coordinates of the value. */
function underLayout(
  place: Place,
  e: ast.Expression,
  layout: { readonly element: Element; readonly axes: readonly ResultAxis[] },
  declared: ast.Type,
  bound: Bound,
): Typed {
  const scope = scopeInside(place.scope);
  const binders = layout.axes.map((resultAxis) => resultBinder(resultAxis, declared));
  const emptyPacks = [...bound.packs].flatMap(([name, axes]) => (axes.length === 0 ? [name] : []));
  declareLayout(scope, layout.axes, binders, emptyPacks, declared.span);
  const frame = newFrame();
  const standing = new Set(binders.map((binder) => binder.variable));
  const indexed = binders.length > 0 ? { indexed: place.indexed ?? e.span } : {};
  const inside: Place = { ...place, scope, frame, standing, ...indexed };
  const written = expression(inside, e);
  if (frame.spoiled) place.frame.spoiled = true;
  if (written.kind === "wrong") return written;
  inferRanges(inside, frame, "result");
  checkLayout(
    place,
    frame,
    new Map(binders.map((binder, k) => [binder, declaredUse(binder, layout.axes[k]!, declared)])),
  );
  place.frame.uses.push(...frame.uses);
  if (written.type.kind !== "tensor" || !unify(written.type.element, layout.element)) {
    const have =
      written.type.kind === "tensor" ? showElement(written.type.element) : showType(written.type);
    return refuse(
      place,
      "E0411",
      "the value " +
        `${written.type.kind === "tensor" && !isScalar(written.type) ? "has elements" : "is"} ` +
        `${have}, ${showElement(layout.element)} is declared`,
      written.span,
      {
        ...castRepair(written, layout.element, { span: declared.span, text: "declared here" }),
      },
    );
  }

  const free = binders.filter((binder) => !standsIn(binder, written));
  const { axes } = written.type;
  if (free.length !== axes.length) {
    return refuse(
      place,
      "E0411",
      `the value has rank ${binders.length - free.length + axes.length}, ` +
        `rank ${binders.length} is declared`,
      written.span,
      {
        labels: [{ span: declared.span, text: "declared here" }],
        ...(free.length === binders.length ? declaredAs(place.scope, written.type, declared) : {}),
      },
    );
  }
  const namedAxes = layout.axes.map((resultAxis, k): Axis => ({
    ...resultAxis.axis,
    name: nameOfResult(resultAxis, binders[k]!, bound),
  }));
  const types = free.map((binder, k) =>
    agreesWithLayout(place, layout.axes[binders.indexOf(binder)]!, axes[k]!, written, declared),
  );
  if (types.some((fits) => !fits)) return wrongAt(e.span);
  const known = namedAxes.map((axis, k) =>
    axis.extent ? axis : { ...axes[free.indexOf(binders[k]!)], name: axis.name! },
  );
  if (free.length === binders.length) return { ...written, type: tensor(layout.element, known) };
  const indices = free.map((binder) => coordinateValue(coordinateOf(binder), e.span));
  const cell: Typed =
    axes.length === 0
      ? written
      : { kind: "read", base: written, indices, type: scalar(layout.element), span: e.span };
  for (const binder of free) if (!binder.from) extentRange(binder, axes[free.indexOf(binder)]!);
  return {
    kind: "abstract",
    binders,
    body: cell,
    type: tensor(layout.element, known),
    span: e.span,
  };
}

/**
 * The name of a result's axis. An axis of a pack keeps the name that the caller knows, unless the
 * signature uses that name for something else.
 */
function nameOfResult(
  { name, pack, axis }: ResultAxis,
  binder: Binder,
  bound: Bound,
): string | undefined {
  if (!pack) return name ?? axis.name ?? binder.name;
  return axis.name !== undefined && !bound.axes.has(axis.name) && !bound.named.has(axis.name)
    ? axis.name
    : undefined;
}

function agreesWithLayout(
  place: Place,
  result: ResultAxis,
  axis: Axis,
  value: Typed,
  declared: ast.Type,
): boolean {
  return mustAgree(place, result.axis, axis, value.span, () =>
    report(
      place,
      "E0411",
      `the value is ${showType(value.type)}, which is not the declared layout`,
      value.span,
      {
        labels: [{ span: declared.span, text: "declared here" }],
      },
    ),
  );
}

function resultBinder(resultAxis: ResultAxis, declared: ast.Type): Binder {
  const binder = newBinder(
    resultAxis.name ?? resultAxis.pack?.text ?? "i",
    declared.span,
    true,
    resultAxis.pack?.text,
  );
  if (resultAxis.axis.domain) binder.domain = resultAxis.axis.domain;
  extentRange(binder, resultAxis.axis);
  return binder;
}

/** A use of a result's coordinate along its declared axis. */
function declaredUse({ variable }: Binder, { axis }: ResultAxis, { span }: ast.Type): Use {
  const term = ofVariable(variable);
  const index = integerValue(term, span);
  return {
    index,
    term,
    axis: () => axis,
    tensor: textOf(span),
    growing: false,
    span,
    guarded: new Set(),
  };
}

function coordinateOf(binder: Binder): CoordinateBinding {
  return { kind: "coordinate", name: binder.name, span: binder.span, binder };
}

/** Declares the coordinates of a result type. A pack of no axes is declared too. */
function declareLayout(
  scope: Scope,
  axes: readonly ResultAxis[],
  binders: readonly Binder[],
  emptyPacks: readonly string[],
  span: Span,
): void {
  const packs = new Map<string, CoordinateBinding[]>(emptyPacks.map((name) => [name, []]));
  for (const [k, resultAxis] of axes.entries()) {
    if (resultAxis.pack)
      packs.set(resultAxis.pack.text, [
        ...(packs.get(resultAxis.pack.text) ?? []),
        coordinateOf(binders[k]!),
      ]);
    else if (resultAxis.name) declareCoordinate(scope, binders[k]!);
  }
  for (const [name, coordinates] of packs) {
    scope.names.set(`..${name}`, { kind: "pack", name, span: span, coordinates });
  }
}
