// Matches the arguments of a call with the types of the signature. This gives element words,
// dimension names, coordinate parameters and packs their meaning:
//
//   fn f[j](x: [float; ..left, j]) -> [float; ..left]      called as f[c](a[b, c])
//   float is f32,  j is the axis `c` of the argument,  ..left is the axis `b`

import { fixed, replace, type Repair } from "../../diagnostics/fixes.ts";
import { alongLast } from "./along-last.ts";
import { castRepair } from "../types/cast-repair.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { belongsTo, type ElementClass } from "../../scalar/types.ts";
import { constant } from "../../affine/term.ts";
import { show } from "../../affine/show.ts";
import { mustAgree, sameExtent } from "../statements/agree.ts";
import { annotation, numberInScope } from "../types/annotations.ts";
import { report, type Place } from "../context.ts";
import { type Scope, lookUpType } from "../names/scope.ts";
import type { Typed } from "../types/typed.ts";
import {
  known,
  mayBe,
  mergeDomains,
  openElement,
  sameDomain,
  showElement,
  showType,
  unify,
  type Axis,
  type Domain,
  type Element,
  literalElement,
  isScalar,
} from "../types/types.ts";
import type { Bound } from "./bound.ts";

const words: Readonly<Record<string, ElementClass>> = {
  float: "float",
  int: "integer",
  num: "numeric",
};

/** Whether a name is one of the words that stand for several element types. */
export function isGenericWord(name: string): boolean {
  return Object.hasOwn(words, name);
}

/** Whether every argument of this type is a scalar. */
export function isScalarType(type: ast.Type): boolean {
  return type.kind === "named";
}

/**
 * The parameters with function types last. The other types give the names in function types their
 * meaning.
 */
export function functionsLast<T extends { readonly type?: ast.Type }>(
  parameters: readonly T[],
): readonly [number, T][] {
  const all = [...parameters.entries()];
  const isFunction = ([, { type }]: readonly [number, T]): boolean =>
    type !== undefined && mentionsFunction(type);
  return all.some(isFunction)
    ? [...all.filter((each) => !isFunction(each)), ...all.filter(isFunction)]
    : all;
}

function mentionsFunction(type: ast.Type): boolean {
  if (type.kind === "tuple") return type.members.some(mentionsFunction);
  if (type.kind === "tensor") return mentionsFunction(type.element);
  return type.kind === "function";
}

/**
 * Whether a value fits the type of its parameter. Names in the type get their meaning, and a
 * mistake is reported.
 */
export function matchParameter(
  place: Place,
  bound: Bound,
  type: ast.Type,
  value: Typed,
  what: string,
): boolean {
  const fits = place.checker.elaborators.matchData(place, bound, type, value, what);
  if (fits !== undefined) return fits;
  if (type.kind !== "named" && type.kind !== "tensor") {
    const declared = annotation(place, type);
    return declared.kind !== "error";
  }
  if (value.type.kind !== "tensor") {
    const wanted = type.kind === "named" ? "a scalar" : "a tensor";
    report(
      place,
      "E0411",
      `${what} is ${showType(value.type)}, ${wanted} is declared`,
      value.span,
      {
        labels: [{ span: type.span, text: "declared here" }],
      },
    );
    return false;
  }
  const cell = declaredElement(place, bound, type.kind === "named" ? type : type.element);
  if (!cell) return false;
  if (!unifyWithWord(type, cell, value.type.element)) {
    report(
      place,
      "E0411",
      `${what} ${isScalar(value.type) ? "is" : "has elements"} ` +
        `${showElement(value.type.element)}, ${wordText(type, cell)} is declared`,
      value.span,
      {
        ...castRepair(value, cell, { span: type.span, text: "declared here" }),
      },
    );
    return false;
  }
  if (type.kind === "named") {
    if (value.type.axes.length === 0) return true;
    report(place, "E0411", `${what} is ${showType(value.type)}, a scalar is declared`, value.span, {
      labels: [{ span: type.span, text: "declared here" }],
    });
    return false;
  }
  const dims: readonly ast.Dim[] = isAnyRank(type)
    ? value.type.axes.map(() => ({ kind: "unknown", span: type.span }))
    : (type.dims ?? [{ kind: "unknown", span: type.span }]);
  return matchAxes(place, bound, dims, value, value.type.axes, what, type.span);
}

