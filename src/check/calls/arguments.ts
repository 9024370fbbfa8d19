// The arguments of a call: the bracket's coordinates bound, each value checked under them,
// abstracted over those it mentions, and given to its parameter by position, name or default.

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

/** The arguments of one call, checked, with the coordinates that its bracket binds. */
export interface Call {
  readonly callee: FunctionBinding;
  readonly e: ast.Call;
  readonly values: readonly Typed[];
  readonly named: ReadonlyMap<string, readonly string[]>;
  readonly binders: readonly Binder[];
  readonly scope: Scope;
}

/**
 * Binds the bracket, checks the arguments under it, and abstracts those that mention its
 * coordinates.
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
  // A call that does not fit says nothing about the body, which is then checked by itself.
  if (values) place.checker.called.add(callee.declaration);
  if (frame.spoiled) place.frame.spoiled = true;
  if (!values || errorCount(place) > said) return undefined;

  const used = (binder: Binder): boolean =>
    values.some((value) => standsIn(binder, value)) ||
    frame.uses.some((use) => mentions(use.term, binder.variable));
  const inUse = bound.binders.filter(used);
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
 * Uses of coordinates from further out are theirs; reductions inside arguments have been settled.
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

/** The coordinates that an argument is abstracted over stand as the parameter's layout has them. */
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
 * `let p[b, class] = softmax[class](z);`: the left side names the axes of an argument that has no
 * names of its own.
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

/** Coordinate parameters in order; a pack parameter takes a group. */
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
  const says = { span: callee.span, text: "declared here" };
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
          labels: [says],
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
        { labels: [says] },
      );
      return undefined;
    }
    const earlier = given[k];
    if (earlier) {
      report(place, "E0502", `\`${parameters[k]!.name.text}\` is given twice`, argument.span, {
        labels: [{ span: earlier.span, text: "given here already" }, says],
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
        labels: [says],
      });
      return undefined;
    }
    values[k] = defaultOf(place, callee, k, values);
  }
  return values as Typed[];
}

/**
 * What to write for an argument that stands behind a keyword: its name is that of the first
 * parameter still open.
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

/** The default of parameter `k`, which sees the ones before it, with the values of this call. */
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
    const at = parameters.findIndex((parameter) => parameter.name.text === first!.text);
    if (at < 0 || others.length > 0 || scope.names.has(first!.text)) continue;
    if (at < k) {
      const read = values[at]!;
      if (read.kind === "wrong") return wrongAt(value!.span);
      // One value, however many parameters it is passed to.
      const binding = valueBinding(place, "part", parameters[at]!.name, read);
      values[at] = { kind: "reference", binding, type: binding.type, span: read.span };
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
