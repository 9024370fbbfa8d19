// Calls are checked in this folder: functions, their arguments and signatures; the expressions in
// function bodies are elaborated elsewhere.
//
// This file finds out what a call calls: a reduction, an operation, a built-in function, a function
// of the program, or a value that is a function.

import { write, type Repair } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { operationOfFunction, arityOf, type OperationName } from "../../scalar/operations.ts";
import { isReductionName } from "../../scalar/reductions.ts";
import { subtract, type Term } from "../../affine/term.ts";
import { refuse, silent, wrongAt, type Place } from "../context.ts";
import { extentValue } from "../types/extents.ts";
import { areCount, counted } from "../lints/count.ts";
import { attemptCheck } from "../attempt.ts";
import { coordinateValue } from "../ranges/coordinates.ts";
import { variantAt } from "../data/data-at.ts";
import { rowCount } from "../data/rows/rows-of.ts";
import { shapeTensor } from "../types/shapes.ts";
import {
  adviceForMethod,
  fromOtherLibrary,
  namedReduction,
  castOfWrong,
  rootOf,
} from "../names/foreign.ts";
import { isForeignLibrary } from "../../diagnostics/foreign/advice.ts";
import { refuseWhere } from "../names/where-of-numpy.ts";
import { maskedValue } from "../names/masks.ts";
import { forgottenEnd } from "../lints/forgotten-end.ts";
import { gradientOfCall } from "../derivatives/gradient-help.ts";
import { callFunction } from "./functions.ts";
import { throughModules } from "../names/module-paths.ts";
import { unknownFunction, unknownPath } from "../names/names.ts";
import { type Builtin, isBuiltin } from "./builtins.ts";
import { apply } from "../expressions/operators.ts";
import { rangeOfBinder, binderAlong } from "../ranges/ranges.ts";
import { coordinateSize } from "../types/sizes.ts";
import { reductionOf } from "../expressions/reductions.ts";
import { refuseEffect } from "../statements/refuse-effect.ts";
import { findRequest, spelledOut } from "../derivatives/differentials.ts";
import { requestOf, withoutCoordinates } from "../derivatives/requests.ts";
import {
  builtinName,
  dimensionNamed,
  isUnbound,
  lookUp,
  lookUpCallee,
  type Binding,
} from "../names/scope.ts";
import { canBeCell, textLength, textMethod, wholeText } from "../expressions/strings.ts";
import type { TextPart, Typed } from "../types/typed.ts";
import { isFloat } from "../../scalar/types.ts";
import {
  decided,
  isIntegerScalar,
  scalar,
  showType,
  unit,
  isText,
  type Axis,
} from "../types/types.ts";
import { lengthInPlace } from "../ranges/length-in-place.ts";
import { callValue } from "./held/call-value.ts";
import { variantValue } from "../data/data-values.ts";
import { readAt } from "../ranges/reads.ts";
import { expression, partWithValue, checkIsBool } from "../elaborate.ts";
import { integerValue } from "../values/integer-value.ts";

