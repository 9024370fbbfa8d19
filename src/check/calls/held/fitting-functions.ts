// Whether a function fits the type that is declared for it: it is called once with values of the
// declared types, and what it gives is compared, so that a mistake is told where the two meet and
// not where the function is called.

import type * as ast from "../../../syntax/tree/ast.ts";
import { castAllowed } from "../../../scalar/casts.ts";
import { arityOf } from "../../../scalar/operations.ts";
import { isElementType, type ElementType } from "../../../scalar/types.ts";
import { constant, ofVariable } from "../../../affine/term.ts";
import { textOf, type Span } from "../../../base/source.ts";
import { annotation, numberInScope } from "../../types/annotations.ts";
import { attemptCheck } from "../../attempt.ts";
import { extentVariable, report, wrongAt, type Place } from "../../context.ts";
import { counted } from "../../lints/count.ts";
import { isEnum } from "../../data/data.ts";
import { declaredFields, declaredType } from "../../types/declared-types.ts";
import { closuresIn, heldTo, isHeldTo } from "./held-functions.ts";
import { ownType } from "../instances/own-forms.ts";
import { scopeInside, type DataBinding } from "../../names/scope.ts";
import { isScalarType, matchParameter } from "../signatures.ts";
import { unbound, wholeStandIn } from "../stand-ins.ts";
import { functionsIn, holdsFunctions, membersOf } from "../../values/tuples.ts";
import type { Closure, Typed } from "../../types/typed.ts";
import {
  decided,
  element,
  isScalar,
  known,
  scalar,
  showType,
  tensor,
  type Axis,
  type DeclaredFunction,
  type Type,
} from "../../types/types.ts";
import type { Bound } from "../bound.ts";
import { callValue } from "./call-value.ts";

type FunctionAst = Extract<ast.Type, { kind: "function" }>;

/**
 * Whether every function that a value may be fits the type; what does not is reported. The names of
 * the type mean what they mean at the place.
 */
export function fitsFunction(place: Place, bound: Bound, type: FunctionAst, value: Typed): boolean {
  if (!namesAreKnown(place, bound, type)) return false;
  // What a name stands for is told where the name meets the type.
  const met = (closure: Closure): Closure =>
    value.kind === "reference" ? { ...closure, span: value.span } : closure;
  return closuresIn(value).every(
    (closure) => isHeldTo(place, bound, type, closure) || fitsOne(place, bound, type, met(closure)),
  );
}

/** Whether it fits a type that is written elsewhere, and given for a type parameter. */
export function fitsDeclared(
  place: Place,
  { type, scope, generics }: DeclaredFunction,
  value: Typed,
): boolean {
  const bound: Bound = { axes: new Map(), packs: new Map(), words: new Map(), named: new Map() };
  return fitsFunction({ ...place, scope }, { ...bound, generics: new Map(generics) }, type, value);
}

/** The same for an array of them, whichever one is asked for. */
export function fitsFunctions(
  place: Place,
  bound: Bound,
  type: FunctionAst,
  value: Typed,
): boolean {
  const functions = functionsIn(value);
  if (!functions) return namesAreKnown(place, bound, type);
  const codes = functions.codes.map(() => unbound(scalar("i32"), value.span));
  return fitsFunction(place, bound, type, functions.at(place, codes, value.span));
}

/** `Op<i32>`: the functions in a value whose type parameters are given here. */
export function fitsFields(
  place: Place,
  bound: Bound,
  type: Extract<ast.Type, { kind: "named" }>,
  of: DataBinding,
  value: Typed,
): boolean {
  const outer = bound.generics ?? new Map<string, Type>();
  const given = type.arguments.map((argument) => declaredType(place, argument, outer));
  const generics = new Map(
    of.declaration.generics.map(({ text }, k): [string, Type] => [text, given[k]!]),
  );
  const inside: Place = { ...place, scope: of.scope };
  const own: Bound = {
    axes: new Map(),
    packs: new Map(),
    words: new Map(),
    named: new Map(),
    generics,
  };
  const members = membersOf(value)?.slice(isEnum(of) ? 1 : 0) ?? [];
  return declaredFields(of).every((field, k) => {
    const member = members[k];
    if (!member || member.type.kind === "absent" || !holdsFunctions(member)) return true;
    return matchParameter(inside, own, field.type, member, "this");
  });
}