/** `[f32; *]` */
export function isAnyRank(type: ast.Type): boolean {
  return type.kind === "tensor" && type.dims?.length === 1 && type.dims[0]!.kind === "any-rank";
}

/**
 * The word of an element type. If an earlier argument has decided a generic word, the text says so.
 */
function wordText(type: ast.Type, cell: Element): string {
  const word = elementText(type);
  return isGenericWord(word) && known(cell) ? `${word}, here ${showElement(cell)},` : word;
}

function elementText(type: ast.Type): string {
  const named = type.kind === "tensor" ? type.element : type;
  return named.kind === "named" ? (named.path[0]?.text ?? "?") : "?";
}

function declaredElement(place: Place, bound: Bound, type: ast.Type): Element | undefined {
  const word = elementText(type);
  if (!isGenericWord(word)) {
    const declared = annotation(place, type);
    if (declared.kind === "tensor") return declared.element;
    if (declared.kind !== "error")
      report(
        place,
        "E0404",
        `the elements of an array are scalars or data, not ${showType(declared)}`,
        type.span,
      );
    return undefined;
  }
  let cell = bound.words.get(word);
  if (!cell) bound.words.set(word, (cell = openElement()));
  return cell;
}

function unifyWithWord(type: ast.Type, cell: Element, value: Element): boolean {
  const accepts = words[elementText(type)];
  if (accepts && !mayBe(value, (element) => belongsTo(element, accepts))) return false;
  // An integer literal becomes a float where a float is declared.
  if (accepts === "float" && !unify(value, literalElement("float"))) return false;
  return unify(cell, value);
}

/**
 * Matches the dims of a type with the axes of a value. A pack takes the axes between the single
 * names.
 */
export function matchAxes(
  place: Place,
  bound: Bound,
  dims: readonly ast.Dim[],
  value: Typed,
  axes: readonly Axis[],
  what: string,
  span: Span,
): boolean {
  const fitting = layoutsOf(bound, dims, axes, (dim, at) => mayTake(place, bound, dim, axes, at));
  // If only extents disagree, the message names the axis that disagrees.
  const laid =
    fitting.length > 0
      ? fitting
      : layoutsOf(bound, dims, axes, (dim, at) => mayTakeByName(bound, dim, axes, at));
  const layouts = fitting.length === 0 && laid.length > 1 ? [] : laid;
  const names = axes.map((axis) => axis.name ?? (axis.extent ? show(axis.extent) : "?"));
  const shown = `[${names.join(", ")}]`;
  if (layouts.length === 0) {
    const missing = findMissingAxis(bound, dims, axes);
    if (missing) {
      report(
        place,
        "E0503",
        `\`${missing}\` is not an axis of ${what}, whose layout is ${shown}`,
        value.span,
        {
          labels: [{ span, text: "the layout that is declared" }],
          ...(bound.fully !== undefined
            ? { help: `name every coordinate: ${bound.fully}` }
            : helpForMissingAxis(bound, value, axes, missing)),
        },
      );
    } else {
      report(
        place,
        "E0402",
        `${what} has rank ${axes.length}, which does not fit the declared layout`,
        value.span,
        {
          labels: [{ span, text: "declared here" }],
          ...(bound.fully !== undefined ? { help: `name every coordinate: ${bound.fully}` } : {}),
        },
      );
    }
    return false;
  }
  if (layouts.length > 1) {
    report(
      place,
      "E0503",
      `it is not clear which axes of ${what} the declared layout means`,
      value.span,
      {
        labels: [{ span, text: "the layout that is declared" }],
        ...(alongLast(bound, value, axes.length) ?? {
          help: "index the argument with the coordinate that the call names",
        }),
      },
    );
    return false;
  }
  const [layout] = layouts;
  return dims.every((dim, k) => {
    const [from, to] = layout![k]!;
    return bindDim(place, bound, dim, axes.slice(from, to), value, what);
  });
}

function helpForMissingAxis(
  bound: Bound,
  value: Typed,
  axes: readonly Axis[],
  missing: string,
): Repair {
  // Axes with names are told apart by their names.
  const isNameless = axes.every(({ name }) => name === undefined);
  const along = isNameless ? alongLast(bound, value, axes.length, missing) : undefined;
  if (along) return along;
  const text = textWithIndex(value, axes, missing);
  const help = `index the argument so that \`${missing}\` stands in it: \`${text}\``;
  return {
    help,
    ...(text.includes("…") ? {} : fixed(`write \`${text}\``, replace(value.span, text))),
  };
}

