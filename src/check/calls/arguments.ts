// The arguments of a call. The bracket binds its coordinates, and each argument is checked under
// them. An argument that mentions such a coordinate becomes a tensor over it:
//
//   f[class](x[b, class])      the argument is the tensor `x[b, …]` with the axis `class`
//
// Then each argument goes to a parameter, by position, by name or by default.

import {
  removeItem,
  before,
  fixed,
  nearest,
  repair,
  type Repair,
} from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import { mentions } from "../../affine/visit.ts";
import {
  errorCount,
  newFrame,
  refuse,
  report,
  wrongAt,
  type Frame,
  type Place,
} from "../context.ts";
import { areCount, counted } from "../lints/count.ts";
import { pathsIn } from "../names/free-names.ts";
import { valueBinding } from "../types/integers.ts";
import { declaredValue } from "../types/declared-value.ts";
import { inferRanges } from "../ranges/ranges.ts";
import { lookUp, scopeInside, type FunctionBinding, type Scope } from "../names/scope.ts";
import { standsIn } from "../ranges/stands-in.ts";
import type { Binder, Typed } from "../types/typed.ts";
import { tensor, type Axis } from "../types/types.ts";
import { bracketBinders } from "../types/packs.ts";
import { expression } from "../elaborate.ts";

/** The checked arguments of one call, and the coordinates that its bracket binds. */
export interface Call {
  readonly callee: FunctionBinding;
  readonly e: ast.Call;
  readonly values: readonly Typed[];
  readonly named: ReadonlyMap<string, readonly string[]>;
  readonly binders: readonly Binder[];
  readonly scope: Scope;
}

/**
 * Binds the bracket and checks the arguments. Arguments that mention coordinates of the bracket
 * become tensors over them.
 */
export function argumentsOf(place: Place, callee: FunctionBinding, e: ast.Call): Call | undefined {
  const bracket = e.bracket ? expandGroups(e.bracket) : [];
  const bound = bracketBinders(place, bracket, new Map());
  if (!bound) return undefined;
  const named = nameParameters(place, callee, e);
  if (!named) return undefined;
  const frame = newFrame();
  frame.left.push(...bound.binders.filter((binder) => !binder.explicit));
  const inside: Place = {
    ...place,
    scope: bound.scope,
    frame,
    ...(bound.binders.length > 0 ? { indexed: place.indexed ?? e.span } : {}),
  };
  const said = errorCount(place);
  const values = bindArguments(inside, callee, e);
  // If the arguments do not fit, the call does not check the body. The body is then checked by
  // itself.
  if (values) place.checker.called.add(callee.declaration);
  if (frame.spoiled) place.frame.spoiled = true;
  if (!values || errorCount(place) > said) return undefined;

  const isUsed = (binder: Binder): boolean =>
    values.some((value) => standsIn(binder, value)) ||
    frame.uses.some((use) => mentions(use.term, binder.variable));
  const inUse = bound.binders.filter(isUsed);
  inferRanges(inside, { ...frame, left: inUse }, callee.name);
  if (errorCount(place) > said) return undefined;
  passOn(place, frame, bound.binders);
  const abstracted = values.map((value, k) => {
    const mentioned = inUse.filter((binder) => standsIn(binder, value));
    return abstractOver(
      value,
      inLayoutOrder(mentioned, callee.declaration.parameters[k]!.type, named),
    );
  });
  return {
    callee,
    e,
    values: abstracted.map((value) => nameFromLeft(place, value, bound.binders)),
    named,
    binders: bound.binders,
    scope: bound.scope,
  };
}

/**
 * Hands uses of outer coordinates to the statement around the call. Reductions inside the arguments
 * have found their ranges already.
 */
function passOn(place: Place, frame: Frame, binders: readonly Binder[]): void {
  const own = [...binders, ...frame.reduced];
  place.frame.uses.push(
    ...frame.uses.filter((use) => !own.some((binder) => mentions(use.term, binder.variable))),
  );
}