export function callOf(place: Place, e: ast.Call): Typed {
  if (e.callee.kind === "member" && !e.bracket) return methodCall(place, e.callee, e);
  if (e.callee.kind !== "path")
    return (
      gradientOfCall(place, e) ??
      (e.bracket
        ? callListed(place, e, e.bracket)
        : callValue(place, expression(place, e.callee), e))
    );
  const [word] = e.callee.segments;
  if (word?.text === "where" && e.callee.segments.length === 1) return refuseWhere(place, word, e);
  const found = throughModules(place, e.callee);
  if (found === "wrong") return silent(place, e.span);
  // The place where the function is looked up. The arguments are always checked at the call.
  const { place: lookUpPlace, path: callee } = found ?? { place, path: e.callee };
  const variant = variantAt(lookUpPlace, callee);
  if (variant)
    return variant === "wrong" ? wrongAt(e.span) : variantValue(place, variant, e, e.span);
  if (
    callee.segments.length > 1 &&
    lookUp(lookUpPlace.scope, callee.segments[0]!.text)?.kind === "wrong"
  )
    return silent(place, e.span);
  if (callee.segments.length > 1) return unknownPath(lookUpPlace, callee);

  const own = lookUpCallee(lookUpPlace.scope, callee.segments[0]!.text);
  if (own?.kind === "function") return callFunction(place, own, e);
  if (own) return callValue(place, expression(lookUpPlace, callee), e);
  const name: ast.Name = {
    ...callee.segments[0]!,
    text: builtinName(lookUpPlace.scope, callee.segments[0]!.text),
  };
  if (e.bracket) {
    if (isReductionName(name.text)) return reductionOf(place, name.text, e);
    const value = lookUp(lookUpPlace.scope, name.text);
    if (value?.kind === "wrong") return silent(place, e.span);
    const of =
      value?.kind === "value"
        ? value
        : value?.kind === "const"
          ? expression(lookUpPlace, callee)
          : undefined;
    if (of?.type.kind === "list" && of.type.of.kind === "function")
      return callListed(place, e, e.bracket);
    if (value) {
      return refuse(place, "E0202", `\`${name.text}\` is a value, not a function`, name.span, {
        help: `to read it and multiply, write \`${name.text}[…] * (…)\``,
      });
    }
    return unknownFunction(place, name, e);
  }
  const operation = operationOfFunction.get(name.text);
  const hasAxisKeyword = e.arguments.some((argument) =>
    argument.name?.text.match(/^(?:axis|dim|keepdims?)$/),
  );
  if (operation && !(isReductionName(name.text) && (e.arguments.length === 1 || hasAxisKeyword)))
    return operationCall(place, operation, e);
  if (isReductionName(name.text)) {
    const title = `\`${name.text}\` does not say which coordinates it reduces`;
    return refuse(place, "E0302", title, e.span, reductionMeant(place, name, e));
  }
  if (isBuiltin(name.text)) return builtinCall(place, name.text, e);
  if (name.text === "rev") return reversed(place, e);
  const value = lookUp(lookUpPlace.scope, name.text);
  if (value?.kind === "wrong") return silent(place, e.span);
  if (value)
    return (
      forgottenEnd(place, name.span, e.span) ??
      refuse(
        place,
        "E0202",
        `\`${name.text}\` is a value, not a function`,
        name.span,
        readInstead(value, e),
      )
    );
  return unknownFunction(place, name, e);
}

/** The help for `sum(X, axis = 0)`: the reduction with a coordinate for each axis. */
function reductionMeant(place: Place, { text }: ast.Name, e: ast.Call): Partial<Repair> {
  const [first, ...others] = e.arguments;
  if (!first) return { help: `name them: \`${text}[i](x[i])\`` };
  let type: Typed["type"] | undefined;
  const tried = attemptCheck(place, () => {
    const value = expression(place, first.value);
    type = value.type;
    return value;
  });
  tried.undo();
  const rank = type?.kind === "tensor" && !tried.isWrong ? type.axes.length : undefined;
  const { value } = first;
  return namedReduction(place, "name them", { reduction: text, value, others, span: e.span, rank });
}

/** `fs[k](x)`, where `fs` is an array of functions: the bracket is an index. */
function callListed(place: Place, e: ast.Call, bracket: readonly ast.BracketItem[]): Typed {
  const items = bracket.map((item): ast.IndexItem => {
    const value: ast.Expression =
      item.kind === "expression"
        ? item.value
        : {
            kind: "path",
            segments: item.kind === "group" ? item.names : [item.name],
            span: item.span,
          };
    return { kind: "expression", value, span: item.span };
  });
  const { bracket: _, ...call } = e;
  const last = bracket.at(-1)?.span ?? e.callee.span;
  const end = e.span.source.text.indexOf("]", last.end) + 1;
  const of = expression(place, {
    kind: "index",
    base: e.callee,
    items,
    span: { ...e.callee.span, end },
  });
  return of.kind === "wrong" ? of : callValue(place, of, call);
}

