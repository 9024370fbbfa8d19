// Calling a function of the program: each call is checked with its own arguments, as if the body stood there.

import type * as ast from "../syntax/ast.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { ofVariable } from "../ir/affine/term.ts";
import { annotation } from "./annotations.ts";
import { readAt } from "./access.ts";
import { newBinder } from "./coordinates.ts";
import { notBuilt, report, wrongAt, type Place } from "./context.ts";
import { ascribe, blockOf, expression } from "./expressions.ts";
import { valueBinding } from "./integers.ts";
import { extentRange } from "./ranges.ts";
import { scopeInside, type FunctionBinding } from "./scope.ts";
import type { Binder, Typed, ValueBinding } from "./typed.ts";
import { isScalar, scalar, tensor, type Axis, type Type } from "./types.ts";

/** Calls nested deeper than this are taken for recursion. */
const deepest = 64;

export function callFunction(place: Place, callee: FunctionBinding, e: ast.Call): Typed {
  const { declaration } = callee;
  if (declaration.coordinates.length > 0 || e.bracket) return notBuilt(place, "a coordinate function", e.span);
  if (place.depth >= deepest) return notBuilt(place, `recursion of \`${callee.name}\``, e.span);
  const values = bindArguments(place, callee, e);
  if (!values || values.some((value) => value.kind === "wrong")) return wrongAt(e.span);

  const types = declaration.parameters.map((parameter) => parameter.type && annotation({ ...place, scope: callee.scope }, parameter.type));
  const mustLift = values.some((value, k) => types[k] && isScalar(types[k]) && rankOf(value.type) > 0);
  if (mustLift) return lifted(place, callee, e, values, types);

  const before = place.checker.diagnostics;
  const mayLift = values.some((value, k) => !types[k] && rankOf(value.type) > 0);
  if (!mayLift) return inlined(place, callee, e, values, types);

  // An untyped parameter is first tried with the tensor itself; only if that fails is the call lifted.
  const uses = place.frame.uses.length;
  const reduced = place.frame.reduced.length;
  place.checker.diagnostics = [];
  const whole = inlined(place, callee, e, values, types);
  const failed = place.checker.diagnostics;
  place.checker.diagnostics = before;
  if (failed.every((diagnostic) => diagnostic.level !== "error")) {
    before.push(...failed);
    return whole;
  }
  place.frame.uses.length = uses;
  place.frame.reduced.length = reduced;
  place.checker.diagnostics = [];
  const cells = lifted(place, callee, e, values, types);
  const alsoFailed = place.checker.diagnostics.some((diagnostic) => diagnostic.level === "error");
  before.push(...(alsoFailed ? failed : place.checker.diagnostics));
  place.checker.diagnostics = before;
  return alsoFailed ? wrongAt(e.span) : cells;
}

function rankOf(type: Type): number {
  return type.kind === "tensor" ? type.axes.length : 0;
}

function inlined(
  place: Place,
  callee: FunctionBinding,
  e: ast.Call,
  values: readonly Typed[],
  types: readonly (Type | undefined)[],
): Typed {
  const scope = scopeInside(callee.scope);
  const inside: Place = { ...place, scope, depth: place.depth + 1 };
  const bindings = callee.declaration.parameters.map((parameter, k): ValueBinding => {
    const type = types[k];
    const value = type ? ascribe(place, values[k]!, type, parameter.type!.span) : values[k]!;
    const binding = valueBinding(place, "parameter", parameter.name, value);
    scope.names.set(binding.name, binding);
    return binding;
  });
  if (bindings.some((binding) => binding.value?.kind === "wrong")) return wrongAt(e.span);
  const body = blockOf(inside, callee.declaration.body);
  if (body.kind === "wrong") return wrongAt(e.span);
  const { result } = callee.declaration;
  const value = result ? ascribe(place, body, annotation(inside, result), result.span) : body;
  if (value.kind === "wrong") return wrongAt(e.span);
  return { kind: "block", bindings, value, type: value.type, span: e.span };
}

/** The call for each cell of its tensor arguments, which have one shape. */
function lifted(
  place: Place,
  callee: FunctionBinding,
  e: ast.Call,
  values: readonly Typed[],
  types: readonly (Type | undefined)[],
): Typed {
  const over = values.find((value, k) => rankOf(value.type) > 0 && (!types[k] || isScalar(types[k])))!;
  const axes = (over.type as { axes: readonly Axis[] }).axes;
  const binders = axes.map((axis): Binder => {
    const binder = newBinder(axis.name ?? "i", e.span, true);
    extentRange(binder, axis);
    return binder;
  });
  const indices = binders.map((binder): Typed => ({
    kind: "integer",
    term: ofVariable(binder.variable),
    type: scalar("i32"),
    span: e.span,
  }));
  const cells = values.map((value, k) => {
    if (rankOf(value.type) === 0 || (types[k] && !isScalar(types[k]))) return value;
    if (rankOf(value.type) !== axes.length) {
      report(place, "E0403", `the tensor arguments of \`${callee.name}\` must have one shape`, e.arguments[k]?.span ?? e.span);
      return wrongAt(e.span);
    }
    return readAt(place, value, indices, value.span, indices.map(() => value.span));
  });
  if (cells.some((cell) => cell.kind === "wrong")) return wrongAt(e.span);
  const body = inlined({ ...place, indexed: e.span }, callee, e, cells, types);
  if (body.kind === "wrong" || body.type.kind !== "tensor") return wrongAt(e.span);
  return { kind: "abstract", binders, body, type: tensor(body.type.element, [...axes, ...body.type.axes]), span: e.span };
}

/** One value for each parameter: by position, by name, or its default. */
function bindArguments(place: Place, callee: FunctionBinding, e: ast.Call): readonly Typed[] | undefined {
  const { parameters } = callee.declaration;
  const values: (Typed | undefined)[] = parameters.map(() => undefined);
  const says = { span: callee.span, text: "declared here" };
  let position = 0;
  for (const argument of e.arguments) {
    let k = position;
    if (argument.name) {
      const { name } = argument;
      k = parameters.findIndex((parameter) => parameter.name.text === name.text);
      if (k < 0) {
        report(place, "E0502", `\`${callee.name}\` has no parameter \`${name.text}\``, name.span, {
          labels: [says],
          help: didYouMean(name.text, parameters.map((parameter) => parameter.name.text)),
        });
        return undefined;
      }
    } else position++;
    if (k >= parameters.length) {
      report(place, "E0501", `\`${callee.name}\` takes ${parameters.length} arguments, here are ${e.arguments.length}`, argument.span, { labels: [says] });
      return undefined;
    }
    if (values[k]) {
      report(place, "E0502", `\`${parameters[k]!.name.text}\` is given twice`, argument.span, { labels: [says] });
      return undefined;
    }
    values[k] = expression(place, argument.value);
  }
  for (const [k, parameter] of parameters.entries()) {
    if (values[k]) continue;
    if (!parameter.default) {
      report(place, "E0501", `\`${callee.name}\` needs \`${parameter.name.text}\``, e.span, { labels: [says] });
      return undefined;
    }
    values[k] = expression({ ...place, scope: callee.scope }, parameter.default);
  }
  return values as Typed[];
}