/** A value under the type that is written for it, where it has functions in it. */
export function asDeclared(place: Place, type: ast.Type, value: Typed): Typed {
  const bound: Bound = { axes: new Map(), packs: new Map(), words: new Map(), named: new Map() };
  if (!matchParameter(place, bound, type, value, "this")) return wrongAt(value.span);
  return heldTo(place, bound, type, value);
}

/** Every type that is named in it is there. */
function namesAreKnown(place: Place, bound: Bound, type: FunctionAst): boolean {
  const visit = (each: ast.Type): boolean => {
    switch (each.kind) {
      case "named": {
        const [name] = each.path;
        const own = each.path.length === 1 ? name!.text : "";
        const isMeant = isElementType(own) || isWord(own) || bound.generics?.has(own) === true;
        return isMeant ? each.arguments.every(visit) : annotation(place, each).kind !== "error";
      }
      case "tensor":
      case "jagged":
        return visit(each.element);
      case "tuple":
        return each.members.every(visit);
      case "function":
        return [...each.parameters, each.result].every(visit);
      case "missing":
        return false;
      default:
        return each satisfies never;
    }
  };
  return visit(type);
}

/** What a generic word is tried with where nothing has decided it. */
const standard: Readonly<Record<string, ElementType>> = { float: "f32", int: "i32", num: "f32" };

function isWord(name: string): boolean {
  return Object.hasOwn(standard, name);
}

function fitsOne(place: Place, bound: Bound, type: FunctionAst, closure: Closure): boolean {
  if (!fitsCount(place, type, closure)) return false;
  const trial: Bound = { ...bound, axes: new Map(bound.axes), packs: new Map(bound.packs) };
  const values = valuesFor(place, trial, type.parameters, closure.span);
  // What the type leaves open is held to when the function is called.
  if (!values) return true;
  for (const [k, parameter] of type.parameters.entries()) {
    if (!matchParameter(place, trial, parameter, values[k]!, "it")) return false;
    if (!takes(place, type, closure, k, values[k]!)) return false;
  }
  const result = resultWith(place, type, closure, values);
  return typeof result === "boolean" ? result : gives(place, trial, type, closure, result);
}

/** The name that is written where it meets the type; a lambda by its text. */
function nameOf({ callee, span }: Closure): string {
  const written = textOf(span);
  return typeof callee === "string" || /^\w+$/.test(written) ? written : callee.name;
}

function declarationOf({ callee }: Closure): ast.Fn | undefined {
  return typeof callee === "string" ? undefined : callee.declaration;
}

/** Parameters that have defaults may be left out. */
function fitsCount(place: Place, type: FunctionAst, closure: Closure): boolean {
  const { callee, span } = closure;
  const all = typeof callee === "string" ? arityOf(callee) : callee.declaration.parameters.length;
  const optional =
    declarationOf(closure)?.parameters.filter((parameter) => parameter.default).length ?? 0;
  const count = type.parameters.length;
  if (all - optional <= count && count <= all) return true;
  const own = nameOf(closure);
  const declaration = declarationOf(closure);
  report(
    place,
    "E0411",
    `\`${own}\` takes ${counted(all, "argument")}, \`${textOf(type.span)}\` is declared`,
    span,
    {
      labels: [
        { span: type.span, text: `a function of ${counted(count, "argument")} is declared here` },
        ...(declaration && declaration.name.span !== span
          ? [{ span: declaration.name.span, text: "the function" }]
          : []),
      ],
      help:
        `write a function of ${counted(count, "argument")}: ` +
        `\`${ofCount(closure, own, all, count)}\``,
    },
  );
  return false;
}

/**
 * A function of another number of arguments: one that passes them on, or the lambda itself with
 * other parameters.
 */
function ofCount(closure: Closure, own: string, all: number, count: number): string {
  const letters = Array.from({ length: Math.max(all, count) }, (_, k) =>
    String.fromCodePoint("a".codePointAt(0)! + k),
  );
  if (/^\w+$/.test(own)) {
    const passed = letters.slice(0, all).map((letter, k) => (k < count ? letter : "…"));
    return `|${letters.slice(0, count).join(", ")}| ${own}(${passed.join(", ")})`;
  }
  const { parameters = [], body } = declarationOf(closure) ?? {};
  const names = parameters.map(({ name }) => name.text);
  const further = letters.filter((letter) => !names.includes(letter));
  const kept = [...names, ...further].slice(0, count).join(", ");
  return `|${kept}| ${body && count > all ? textOf(body.span) : "…"}`;
}