/** `rev(a..b)`: the same integers, downward. */
function reversed(place: Place, e: ast.Call): Typed {
  const [only, ...others] = e.arguments;
  const range = only && others.length === 0 ? expression(place, only.value) : undefined;
  if (range?.kind === "wrong") return range;
  if (range?.kind === "range") return { ...range, reversed: !range.reversed, span: e.span };
  const end =
    others.length === 0 && range && isIntegerScalar(range.type) ? textOf(only!.span) : undefined;
  const parts = end === undefined ? { help: "write `rev(0..n)`" } : write(e.span, `rev(0..${end})`);
  return refuse(place, "E0501", "`rev` takes one range", e.span, parts);
}

/** `s.upper()`, or a call of a field that holds a function. */
function methodCall(place: Place, callee: ast.Member, e: ast.Call): Typed {
  const isMeantOfLibrary = isUnbound(place.scope, callee);
  if (callee.name.text === "where") {
    if (isMeantOfLibrary && isForeignLibrary(rootOf(callee)?.text ?? ""))
      return refuseWhere(place, callee.name, e);
    const of = expression(place, callee.base);
    return of.kind === "wrong" ? of : refuseWhere(place, callee.name, e, callee.base);
  }
  const foreign = isMeantOfLibrary ? fromOtherLibrary(place, callee, e) : undefined;
  if (foreign) return foreign;
  const masked = maskedMethod(place, callee, e);
  if (masked) return masked;
  const base = expression(place, callee.base);
  if (base.kind === "wrong") {
    const cast = castOfWrong(callee, e);
    const title = "no value has a method `astype`";
    return cast ? refuse(place, "E0410", title, callee.name.span, cast) : wrongAt(e.span);
  }
  if (isText(base.type)) return textMethod(place, base, callee.name, e);
  if (base.type.kind === "tensor") {
    const title = `${showType(base.type)} has no method \`${callee.name.text}\``;
    return refuse(
      place,
      "E0410",
      title,
      callee.name.span,
      adviceForMethod(place, callee, e, base.type),
    );
  }
  return callValue(place, expression(place, callee), e);
}

/** Refuses `x[x > 0.0].sum()`, and shows the reduction with a guard. */
function maskedMethod(place: Place, { base, name }: ast.Member, e: ast.Call): Typed | undefined {
  if (!isReductionName(name.text) || !maskedValue(place, base)) return undefined;
  const title = `a tensor has no method \`${name.text}\``;
  const named = namedReduction(place, "a reduction names what it walks", {
    reduction: name.text,
    value: base,
    others: e.arguments,
    span: e.span,
  });
  return refuse(place, "E0410", title, name.span, named);
}

function operationCall(place: Place, operation: OperationName, e: ast.Call): Typed {
  const values = plainArguments(place, e, arityOf(operation));
  return values ? apply(place, operation, values, e.span) : wrongAt(e.span);
}

/** The arguments of a function that has no keywords. */
function plainArguments(place: Place, e: ast.Call, count: number): readonly Typed[] | undefined {
  const name = textOf(e.callee.span);
  const keyword = e.arguments.find((argument) => argument.name);
  if (keyword) {
    refuse(
      place,
      "E0502",
      `\`${name}\` has no parameter \`${keyword.name!.text}\``,
      keyword.name!.span,
      {
        help: isReductionName(name)
          ? `axes have names, and a reduction names those that it walks: \`${name}[i](x[i, j])\``
          : "its arguments go by position",
      },
    );
    return undefined;
  }
  if (e.arguments.length !== count) {
    refuse(
      place,
      "E0501",
      `\`${name}\` takes ${counted(count, "argument")}, here ${areCount(e.arguments.length)}`,
      e.span,
    );
    return undefined;
  }
  return e.arguments.map((argument) => expression(place, argument.value));
}

