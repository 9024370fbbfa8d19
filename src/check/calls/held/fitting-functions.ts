// Whether a function fits the type that is declared for it. The function is called once with
// unknown values of the declared types, and its result is compared with the declared result. A
// mistake is then reported where the function is passed, and not where it is called later.
//
//   fn twice(f: (f32) -> f32, x: f32) -> f32 { f(f(x)) }
//   twice(|a| a > 0, 1.0)      the lambda gives bool, and f32 is declared

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
import { closuresIn, heldTo, isHeldTo, givenGenerics } from "./held-functions.ts";
import { ownType } from "../instances/own-forms.ts";
import { scopeInside, type DataBinding } from "../../names/scope.ts";
import { isScalarType, matchParameter, isGenericWord } from "../signatures.ts";
import { newUnknown, wholeStandIn } from "../stand-ins.ts";
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
} from "../../types/types.ts";
import type { Bound } from "../bound.ts";
import { callValue } from "./call-value.ts";
import { emptyBound } from "../bound.ts";

type FunctionAst = Extract<ast.Type, { kind: "function" }>;

/**
 * Whether every function that a value may be fits a type; mistakes are reported. The names of the
 * type are looked up at the place.
 */
export function fitsFunction(place: Place, bound: Bound, type: FunctionAst, value: Typed): boolean {
  if (!namesAreKnown(place, bound, type)) return false;
  // A function with a name is reported at the place where the name is used.
  const atUse = (closure: Closure): Closure =>
    value.kind === "reference" ? { ...closure, span: value.span } : closure;
  return closuresIn(value).every(
    (closure) =>
      isHeldTo(place, bound, type, closure) || fitsClosure(place, bound, type, atUse(closure)),
  );
}

/** Whether a value fits a function type that was given for a type parameter. */
export function fitsDeclared(
  place: Place,
  { type, scope, generics }: DeclaredFunction,
  value: Typed,
): boolean {
  const bound = emptyBound();
  return fitsFunction({ ...place, scope }, { ...bound, generics: new Map(generics) }, type, value);
}

/** Whether all functions of an array fit a type. */
export function fitsFunctions(
  place: Place,
  bound: Bound,
  type: FunctionAst,
  value: Typed,
): boolean {
  const functions = functionsIn(value);
  if (!functions) return namesAreKnown(place, bound, type);
  const codes = functions.codes.map(() => newUnknown(scalar("i32"), value.span));
  return fitsFunction(place, bound, type, functions.at(place, codes, value.span));
}

/**
 * Whether the functions in the fields of a value fit, once the type parameters are given:
 * `Op<i32>`.
 */
export function fitsFields(
  place: Place,
  bound: Bound,
  type: Extract<ast.Type, { kind: "named" }>,
  of: DataBinding,
  value: Typed,
): boolean {
  const generics = givenGenerics(place, bound, type, of);
  const inside: Place = { ...place, scope: of.scope };
  const own: Bound = { ...emptyBound(), generics };
  const members = membersOf(value)?.slice(isEnum(of) ? 1 : 0) ?? [];
  return declaredFields(of).every((field, k) => {
    const member = members[k];
    if (!member || member.type.kind === "absent" || !holdsFunctions(member)) return true;
    return matchParameter(inside, own, field.type, member, "this");
  });
}

/** A value that contains functions, under its declared type. */
export function asDeclared(place: Place, type: ast.Type, value: Typed): Typed {
  const bound = emptyBound();
  if (!matchParameter(place, bound, type, value, "this")) return wrongAt(value.span);
  return heldTo(place, bound, type, value);
}