/**
 * One value for each type, of which nothing but the type is known; nothing where a type leaves too
 * much open.
 */
function valuesFor(
  place: Place,
  bound: Bound,
  types: readonly ast.Type[],
  span: Span,
): readonly Typed[] | undefined {
  const extents = new Map<string, Axis>();
  const values = types.map((type) => valueFor(place, bound, type, extents, span));
  return values.every((value) => value !== undefined) ? values : undefined;
}

function valueFor(
  place: Place,
  bound: Bound,
  type: ast.Type,
  extents: Map<string, Axis>,
  span: Span,
): Typed | undefined {
  const generics = bound.generics ?? new Map();
  switch (type.kind) {
    case "named": {
      const word = type.path[0]!.text;
      if (!isWord(word)) break;
      const cell = bound.words.get(word);
      return unbound(scalar((cell && known(cell)) ?? standard[word]!), span);
    }
    case "tensor": {
      const cell = valueFor(place, bound, type.element, extents, span);
      const axes = (type.dims ?? [undefined]).map((dim) => axisFor(place, bound, dim, extents));
      if (!cell || !isScalar(cell.type) || !axes.every((axis) => axis !== undefined))
        return undefined;
      return unbound(tensor(element(decided(cell.type.element)), axes), span);
    }
    case "tuple": {
      const members = type.members.map((member) => valueFor(place, bound, member, extents, span));
      if (!members.every((member) => member !== undefined)) return undefined;
      return {
        kind: "tuple",
        members,
        type: { kind: "tuple", members: members.map((m) => m.type) },
        span,
      };
    }
    default:
  }
  return wholeStandIn(place, ownType(declaredType(place, type, generics)), span);
}

function axisFor(
  place: Place,
  bound: Bound,
  dim: ast.Dim | undefined,
  extents: Map<string, Axis>,
): Axis | undefined {
  const open = (name: string): Axis => ({
    extent: ofVariable(extentVariable(place.checker, name)),
    domain: {},
  });
  switch (dim?.kind) {
    case "number":
      return { extent: constant(dim.value), domain: {} };
    case "name": {
      const { text } = dim.name;
      const axis =
        bound.axes.get(text) ?? numberInScope(place, dim.name) ?? extents.get(text) ?? open(text);
      extents.set(text, axis);
      return axis;
    }
    case undefined:
    case "unknown":
      return open("n");
    default:
      return undefined;
  }
}

/** Whether a parameter that has a type of its own takes what it is given. */
function takes(
  place: Place,
  type: FunctionAst,
  closure: Closure,
  k: number,
  value: Typed,
): boolean {
  const { callee } = closure;
  const parameter = declarationOf(closure)?.parameters[k];
  if (!parameter?.type || typeof callee === "string") return true;
  // A function of scalars is lifted over a tensor.
  if (isScalarType(parameter.type) && value.type.kind === "tensor" && value.type.axes.length > 0)
    return true;
  const own: Bound = {
    axes: new Map(),
    packs: new Map(),
    words: new Map(callee.held?.words),
    named: new Map(),
    ...(callee.held ? { generics: new Map(callee.held.generics) } : {}),
  };
  const inside: Place = { ...place, scope: callee.scope };
  let fits = false;
  const trial = attemptCheck(inside, () => {
    fits = matchParameter(inside, own, parameter.type!, value, "it");
    return value;
  });
  trial.undo();
  if (fits) return true;
  const [taken, given] = [textOf(parameter.type.span), textOf(type.parameters[k]!.span)];
  const parameters = type.parameters.map((each, n) => (n === k ? taken : textOf(each.span)));
  report(
    place,
    "E0411",
    `\`${nameOf(closure)}\` takes ${taken} as \`${parameter.name.text}\`, ` +
      `\`${textOf(type.span)}\` is declared`,
    closure.span,
    {
      labels: [
        { span: parameter.type.span, text: `${taken} is taken` },
        { span: type.parameters[k]!.span, text: `${given} is given` },
      ],
      help:
        `let it take ${given}, or declare \`(${parameters.join(", ")}) -> ` +
        `${textOf(type.result.span)}\``,
    },
  );
  return false;
}

/**
 * What the function gives for these values; false where it cannot take them, true where only a call
 * can tell.
 */