type Layout = readonly (readonly [number, number])[];

/**
 * All ways to assign the axes to the dims. The search stops after two, because two are ambiguous.
 */
function layoutsOf(
  bound: Bound,
  dims: readonly ast.Dim[],
  axes: readonly Axis[],
  stands: (dim: ast.Dim, first: number) => boolean,
): readonly Layout[] {
  const found: Layout[] = [];
  const assign = (k: number, first: number, taken: Layout): void => {
    if (found.length > 1) return;
    if (k === dims.length) {
      if (first === axes.length) found.push(taken);
      return;
    }
    const dim = dims[k]!;
    if (dim.kind === "pack") {
      const length = bound.packs.get(dim.name.text)?.length;
      const group = bound.named.get(dim.name.text);
      for (let to = first; to <= axes.length; to++) {
        if (length !== undefined && to - first !== length) continue;
        if (group && !haveNames(group, axes.slice(first, to))) continue;
        assign(k + 1, to, [...taken, [first, to]]);
      }
      return;
    }
    if (first < axes.length && stands(dim, first))
      assign(k + 1, first + 1, [...taken, [first, first + 1]]);
  };
  assign(0, 0, []);
  return found;
}

function haveNames(group: readonly string[], axes: readonly Axis[]): boolean {
  return group.length === axes.length && axes.every((axis, k) => axis.name === group[k]);
}

/**
 * Whether a dim may take an axis by name: a coordinate parameter takes the axis that the caller
 * names.
 */
function mayTakeByName(bound: Bound, dim: ast.Dim, axes: readonly Axis[], first: number): boolean {
  const [caller] = dim.kind === "name" ? (bound.named.get(dim.name.text) ?? []) : [];
  return caller === undefined || axes[first]!.name === caller;
}

/**
 * Whether a dim may take an axis by name and extent: a dimension name that has an extent already
 * takes only axes of that extent.
 */
function mayTake(
  place: Place,
  bound: Bound,
  dim: ast.Dim,
  axes: readonly Axis[],
  first: number,
): boolean {
  if (!mayTakeByName(bound, dim, axes, first)) return false;
  if (dim.kind !== "name" || bound.named.has(dim.name.text)) return true;
  const known = bound.axes.get(dim.name.text);
  if (!known?.extent || !axes[first]!.extent || axes.length === 1) return true;
  return sameExtent(place.checker, known.extent, axes[first]!.extent) !== "false";
}

/** The text of the argument with the coordinate as its last index. */
function textWithIndex(value: Typed, axes: readonly Axis[], name: string): string {
  const text = textOf(value.span);
  if (axes.length === 0) return `x[…, ${name}]`;
  const isClosed = /^\w+$/.test(text) || value.kind === "array";
  return `${isClosed ? text : `(${text})`}[${axes.length === 1 ? "" : "…, "}${name}]`;
}

function findMissingAxis(
  bound: Bound,
  dims: readonly ast.Dim[],
  axes: readonly Axis[],
): string | undefined {
  for (const dim of dims) {
    if (dim.kind !== "name" && dim.kind !== "pack") continue;
    const missing = bound.named
      .get(dim.name.text)
      ?.find((name) => !axes.some((axis) => axis.name === name));
    if (missing !== undefined) return missing;
  }
  return undefined;
}

function bindDim(
  place: Place,
  bound: Bound,
  dim: ast.Dim,
  axes: readonly Axis[],
  value: Typed,
  what: string,
): boolean {
  switch (dim.kind) {
    case "number":
      return agree(
        place,
        {
          extent: constant(dim.value),
          origin: { span: dim.span, text: `extent ${dim.value} is declared` },
        },
        axes[0]!,
        value,
        what,
      );
    case "name": {
      const number = bound.coordinates?.has(dim.name.text)
        ? undefined
        : numberInScope(place, dim.name);
      if (number) return agree(place, number, axes[0]!, value, what);
      return bindAxis(place, bound, dim.name.text, axes[0]!, value, what);
    }
    case "pack": {
      const known = bound.packs.get(dim.name.text);
      if (!known) {
        bound.packs.set(dim.name.text, axes.map(withDomain));
        return true;
      }
      return known.every((axis, k) => agree(place, axis, axes[k]!, value, what));
    }
    case "unknown":
    case "any-rank":
    case "missing":
      return true;
    default:
      return dim satisfies never;
  }
}