/** Whether all names in a type are known. */
function namesAreKnown(place: Place, bound: Bound, type: FunctionAst): boolean {
  const visit = (each: ast.Type): boolean => {
    switch (each.kind) {
      case "named": {
        const [name] = each.path;
        const own = each.path.length === 1 ? name!.text : "";
        const isMeant =
          isElementType(own) || isGenericWord(own) || bound.generics?.has(own) === true;
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

/** The element types that stand in for undecided generic words. */
const standard: Readonly<Record<string, ElementType>> = { float: "f32", int: "i32", num: "f32" };

function fitsClosure(place: Place, bound: Bound, type: FunctionAst, closure: Closure): boolean {
  if (!fitsCount(place, type, closure)) return false;
  const trial: Bound = { ...bound, axes: new Map(bound.axes), packs: new Map(bound.packs) };
  const values = valuesFor(place, trial, type.parameters, closure.span);
  // If the type leaves too much open, the function is checked when it is called.
  if (!values) return true;
  for (const [k, parameter] of type.parameters.entries()) {
    if (!matchParameter(place, trial, parameter, values[k]!, "it")) return false;
    if (!takesArgument(place, type, closure, k, values[k]!)) return false;
  }
  const result = resultWith(place, type, closure, values);
  return typeof result === "boolean" ? result : givesResult(place, trial, type, closure, result);
}

/** The name that the program uses for a function; the text of a lambda. */
function writtenName({ callee, span }: Closure): string {
  const written = textOf(span);
  return typeof callee === "string" || /^\w+$/.test(written) ? written : callee.name;
}

function declarationOf({ callee }: Closure): ast.Fn | undefined {
  return typeof callee === "string" ? undefined : callee.declaration;
}

/** Whether the number of parameters fits. Parameters with defaults may be left out. */
function fitsCount(place: Place, type: FunctionAst, closure: Closure): boolean {
  const { callee, span } = closure;
  const all = typeof callee === "string" ? arityOf(callee) : callee.declaration.parameters.length;
  const optional =
    declarationOf(closure)?.parameters.filter((parameter) => parameter.default).length ?? 0;
  const count = type.parameters.length;
  if (all - optional <= count && count <= all) return true;
  const own = writtenName(closure);
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
        `\`${textWithCount(closure, own, all, count)}\``,
    },
  );
  return false;
}

/**
 * The text of a function with the declared number of parameters: one that calls the given function,
 * or the lambda with other parameters.
 */
function textWithCount(closure: Closure, own: string, all: number, count: number): string {
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

/** An unknown value of each type; undefined if a type leaves too much open. */
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
      if (!isGenericWord(word)) break;
      const cell = bound.words.get(word);
      return newUnknown(scalar((cell && known(cell)) ?? standard[word]!), span);
    }
    case "tensor": {
      const cell = valueFor(place, bound, type.element, extents, span);
      const axes = (type.dims ?? [undefined]).map((dim) => axisFor(place, bound, dim, extents));
      if (!cell || !isScalar(cell.type) || !axes.every((axis) => axis !== undefined))
        return undefined;
      return newUnknown(tensor(element(decided(cell.type.element)), axes), span);
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

/** Whether a parameter with a type of its own takes a value of the declared type. */
function takesArgument(
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
    `\`${writtenName(closure)}\` takes ${taken} as \`${parameter.name.text}\`, ` +
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
 * The result of the function for some values. False if the function cannot take them, which is
 * reported; true if only a call can tell.
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
    // No name of a program contains a blank.
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
    callee: path({ text: writtenName(closure), span }),
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
    `\`${writtenName(closure)}\` does not fit \`${declared}\`: ${first!.title}`,
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
    textOf(type.result.span)
  );
}

function parametersText({ parameters }: FunctionAst): string {
  return parameters.map((each) => textOf(each.span)).join(", ");
}

function givesResult(
  place: Place,
  bound: Bound,
  type: FunctionAst,
  closure: Closure,
  result: Typed,
): boolean {
  // A function that is a result is checked itself.
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
  const end = resultExpression(closure);
  report(
    place,
    "E0411",
    `\`${writtenName(closure)}\` gives ${given}, \`${textOf(type.span)}\` is declared`,
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

/** The declared result type of a function that has a declared type. */
function heldResult({ callee }: Closure): Span | undefined {
  return typeof callee === "string" ? undefined : callee.held?.type.result.span;
}

/** The last expression of a function that is written in the program. */
function resultExpression(closure: Closure): ast.Expression | undefined {
  const value = declarationOf(closure)?.body.value;
  return value && value.span !== declarationOf(closure)!.span ? value : undefined;
}

function asWanted(closure: Closure, { type }: Typed, wanted: string): string {
  const end = resultExpression(closure);
  const text = end ? textOf(end.span) : `${writtenName(closure)}(x)`;
  const written = (changed: string): string => `write \`${end ? "" : "|x| "}${changed}\``;
  if (wanted === "str" && isScalar(type) && !text.startsWith("|")) return written(`"{${text}}"`);
  const isCast =
    isScalar(type) && isElementType(wanted) && castAllowed(decided(type.element), wanted);
  if (!isCast || text.startsWith("|")) return `let it give ${wanted}`;
  return written(`${end && !/^[\w.]+$/.test(text) ? `(${text})` : text} as ${wanted}`);
}