function expandGroups(bracket: readonly ast.BracketItem[]): readonly ast.BracketItem[] {
  return bracket.flatMap((item): ast.BracketItem[] =>
    item.kind === "group"
      ? item.names.map((name) => ({ kind: "coordinate", name, span: name.span }))
      : [item],
  );
}

/** The coordinates of an argument in the order of the parameter's type. */
function inLayoutOrder(
  binders: readonly Binder[],
  type: ast.Type | undefined,
  named: ReadonlyMap<string, readonly string[]>,
): readonly Binder[] {
  if (type?.kind !== "tensor" || !type.dims) return binders;
  const order = type.dims.flatMap((dim) =>
    dim.kind === "name" || dim.kind === "pack" ? (named.get(dim.name.text) ?? []) : [],
  );
  const place = (binder: Binder): number =>
    order.includes(binder.name) ? order.indexOf(binder.name) : order.length;
  return [...binders].sort((a, b) => place(a) - place(b));
}

function abstractOver(value: Typed, binders: readonly Binder[]): Typed {
  if (binders.length === 0 || value.type.kind !== "tensor") return value;
  const axes = binders.map((binder): Axis => {
    const extent = binder.to?.kind === "integer" ? { extent: binder.to.term } : {};
    return {
      name: binder.name,
      ...extent,
      ...(binder.domain ? { domain: binder.domain } : {}),
      origin: { span: binder.span, text: `\`${binder.name}\` is bound by this call` },
    };
  });
  return {
    kind: "abstract",
    binders,
    body: value,
    type: tensor(value.type.element, [...axes, ...value.type.axes]),
    span: value.span,
  };
}

/**
 * `let p[b, class] = softmax[class](z);`: if the axes of the argument `z` have no names, they get
 * the names of the left side.
 */
function nameFromLeft(place: Place, value: Typed, binders: readonly Binder[]): Typed {
  if (
    value.type.kind !== "tensor" ||
    !place.leftNames ||
    value.type.axes.length !== place.leftNames.length
  )
    return value;
  const { axes } = value.type;
  if (
    axes.some((axis) => axis.name !== undefined) ||
    !binders.some((binder) => place.leftNames!.includes(binder.name))
  )
    return value;
  return {
    ...value,
    type: tensor(
      value.type.element,
      axes.map((axis, k) => ({ ...axis, name: place.leftNames![k]! })),
    ),
  };
}

/**
 * The names that the bracket gives to the coordinate parameters, in order. A pack takes a group of
 * names.
 */
function nameParameters(
  place: Place,
  callee: FunctionBinding,
  e: ast.Call,
): ReadonlyMap<string, readonly string[]> | undefined {
  const { coordinates } = callee.declaration;
  const bracket = e.bracket ?? [];
  const named = new Map<string, readonly string[]>();
  if (bracket.length > coordinates.length) {
    report(
      place,
      "E0501",
      `\`${callee.name}\` has ${counted(coordinates.length, "coordinate parameter")}, ` +
        `here ${areCount(bracket.length)}`,
      e.span,
      {
        labels: [{ span: callee.span, text: "declared here" }],
      },
    );
    return undefined;
  }
  for (const [k, item] of bracket.entries()) {
    const parameter = coordinates[k]!;
    const names =
      item.kind === "coordinate"
        ? [item.name.text]
        : item.kind === "group"
          ? item.names.map((name) => name.text)
          : undefined;
    if (!names || (names.length !== 1 && !parameter.pack)) {
      report(
        place,
        "E0503",
        `\`${parameter.name.text}\` of \`${callee.name}\` takes one coordinate`,
        item.span,
        {
          help: parameter.pack ? "write a group: `[(h, w)]`" : "write a name",
        },
      );
      return undefined;
    }
    named.set(parameter.name.text, names);
  }
  return named;
}