function builtinCall(place: Place, name: Builtin, e: ast.Call): Typed {
  switch (name) {
    case "print":
    case "assert":
      if (place.indexed && !place.acts) return refuseEffect(place, name, e.span, place.indexed);
      return effectOf(place, name, e);
    case "extent":
      return extentCall(place, e);
    default: {
      const [only] = e.arguments;
      if (
        name === "len" &&
        place.indexed &&
        e.arguments.length === 1 &&
        only!.value.kind === "comprehension" &&
        !only!.name
      )
        return lengthInPlace(place, only!.value);
      const values = plainArguments(place, e, 1);
      const [value] = values ?? [];
      if (!value || value.kind === "wrong") return wrongAt(e.span);
      if (name === "typeof") {
        return {
          kind: "text",
          parts: [showType(value.type)],
          isType: true,
          type: scalar("str"),
          span: e.span,
        };
      }
      if (name === "len" && isText(value.type)) return textLength(place, value, e.span);
      if (name === "len" && (value.type.kind === "list" || value.type.kind === "jagged")) {
        const term = value.type.kind === "jagged" ? rowCount(value) : value.type.axes[0]!.extent!;
        return integerValue(term, e.span);
      }
      if (name === "shape" && (value.type.kind === "tensor" || value.type.kind === "list"))
        return shapeTensor(place.checker, value.type.axes, e.span);
      if (value.type.kind !== "tensor")
        return refuse(place, "E0401", `\`${name}\` of ${showType(value.type)}`, e.span);
      const extent = value.type.axes[0]?.extent;
      if (!extent) return refuse(place, "E0402", "a scalar has no length", e.span);
      return integerValue(extentValue(place.checker, extent), e.span);
    }
  }
}

/** `print(@y)` shows the tangent equation, and `print(@y / @x)` the derived program. */
function derivationOf(place: Place, written: ast.Expression): Typed | undefined {
  const e = spelledOut(place, written);
  const text = (derivation: Extract<TextPart, { derivation: unknown }>["derivation"]): Typed => ({
    kind: "text",
    parts: [{ derivation }],
    type: scalar("str"),
    span: e.span,
  });
  const quotient = findRequest(place, e);
  if (quotient) {
    const { whole, names } = withoutCoordinates(place, quotient);
    const request = requestOf(place, whole);
    if (request.kind !== "request") return request;
    return text({ of: request.numerator, wrt: request.denominator, ...(names ? { names } : {}) });
  }
  if (e.kind !== "unary" || e.operator !== "@") return undefined;
  const of = expression(place, e.operand);
  if (of.kind === "wrong") return of;
  if (of.type.kind !== "tensor" || !isFloat(decided(of.type.element))) {
    return refuse(
      place,
      "E0704",
      `this is ${showType(of.type)}, and differentials are of floats`,
      e.span,
    );
  }
  return text({ of });
}

/** Records an effect in the statement around it. The call itself has no value. */
function effectOf(place: Place, name: "print" | "assert", e: ast.Call): Typed {
  const nothing: Typed = { kind: "tuple", members: [], type: unit, span: e.span };
  const { when } = place;
  if (name === "print") {
    const values = e.arguments.map(
      (argument) => derivationOf(place, argument.value) ?? partWithValue(place, argument.value),
    );
    if (values.some((value) => value.kind === "wrong")) return wrongAt(e.span);
    const range = values.find((value) => value.type.kind === "range");
    if (range)
      return refuse(place, "E0401", "a range cannot be printed", range.span, {
        help: "print what runs over it: a tensor",
      });
    const shown = place.acts ? inOneText(place, values, e.span) : values;
    if (!shown) return wrongAt(e.span);
    place.effects.push({ kind: "print", values: shown, when, span: e.span });
    return nothing;
  }
  const [condition, said, ...others] = e.arguments;
  if (!condition || others.length > 0) {
    return refuse(place, "E0501", "`assert` takes a condition and, if you like, a message", e.span);
  }
  const test = asserted(place, condition.value);
  const message = said && expression(place, said.value);
  if (test.kind === "wrong" || message?.kind === "wrong") return wrongAt(e.span);
  if (place.acts && message && !inOneText(place, [message], e.span)) return wrongAt(e.span);
  place.effects.push({
    kind: "assert",
    condition: test,
    when,
    span: e.span,
    ...(message ? { message } : {}),
  });
  return nothing;
}