function bindAxis(
  place: Place,
  bound: Bound,
  name: string,
  axis: Axis,
  value: Typed,
  what: string,
): boolean {
  const known = bound.axes.get(name);
  if (!known) {
    bound.axes.set(name, withDomain(axis));
    return true;
  }
  if (known.domain && axis.domain && !sameDomain(known.domain, axis.domain))
    mergeDomains(axis.domain, known.domain);
  return agree(place, known, axis, value, what);
}

function withDomain(axis: Axis): Axis {
  return axis.domain ? axis : { ...axis, domain: {} };
}

function agree(place: Place, a: Axis, b: Axis, value: Typed, what: string): boolean {
  return mustAgree(place, a, b, value.span, () => {
    const origins = [a.origin, b.origin].flatMap((origin) => (origin ? [origin] : []));
    report(
      place,
      "E0504",
      `${what} has extent ${show(b.extent!)} where ${show(a.extent!)} is needed`,
      value.span,
      {
        labels: origins,
      },
    );
  });
}

/**
 * Declares the dimension names and packs of a signature in the scope of the body. Gives the domain
 * of each name.
 */
export function declareSignature(
  scope: Scope,
  { name: { span } }: ast.Fn,
  bound: Bound,
): ReadonlyMap<string, Domain> {
  const domains = new Map<string, Domain>();
  for (const [name, axis] of bound.axes) {
    domains.set(name, axis.domain!);
    scope.names.set(name, {
      kind: "dimension",
      name,
      span,
      extent: axis.extent!,
      domain: axis.domain!,
    });
  }
  for (const [name, axes] of bound.packs)
    scope.names.set(`..${name}`, { kind: "signature-pack", name, span, axes });
  return domains;
}

/**
 * The element type and the axes of a declared result. Undefined if the result uses a name that no
 * parameter introduces; that is reported.
 */
export function resultLayout(
  place: Place,
  bound: Bound,
  type: ast.Type,
): { readonly element: Element; readonly axes: readonly ResultAxis[] } | undefined {
  if (type.kind === "named") {
    const cell = declaredElement(place, bound, type);
    return cell && { element: cell, axes: [] };
  }
  if (type.kind !== "tensor") return undefined;
  const cell = declaredElement(place, bound, type.element);
  if (!cell) return undefined;
  const axes: ResultAxis[] = [];
  for (const dim of type.dims ?? [{ kind: "unknown", span: type.span } as const]) {
    switch (dim.kind) {
      case "number":
        axes.push({
          axis: {
            extent: constant(dim.value),
            origin: { span: dim.span, text: `extent ${dim.value}` },
          },
        });
        break;
      case "name": {
        const axis = bound.axes.get(dim.name.text);
        // A number in scope is no coordinate; the body reads it as a number.
        const number = axis ? undefined : numberInScope(place, dim.name);
        if (!axis && !number) return unknownName(place, dim.name);
        axes.push(axis ? { name: dim.name.text, axis } : { axis: number! });
        break;
      }
      case "pack": {
        const pack = bound.packs.get(dim.name.text);
        if (!pack) return unknownName(place, { ...dim.name, text: `..${dim.name.text}` });
        for (const axis of pack) axes.push({ pack: dim.name, axis });
        break;
      }
      case "unknown":
      case "any-rank":
      case "missing":
        axes.push({ axis: {} });
        break;
      default:
        dim satisfies never;
    }
  }
  return { element: cell, axes };
}

export interface ResultAxis {
  readonly name?: string;
  readonly pack?: ast.Name;
  readonly axis: Axis;
}

function unknownName(place: Place, name: ast.Name): undefined {
  report(
    place,
    "E0507",
    `the result uses \`${name.text}\`, which no parameter introduces`,
    name.span,
    {
      help:
        "a result may only use names that stand in the parameters; " +
        "write `?` for another extent",
      ...fixed("write `?`", replace(name.span, "?")),
    },
  );
  return undefined;
}

/** Whether a declared type is a scalar or a tensor of scalars. */
export function isTensorType(scope: Scope, type: ast.Type): boolean {
  if (type.kind === "tensor" || type.kind === "missing") return true;
  return type.kind === "named" && type.path.length === 1 && !lookUpType(scope, type.path[0]!.text);
}

/**
 * Whether a declared type is an array of data, `[Point; n]`. Its axes are never free coordinates.
 */
export function isArrayOfData(scope: Scope, type: ast.Type): boolean {
  return type.kind === "tensor" && !isTensorType(scope, type.element);
}