/** One value for each parameter: by position, by name, or its default. */
function bindArguments(
  place: Place,
  callee: FunctionBinding,
  e: ast.Call,
): readonly Typed[] | undefined {
  const { parameters } = callee.declaration;
  const given: (ast.Argument | undefined)[] = parameters.map(() => undefined);
  const values: (Typed | undefined)[] = parameters.map(() => undefined);
  const declaredHere = { span: callee.span, text: "declared here" };
  let position = 0;
  let keyword: ast.Argument | undefined;
  for (const argument of e.arguments) {
    let k = position;
    if (argument.name) {
      const { name } = argument;
      keyword ??= argument;
      k = parameters.findIndex((parameter) => parameter.name.text === name.text);
      if (k < 0) {
        report(place, "E0502", `\`${callee.name}\` has no parameter \`${name.text}\``, name.span, {
          labels: [declaredHere],
          ...nearest(
            name.span,
            name.text,
            parameters.map((parameter) => parameter.name.text),
          ),
        });
        return undefined;
      }
    } else if (keyword) {
      report(
        place,
        "E0502",
        "an argument without a name stands behind one with a name",
        argument.span,
        {
          labels: [{ span: keyword.span, text: "the one with a name" }],
          ...behindKeyword(parameters, given, argument),
        },
      );
      return undefined;
    } else position++;
    if (k >= parameters.length) {
      report(
        place,
        "E0501",
        `\`${callee.name}\` takes ${counted(parameters.length, "argument")}, ` +
          `here ${areCount(e.arguments.length)}`,
        argument.span,
        { labels: [declaredHere] },
      );
      return undefined;
    }
    const earlier = given[k];
    if (earlier) {
      report(place, "E0502", `\`${parameters[k]!.name.text}\` is given twice`, argument.span, {
        labels: [{ span: earlier.span, text: "given here already" }, declaredHere],
        ...repair("leave one out", removeItem(argument.span)),
      });
      return undefined;
    }
    given[k] = argument;
    values[k] = declaredValue(place, argument.value, parameters[k]!.type, callee.scope);
  }
  for (const [k, parameter] of parameters.entries()) {
    if (values[k]) continue;
    if (!parameter.default) {
      report(place, "E0501", `\`${callee.name}\` needs \`${parameter.name.text}\``, e.span, {
        labels: [declaredHere],
      });
      return undefined;
    }
    values[k] = defaultOf(place, callee, k, values);
  }
  return values as Typed[];
}

/**
 * The repair for an argument without a name after one with a name: the name of the first parameter
 * that has no argument.
 */
function behindKeyword(
  parameters: readonly ast.Parameter[],
  given: readonly (ast.Argument | undefined)[],
  argument: ast.Argument,
): Repair {
  const open = parameters.find((_, k) => !given[k]);
  if (!open) return { help: "put it in front" };
  const named = `${open.name.text} = ${textOf(argument.span)}`;
  return {
    help: `put it in front, or give it its name: \`${named}\``,
    ...fixed(`write \`${named}\``, before(argument.span, `${open.name.text} = `)),
  };
}

/**
 * The default of parameter `k`. It may read the parameters before it, with the arguments of this
 * call.
 */
function defaultOf(
  place: Place,
  callee: FunctionBinding,
  k: number,
  values: (Typed | undefined)[],
): Typed {
  const { parameters } = callee.declaration;
  const { name, default: value } = parameters[k]!;
  const scope = scopeInside(callee.scope);
  for (const path of pathsIn(value!)) {
    const [first, ...others] = path.segments;
    const index = parameters.findIndex((parameter) => parameter.name.text === first!.text);
    if (index < 0 || others.length > 0 || scope.names.has(first!.text)) continue;
    if (index < k) {
      const read = values[index]!;
      if (read.kind === "wrong") return wrongAt(value!.span);
      // The argument gets a name, so that it is computed once even if defaults read it too.
      const binding = valueBinding(place, "part", parameters[index]!.name, read);
      values[index] = { kind: "reference", binding, type: binding.type, span: read.span };
      scope.names.set(binding.name, binding);
    } else if (!lookUp(scope, first!.text)) {
      return refuse(
        place,
        "E0201",
        `the default of \`${name.text}\` cannot read \`${first!.text}\``,
        path.span,
        {
          labels: [{ span: name.span, text: "its default" }],
          help:
            "a default sees the parameters that stand before its own, " +
            "and what is around the function",
        },
      );
    }
  }
  return expression({ ...place, scope }, value!);
}