/**
 * The values of a `print` as one text, which is all that an instance can print. A value that cannot
 * be part of a text is reported.
 */
function inOneText(
  place: Place,
  values: readonly Typed[],
  span: Span,
): readonly Typed[] | undefined {
  const parts = values.flatMap((value, k) => {
    const whole = wholeText(place, value);
    return [...(k === 0 ? [] : [" "]), { value, ...(whole ? { whole } : {}) }];
  });
  const text: Typed = { kind: "text", parts, type: scalar("str"), span };
  return canBeCell(place, text) ? [text] : undefined;
}

/** `extent(n)` of a dimension name or a coordinate. */
function extentCall(place: Place, e: ast.Call): Typed {
  const [argument, ...others] = e.arguments;
  const path = argument?.value;
  if (!path || others.length > 0 || path.kind !== "path" || path.segments.length !== 1) {
    return refuse(place, "E0501", "`extent` takes one dimension name or coordinate", e.span, {
      help: "for a tensor's first axis write `len(x)`",
    });
  }
  const name = path.segments[0]!;
  const binding = lookUp(place.scope, name.text);
  const dimension = dimensionNamed(place.scope, name.text);
  let extent: Term | undefined;
  if (binding?.kind === "coordinate") {
    const range = rangeOfBinder(place.checker, binding.binder);
    extent = range ? subtract(range.to, range.from) : coordinateSize(place.checker, binding.binder);
  } else if (dimension) extent = dimension.extent;
  else if (binding?.kind === "wrong") return silent(place, e.span);
  else if (binding) {
    return refuse(
      place,
      "E0401",
      `\`${name.text}\` is neither a dimension name nor a coordinate`,
      name.span,
      {
        help: `for a tensor's first axis write \`len(${name.text})\``,
      },
    );
  } else {
    return refuse(place, "E0201", `there is no dimension \`${name.text}\``, name.span, {
      help:
        "a coordinate is known inside its own bracket; " +
        "the size of a tensor's first axis is `len(x)`",
    });
  }
  return integerValue(extentValue(place.checker, extent), e.span);
}

/** The repair for `x(i)` with a tensor `x`: the read `x[i]`. */
function readInstead(
  bound: Binding,
  { callee, arguments: given, span }: ast.Call,
): Partial<Repair> {
  const type = bound.kind === "value" || bound.kind === "tensor" ? bound.type : undefined;
  const isRead = type?.kind === "tensor" && given.length > 0 && given.length <= type.axes.length;
  const isIndex = ({ name, value }: ast.Argument): boolean =>
    name === undefined && ["number", "path", "binary"].includes(value.kind);
  if (!isRead || !given.every(isIndex)) return {};
  const indices = given.map(({ span: index }) => textOf(index)).join(", ");
  return write(span, `${textOf(callee.span)}[${indices}]`);
}

// ── assert ──────────────────────────────────────────────────────────────────────────────────────

/** `assert(a == b)` of tensors is `assert(all[i, j](a[i, j] == b[i, j]))`. */
function asserted(place: Place, e: ast.Expression): Typed {
  const value = expression(place, e);
  const { type } = value;
  if (type.kind === "tensor" && type.axes.length > 0 && decided(type.element) === "bool")
    return allCells(place, value, type.axes, e.span);
  return checkIsBool(place, e, value, "what is asserted");
}

const letters = "ijklmnpq";

function allCells(place: Place, value: Typed, axes: readonly Axis[], span: Span): Typed {
  const binders = axes.map((axis, k) =>
    binderAlong(axis, span, axis.name ?? letters[k] ?? `i${k}`),
  );
  const indices = binders.map((binder) =>
    coordinateValue({ kind: "coordinate", name: binder.name, span, binder }, span),
  );
  const spans = indices.map(() => span);
  const body = readAt(place, value, indices, span, spans);
  return { kind: "reduce", reduction: "all", binders, items: [], body, type: scalar("bool"), span };
}