function resultWith(
  place: Place,
  type: FunctionAst,
  closure: Closure,
  values: readonly Typed[],
): Typed | boolean {
  const { span } = closure;
  const scope = scopeInside(place.scope);
  const names = values.map((value, k): ast.Name => {
    // No name of a program has a blank in it.
    const text = `given ${k}`;
    scope.names.set(text, {
      kind: "value",
      role: "parameter",
      name: `given${k}`,
      span,
      type: value.type,
      value,
    });
    return { text, span };
  });
  const path = (name: ast.Name): ast.Path => ({ kind: "path", segments: [name], span });
  const call: ast.Call = {
    kind: "call",
    callee: path({ text: nameOf(closure), span }),
    arguments: names.map((name) => ({ value: path(name), span })),
    span,
  };
  const inside: Place = { ...place, scope };
  let result: Typed | undefined;
  const trial = attemptCheck(inside, () => (result = callValue(inside, closure, call)));
  trial.undo();
  if (!trial.isWrong) return result!;
  const errors = trial.said.filter(({ level }) => level === "error");
  const isUnbuilt = errors.every(({ code }) => code === "E0190" || code === "E0508");
  if (isUnbuilt) return true;
  const [first] = errors;
  if (!first!.code.startsWith("E04")) {
    place.checker.diagnostics.push(...errors);
    return false;
  }
  const declared = textOf(type.span);
  report(
    place,
    "E0411",
    `\`${nameOf(closure)}\` does not fit \`${declared}\`: ${first!.title}`,
    closure.span,
    {
      labels: [
        { span: type.span, text: "declared here" },
        ...(first!.span && first!.span !== span
          ? [{ span: first!.span, text: "this is what does not fit" }]
          : []),
      ],
      help: declarationOf(closure) && first!.help ? first!.help : wantedText(type),
    },
  );
  return false;
}

function wantedText(type: FunctionAst): string {
  return (
    `write a function that takes ${parametersText(type) || "nothing"} and gives ` +
    `${textOf(type.result.span)}`
  );
}

function parametersText({ parameters }: FunctionAst): string {
  return parameters.map((each) => textOf(each.span)).join(", ");
}

function gives(
  place: Place,
  bound: Bound,
  type: FunctionAst,
  closure: Closure,
  result: Typed,
): boolean {
  // A function that is given is looked at itself.
  if (type.result.kind === "function" && result.type.kind === "function")
    return fitsFunction(place, bound, type.result, result);
  let fits = false;
  const trial = attemptCheck(place, () => {
    fits = matchParameter(place, bound, type.result, result, "it");
    return result;
  });
  trial.undo();
  if (fits) return true;
  const [given, written] = [showType(result.type), textOf(type.result.span)];
  const generic = bound.generics?.get(written);
  const wanted = generic ? showType(generic) : written;
  const end = endOf(closure);
  report(
    place,
    "E0411",
    `\`${nameOf(closure)}\` gives ${given}, \`${textOf(type.span)}\` is declared`,
    closure.span,
    {
      labels: [
        {
          span: type.result.span,
          text: generic ? `${written} is ${wanted} here` : `${wanted} is declared`,
        },
        ...[end?.span ?? heldResult(closure)].flatMap((at) =>
          at ? [{ span: at, text: `this is ${given}` }] : [],
        ),
      ],
      help:
        `${asWanted(closure, result, wanted)}, ` +
        `or declare \`(${parametersText(type)}) -> ${given}\``,
    },
  );
  return false;
}

/** What a function that has a declared type already gives. */
function heldResult({ callee }: Closure): Span | undefined {
  return typeof callee === "string" ? undefined : callee.held?.type.result.span;
}

/** What the function ends with, where it is written. */
function endOf(closure: Closure): ast.Expression | undefined {
  const value = declarationOf(closure)?.body.value;
  return value && value.span !== declarationOf(closure)!.span ? value : undefined;
}

function asWanted(closure: Closure, { type }: Typed, wanted: string): string {
  const end = endOf(closure);
  const text = end ? textOf(end.span) : `${nameOf(closure)}(x)`;
  const written = (changed: string): string => `write \`${end ? "" : "|x| "}${changed}\``;
  if (wanted === "str" && isScalar(type) && !text.startsWith("|")) return written(`"{${text}}"`);
  const isCast =
    isScalar(type) && isElementType(wanted) && castAllowed(decided(type.element), wanted);
  if (!isCast || text.startsWith("|")) return `let it give ${wanted}`;
  return written(`${end && !/^[\w.]+$/.test(text) ? `(${text})` : text} as ${wanted}`);
}
